#!/bin/sh
# Writes FILE with HALFULP_COMMIT, the commit of the source tree ("-dirty" when tracked files
# differ, "unknown" without git). Leaves FILE alone when it already says so.
# Usage: commit_header.sh FILE
set -eu
file=$1
root=$(cd "$(dirname "$0")/.." && pwd)
# --git-dir: an unpacked archive must not report the commit of a repository around it.
commit=$(git --git-dir="$root/.git" --work-tree="$root" \
  describe --always --dirty --abbrev=40 --exclude='*' 2>/dev/null) || commit=unknown
line="#define HALFULP_COMMIT \"$commit\""
if [ "$(cat "$file" 2>/dev/null)" != "$line" ]; then
  echo "$line" > "$file"
fi
