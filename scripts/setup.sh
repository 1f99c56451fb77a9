#!/usr/bin/env bash
# Installs what halfulp is built with from the packages of Debian 12, Debian 13 or Ubuntu 24.04.
# Quick, and without network, when everything is there. Usage: scripts/setup.sh [--lint]
set -euo pipefail

packages=(
  g++ cmake ninja-build git
  libboost-dev libfmt-dev nlohmann-json3-dev libcli11-dev libhwy-dev zlib1g-dev libxxhash-dev
  libbenchmark-dev catch2 python3 python3-numpy python3-jsonschema
)
case "${1-}" in
  "") ;;
  --lint) packages+=(clang-format clang-tidy-19) ;;
  *) echo "usage: $0 [--lint]" >&2; exit 2 ;;
esac

fail() {
  echo "setup.sh: $*" >&2
  exit 1
}

# The packages that are not installed, or are older than version 3 in the case of catch2.
missing() {
  local package status version
  for package in "${packages[@]}"; do
    status='' version=''
    read -r status version < <(
      dpkg-query --show --showformat='${db:Status-Status} ${Version}\n' "$package" 2>/dev/null) || true
    if [[ $status != installed ]]; then
      echo "$package"
    elif [[ $package == catch2 ]] && dpkg --compare-versions "$version" lt 3; then
      echo "$package"
    fi
  done
}

# Debian 12 has Catch2 3 in its backports only; the mirror that serves the release has them.
add_backports() {
  if apt-cache policy | grep 'n=bookworm-backports' >/dev/null; then return; fi
  local site
  # shellcheck disable=SC2016 # the names are apt-get's
  site=$(apt-get indextargets --format '$(SITE) $(CODENAME) $(LABEL)' |
    sed -n 's/ bookworm Debian$//p' | sort -u)
  [[ -n $site ]] || fail "no package source serves bookworm, so its backports cannot be found"
  "${root[@]}" tee /etc/apt/sources.list.d/bookworm-backports.sources >/dev/null <<END
Types: deb
URIs: ${site%%$'\n'*}
Suites: bookworm-backports
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
END
  "${root[@]}" apt-get update
}

command -v dpkg-query >/dev/null || fail "needs Debian 12, Debian 13 or Ubuntu 24.04"
# shellcheck source=/dev/null
. /etc/os-release
case "$ID-${VERSION_ID-}" in
  debian-12 | debian-13 | ubuntu-24.04) ;;
  *) fail "unsupported distribution '${PRETTY_NAME-$ID}': needs Debian 12, Debian 13 or Ubuntu 24.04" ;;
esac

list=$(missing)
if [[ -z $list ]]; then exit 0; fi
mapfile -t wanted <<<"$list"
echo "setup.sh: installing ${wanted[*]}"

root=(env DEBIAN_FRONTEND=noninteractive)
if ((EUID != 0)); then
  command -v sudo >/dev/null || fail "run as root, or install sudo, to install: ${wanted[*]}"
  root=(sudo "${root[@]}")
fi
"${root[@]}" apt-get update
if [[ $ID-$VERSION_ID == debian-12 && " ${wanted[*]} " == *" catch2 "* ]]; then
  add_backports
  wanted=("${wanted[@]/%catch2/catch2/bookworm-backports}")
fi
"${root[@]}" apt-get install --yes --no-install-recommends "${wanted[@]}"

list=$(missing)
[[ -z $list ]] || fail "still missing after the installation: ${list//$'\n'/ }"
