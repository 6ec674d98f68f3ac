#!/usr/bin/env bash
# Runs build/release/bin/footprint_benchmark, and then, without arguments, what it cannot measure: the build of the whole
# module api from nothing, without ccache, when all that it needs is there.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
build/release/bin/footprint_benchmark "$@"
[[ $# -eq 0 ]] || exit 0

work=$root/build/bench/footprint
log=$work.log
rm -rf "$work" && mkdir -p "$work"
# quietly COMMAND...: shows what it prints if it fails.
quietly() { "$@" >"$log" 2>&1 || { cat "$log" >&2 && exit 1; }; }

quietly cmake --preset release -B "$work"
quietly cmake --build "$work" --target kube_meta kube-gen
before=${EPOCHREALTIME/[.,]/}
export CCACHE_DISABLE=1
quietly cmake --build "$work" --target kube_api --parallel 2
microseconds=$((${EPOCHREALTIME/[.,]/} - before))
sources=$(find "$work/modules/api/generated/src" -name '*.cpp' | wc -l)
rm -rf "$work"
# To reach: 240 s.
echo "BuildOfModuleApi: $((microseconds / 1000000)) s by two jobs on $(nproc) processors, $sources generated sources"
