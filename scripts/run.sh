#!/usr/bin/env bash
# Sets up, builds optimised, and runs the main job: kornia's meshgrid as it was and as it is now,
# under every engine model, against the correctly rounded answer.
# Arguments replace the sweep's: scripts/run.sh meshgrid --form arange --dtype bf16 --widths 300
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

./scripts/setup.sh
cmake --preset release >/dev/null
cmake --build --preset release --target halfulp >&2

if (($# == 0)); then
  set -- meshgrid --form arange,float32-once --dtype bf16,f16,f32 --widths 2..4096 \
    --backend all --reference oracle --json build/meshgrid-report.json
fi
exec ./build/release/halfulp sweep "$@"
