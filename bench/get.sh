#!/usr/bin/env bash
# How long `kubecpp get pods -A` and `kubectl get pods -A` take on the embedded server, in turns, in milliseconds: with an empty
# cache of discovery for each run, and with one that the other program has filled.
#
#   bench/get.sh [RUNS]       KUBEBUILDER_ASSETS names kubectl's folder, as for the scenarios; else PATH does
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
runs=${1:-15}
kubecpp=$root/build/release/bin/kubecpp
kubectl=$(command -v "${KUBEBUILDER_ASSETS:+$KUBEBUILDER_ASSETS/}kubectl") || {
  echo "kubectl is not installed: set KUBEBUILDER_ASSETS"
  exit 1
}
work=$(mktemp -d)
"$kubecpp" apiserver --load "$root/examples/cluster.yaml" --kubeconfig-out "$work/kubeconfig" >"$work/server.log" 2>&1 &
server=$!
trap 'kill "$server"; wait "$server" || true; rm -rf "$work"' EXIT
export KUBECONFIG=$work/kubeconfig
until [[ -s $KUBECONFIG ]] && "$kubecpp" get pods -A --cache-dir "$work/first" >/dev/null 2>&1; do
  kill -0 "$server"
  sleep 0.1
done

# run NAME CACHE PROGRAM: adds a line to NAME's times.
run() {
  local before=$EPOCHREALTIME
  "$3" get pods -A --cache-dir "$2" >/dev/null
  echo $(((${EPOCHREALTIME/./} - ${before/./}) / 100)) >>"$work/$1"
}

"$kubectl" get pods -A --cache-dir "$work/warm" >/dev/null
for ((i = 0; i < runs; ++i)); do
  run cold.kubecpp "$work/cold.kubecpp.$i" "$kubecpp"
  run cold.kubectl "$work/cold.kubectl.$i" "$kubectl"
  run warm.kubecpp "$work/warm" "$kubecpp"
  run warm.kubectl "$work/warm" "$kubectl"
done

median() { sort -n "$work/$1" | sed -n "$(((runs + 1) / 2))p"; }
printf '%-6s %10s %10s %8s\n' ms kubecpp kubectl ratio
for cache in cold warm; do
  awk -v cache="$cache" -v ours="$(median "$cache.kubecpp")" -v theirs="$(median "$cache.kubectl")" \
    'BEGIN { printf "%-6s %10.1f %10.1f %8.2f\n", cache, ours / 10, theirs / 10, ours / theirs }'
done
