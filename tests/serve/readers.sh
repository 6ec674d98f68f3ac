#!/usr/bin/env bash
# readers.sh [CHANGES]: `kubecpp serve pods` on a real kube-apiserver, read by 15 client-go informers and 5 `kubectl get
# --watch` while pods change. All of them end with what the API server lists, byte for byte; kubectl prints the same from both
# servers; and the API server's audit log shows that all that was read of pods is one watch at a time, of `kubecpp serve`, which begins with a stream of them.
# `./dev readers` builds kubecpp first. Starts a cluster of its own, with an audit log, and stops it: none may run.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
changes=${1:-4000}
informers=15
kubectls=5
last='readers-0/last'

die() {
  echo "readers: $*" >&2
  exit 1
}
command -v go >/dev/null || die "needs Go, for client-go's informers"
if "$root/dev" cluster status >/dev/null; then die "a cluster runs: its audit log has other readers; './dev cluster down' first"; fi

work=$(mktemp -d)
children=()
finish() {
  local child
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

# The state that a watch of kubectl's has led to: "NAMESPACE/NAME RESOURCEVERSION", in order.
state_of_events() {
  awk '$1 == "DELETED" { delete held[$2]; next } { held[$2] = $3 } END { for (key in held) print key, held[key] }' "$1" | LC_ALL=C sort
}

# same WHAT FILE FILE
same() { cmp -s "$2" "$3" || die "$1 differs: $(diff "$2" "$3" | head -n 5)"; }

# Reads of pods in the audit log: "VERB PROGRAM", the program as its User-Agent begins. kube-apiserver's own informer of pods
# (the user system:apiserver) is not a reader of ours.
reads_of_pods() {
  grep -E '"requestURI":"/api/v1/(namespaces/[^/"]*/)?pods[?"]' "$root/build/cluster/run/audit.log" |
    grep -F -v '"username":"system:apiserver"' |
    sed -nE 's/.*"auditID":"([^"]*)".*"verb":"(list|watch|get)".*"userAgent":"([^"\/ ]*).*/\1 \2 \3/p' | sort -u | cut -d' ' -f2- | sort
}

# The largest number of watches of pods that a client of ours had open at once, by the audit log.
watches_at_once() {
  grep -E '"requestURI":"/api/v1/pods[?][^"]*watch=true' "$root/build/cluster/run/audit.log" |
    grep -F '"userAgent":"kubecpp' |
    awk '/"stage":"ResponseStarted"/ { if (++open > most) most = open } /"stage":"ResponseComplete"/ { --open } END { print most + 0 }'
}

(cd "$root/bench/peers/informers" && go build -mod=readonly -trimpath -o "$root/build/bench/informers/" ./readers)
readers=$root/build/bench/informers/readers
"$root/dev" cluster up --audit >/dev/null
eval "$("$root/dev" cluster env)"
for number in 0 1 2; do kubectl create namespace "readers-$number" >/dev/null; done

"$root/build/release/bin/kubecpp" serve pods >"$work/serve" 2>"$work/serve.log" &
children+=($!)
wait_for 120 "the line of kubecpp serve" grep -q '^serving ' "$work/serve"
cache=$(sed -n 's/^serving //p' "$work/serve")
wait_for 120 "the cache" curl -fsS "$cache/readyz"

begun=$SECONDS
"$readers" hold -server "$cache" -n "$informers" -until "$last" -to "$work" -timeout 120s >"$work/informers" &
held=$!
children+=("$held")
for ((number = 0; number < kubectls; number++)); do
  KUBECONFIG=/dev/null kubectl --server "$cache" get pods -A --watch --output-watch-events \
    -o 'jsonpath={.type} {.object.metadata.namespace}/{.object.metadata.name} {.object.metadata.resourceVersion}{"\n"}' \
    >"$work/kubectl-$number" &
  children+=($!)
done
all_watch() { curl -fsS "$cache/metrics" | grep -qE "^[a-z_]*watchers $((informers + kubectls))\$"; }
wait_for 120 "the readers' watches" all_watch

"$readers" change -n "$changes" -until "$last" -timeout 120s
echo "readers: $changes changes in $((SECONDS - begun)) s"
wait "$held" || die "an informer of client-go did not get all changes"
for ((number = 0; number < kubectls; number++)); do
  wait_for 120 "the last pod in a watch of kubectl's" grep -q "^ADDED $last " "$work/kubectl-$number"
done

# Nothing but `kubecpp serve` has read pods from the API server until now; what follows does. The API server ends the watch of
# a client that a busy machine lets fall behind; it goes on with another one, and never has two.
reads_of_pods | awk '$1 != "watch" || !seen[$0]++' >"$work/reads"
most_watches=$(watches_at_once)
[[ $most_watches -eq 1 ]] || die "kubecpp serve had $most_watches watches at once, by the API server's audit log"
printf 'watch kubecpp\n' >"$work/expected"
same "what was read of pods from the API server, by its audit log" "$work/expected" "$work/reads"

"$readers" list >"$work/direct"
"$readers" list -server "$cache" >"$work/served"
same "the list of the cache" "$work/direct" "$work/served"
for file in "$work"/informer-*; do same "what a client-go informer holds" "$work/direct" "$file"; done
cut -d' ' -f1,2 "$work/direct" >"$work/versions"
for ((number = 0; number < kubectls; number++)); do
  state_of_events "$work/kubectl-$number" >"$work/state"
  same "what a watch of kubectl has led to" "$work/versions" "$work/state"
done
for arguments in "get pods -A -l app=web" "get pods -n readers-1 -l app=web,round=2 -o yaml" "get pods -n readers-2 -o json" \
  "get pods -A --field-selector=metadata.namespace=readers-0 -o name" "get pod -n readers-0 last -o yaml"; do
  # shellcheck disable=SC2086  # words
  kubectl $arguments >"$work/direct.out"
  # shellcheck disable=SC2086
  KUBECONFIG=/dev/null kubectl --server "$cache" $arguments >"$work/served.out"
  if [[ $arguments != *-o* ]]; then sed -i -E 's/ +[0-9]+m?[0-9]*s$//' "$work"/{direct,served}.out; fi # ages
  same "kubectl $arguments" "$work/direct.out" "$work/served.out"
  [[ -s $work/served.out ]] || die "kubectl $arguments printed nothing"
done
for arguments in "get pods none -n readers-0" "get pod none -n readers-0 -o yaml"; do
  # shellcheck disable=SC2086
  ! kubectl $arguments 2>"$work/direct.err" || die "kubectl $arguments succeeded"
  # shellcheck disable=SC2086
  ! KUBECONFIG=/dev/null kubectl --server "$cache" $arguments 2>"$work/served.err" || die "kubectl $arguments succeeded"
  same "the error of kubectl $arguments" "$work/direct.err" "$work/served.err"
done
echo "readers: $informers client-go informers and $kubectls watches of kubectl hold the $(wc -l <"$work/direct") pods that the API server lists"
echo "readers: its audit log has of pods: $(paste -sd, "$work/reads"), nothing else"
