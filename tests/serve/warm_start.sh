#!/usr/bin/env bash
# warm_start.sh [PODS [ROUNDS]]: how `kubecpp serve pods --state-dir` begins with 100,000 pods of 2 KB: from a list (cold) and from
# its saved state (warm), in turns, with one pod changed while it is away. The cluster is the embedded API server. Prints the
# best of each in one table, with the ratio. Fails when a start has not what the cluster has, or a warm one has listed.
# `./dev warm-start` builds kubecpp first.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
kubecpp=$root/build/release/bin/kubecpp
pods=${1:-100000}
rounds=${2:-3}

work=$(mktemp -d)
children=()
finish() {
  local child
  for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done
  wait
  rm -rf "$work"
}
trap finish EXIT
die() {
  echo "warm-start: $*" >&2
  exit 1
}

# url_of FILE: the last word of the line that a server prints when it can be asked.
url_of() {
  local deadline=$((SECONDS + 300))
  until [[ -s $1 ]]; do
    ((SECONDS < deadline)) || die "a server did not start: $(cat "$1.err")"
    sleep 0.02
  done
  sed -nE 's/.* ([^ ]+)$/\1/p' "$1"
}
# Milliseconds of processor time that a process has used.
processor() { awk -v tick="$(getconf CLK_TCK)" '{ print int(($14 + $15) * 1000 / tick) }' "/proc/$1/stat"; }
now() { date +%s%3N; }
# What a server has: name and resourceVersion of each pod, as one sum.
state_of() { "$kubecpp" get pods -A --server "$1" -o 'custom-columns=N:.metadata.name,V:.metadata.resourceVersion' | sort | sha256sum; }

padding=$(printf 'x%.0s' $(seq 1500))
mkdir "$work/pods"
awk -v pods="$pods" -v padding="$padding" 'BEGIN {
  for (i = 0; i < pods; ++i) {
    printf "%s{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%d\",\"namespace\":\"n%d\",\"labels\":{\"app\":\"a%d\"},\"annotations\":{\"note\":\"%s\"}},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}\n", (i % 10000 ? "---\n" : ""), i, i % 100, i % 50, padding > ("'"$work"'/pods/" int(i / 10000) ".json")
  }
}'
"$kubecpp" apiserver --load "$work/pods" >"$work/cluster" 2>"$work/cluster.err" &
cluster=$!
children+=("$cluster")
source=$(url_of "$work/cluster")
[[ $source == http* ]] || source=http://$source

declare -A best
# note NAME VALUE: keeps the least.
note() { [[ -n ${best[$1]:-} ]] && ((best[$1] <= $2)) || best[$1]=$2; }

# run_serve cold|warm
run_serve() {
  local kind=$1 begun served url ended
  [[ $kind == warm ]] || rm -rf "$work/states"
  served=$(processor "$cluster")
  begun=$(now)
  : >"$work/serve"
  "$kubecpp" serve pods --server "$source" --state-dir "$work/states" >"$work/serve" 2>"$work/serve.err" &
  local serve=$!
  children+=("$serve")
  url=$(url_of "$work/serve")
  until curl -fsS "$url/readyz" >/dev/null 2>&1; do
    kill -0 "$serve" || die "serve has ended: $(cat "$work/serve.err")"
    sleep 0.02
  done
  note "$kind ready" $(($(now) - begun))
  note "$kind processor" "$(processor "$serve")"
  note "$kind cluster" $(($(processor "$cluster") - served))
  curl -fsS "$url/readyz?verbose" >"$work/ready"
  if [[ $kind == warm ]]; then
    grep -q resumed "$work/ready" || die "a warm start has listed: $(cat "$work/ready" "$work/serve.err")"
  elif grep -q resumed "$work/ready"; then
    die "a cold start has a saved state"
  fi
  [[ $(state_of "$url") == "$(state_of "$source")" ]] || die "after a $kind start the cache differs from the cluster"
  ended=$(now)
  kill "$serve"
  wait "$serve" || die "serve has failed: $(cat "$work/serve.err")"
  note "$kind stop" $(($(now) - ended))
}

for ((round = 0; round < rounds; round++)); do
  run_serve cold
  "$kubecpp" label pod p1 -n n1 --server "$source" --overwrite "round=$round" >/dev/null
  run_serve warm
done
ratio() { awk -v a="${best[cold $1]}" -v b="${best[warm $1]}" 'BEGIN { printf "%.2f", b / (a > 0 ? a : 1) }'; }
echo "$pods pods, best of $rounds; the file has $(($(stat -c %s "$work"/states/pods.v1.state) >> 20)) MiB"
echo "| | cold | warm | ratio |"
echo "| --- | --- | --- | --- |"
echo "| ms until /readyz | ${best[cold ready]} | ${best[warm ready]} | $(ratio ready) |"
echo "| ms of processors, kubecpp serve | ${best[cold processor]} | ${best[warm processor]} | $(ratio processor) |"
echo "| ms of processors, the API server | ${best[cold cluster]} | ${best[warm cluster]} | $(ratio cluster) |"
echo "| ms to stop and save | ${best[cold stop]} | ${best[warm stop]} | $(ratio stop) |"
