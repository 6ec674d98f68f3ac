# shellcheck shell=bash
# What the scripts of this folder share: `kubecpp serve` on a real kube-apiserver, and readers of it. Sourced.
set -euo pipefail
script=$(basename "$0" .sh)
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
informers=15
kubectls=5
last='readers-0/last'
kubecpp=$root/build/release/bin/kubecpp
readers=$root/build/bench/informers/readers

die() {
  echo "$script: $*" >&2
  exit 1
}
command -v go >/dev/null || die "needs Go, for client-go's informers"
if "$root/dev" cluster status >/dev/null; then die "a cluster runs, which may have other readers; './dev cluster down' first"; fi

work=$(mktemp -d)
export KUBECACHEDIR=$work/kubectl-cache # what another server said at the same address is of no use
children=()
finish() {
  local child
  touch "$work/over"
  for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done
  wait
  "$root/dev" cluster down 2>/dev/null
  rm -rf "$work"
}
trap finish EXIT

# wait_for SECONDS WHAT COMMAND...
wait_for() {
  local deadline=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < deadline)) || die "timed out waiting for $what"
    sleep 0.1
  done
}

# same WHAT FILE FILE
same() { cmp -s "$2" "$3" || die "$1 differs: $(diff "$2" "$3" | head -n 5)"; }

# What kubectl reads from: --kubeconfig "${config[direct]}" or "${config[served]}".
declare -A config=([served]=$work/kubeconfig)

# start_cluster [ARGUMENT...]: with three namespaces, which the readers' pods are in.
start_cluster() {
  (cd "$root/bench/peers/informers" && go build -mod=readonly -trimpath -o "$root/build/bench/informers/" ./readers)
  "$root/dev" cluster up "$@" >/dev/null
  eval "$("$root/dev" cluster env)"
  config[direct]=$KUBECONFIG
  local number
  for number in 0 1 2; do kubectl create namespace "readers-$number" >/dev/null; done
}

# serve ARGUMENT...: sets $cache to its URL, and $served to its process.
serve() {
  "$kubecpp" serve "$@" >"$work/serve" 2>>"$work/serve.log" &
  served=$!
  children+=("$served")
  wait_for 120 "the line of kubecpp serve" grep -q '^serving ' "$work/serve"
  cache=$(sed -n 's/^serving //p' "$work/serve")
  printf '{apiVersion: v1, kind: Config, clusters: [{name: c, cluster: {server: "%s"}}],
    contexts: [{name: c, context: {cluster: c, namespace: default}}], current-context: c}' "$cache" >"${config[served]}"
  wait_for 120 "the cache" curl -fsS "$cache/readyz"
}

# A watch of kubectl's; when it ends it is started again, as a user would.
watch_pods() {
  while [[ ! -e $work/over ]]; do
    kubectl --kubeconfig "${config[served]}" get pods -A --watch --output-watch-events \
      -o 'jsonpath={.type} {.object.metadata.namespace}/{.object.metadata.name} {.object.metadata.resourceVersion}{"\n"}' \
      >"$1" 2>>"$work/kubectl.log" &
    trap 'kill $! 2>/dev/null' TERM
    wait $! || true
    sleep 0.2
  done
}

all_watch() { curl -fsS "$cache/metrics" | grep -qE "^[a-z_]*watchers $((informers + kubectls))\$"; }

# All readers, until they have the last pod; sets $held to the process of the informers.
start_readers() {
  "$readers" hold -server "$cache" -n "$informers" -until "$last" -to "$work" -timeout 600s >"$work/informers" &
  held=$!
  children+=("$held")
  local number
  for ((number = 0; number < kubectls; number++)); do
    watch_pods "$work/kubectl-$number" &
    children+=($!)
  done
  wait_for 120 "the readers' watches" all_watch
}

# Once all have the last pod.
wait_for_readers() {
  wait "$held" || die "an informer of client-go did not get all changes"
  local number
  for ((number = 0; number < kubectls; number++)); do
    wait_for 120 "the last pod in a watch of kubectl's" grep -q "^ADDED $last " "$work/kubectl-$number"
  done
}

# The state that a watch of kubectl's has led to: "NAMESPACE/NAME RESOURCEVERSION", in order.
state_of_events() {
  awk '$1 == "DELETED" { delete held[$2]; next } { held[$2] = $3 } END { for (key in held) print key, held[key] }' "$1" | LC_ALL=C sort
}

# The API server, the cache and all readers have the same pods, byte for byte.
expect_equal() {
  local file number
  "$readers" list >"$work/direct"
  "$readers" list -server "$cache" >"$work/served"
  same "the list of the cache" "$work/direct" "$work/served"
  for file in "$work"/informer-*; do same "what a client-go informer holds" "$work/direct" "$file"; done
  cut -d' ' -f1,2 "$work/direct" >"$work/versions"
  for ((number = 0; number < kubectls; number++)); do
    state_of_events "$work/kubectl-$number" >"$work/state"
    same "what a watch of kubectl has led to" "$work/versions" "$work/state"
  done
  echo "$script: $informers client-go informers and $kubectls watches of kubectl hold the $(wc -l <"$work/direct") pods that the API server lists"
}
