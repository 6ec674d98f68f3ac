#!/usr/bin/env bash
# restarts.sh [CHANGES]: `kubecpp serve pods` on a real kube-apiserver, read by 15 client-go informers and 5 `kubectl get
# --watch`, while first kube-apiserver and then `kubecpp serve` is killed (SIGKILL) and started again, with CHANGES before, between
# and after. Without the API server reads are answered, with their age, and watches go on, and /readyz fails in time. In the end all
# readers have what the API server lists, byte for byte.
# `./dev restarts` builds kubecpp first. Starts a cluster of its own and stops it: none may run.
# shellcheck source=tests/serve/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
changes=${1:-1000}

age() { curl -fsS -o /dev/null -D - "$cache/api/v1/pods?limit=1" | tr -d '\r' | sed -n 's/^Age: //p'; }
# is_old SECONDS
is_old() { [[ $(age) -ge $1 ]]; }
is_unready() { [[ $(curl -sS -o /dev/null -w '%{http_code}' "$cache/readyz") == 503 ]]; }

start_cluster --audit
serve pods --max-age 2m
start_readers
"$readers" change -n "$changes" -until readers-0/first -timeout 300s

"$root/dev" cluster kill
"$readers" list -server "$cache" >"$work/before"
wait_for 120 "a cache that is 3 seconds old" is_old 3
wait_for 240 "a cache that is too old" is_unready
"$readers" list -server "$cache" >"$work/after"
same "the list of the cache without its API server" "$work/before" "$work/after"
all_watch || die "without the API server watches of the cache have ended"
echo "$script: without kube-apiserver the cache answers, $(age) s old, and all readers watch"
"$root/dev" cluster restart
"$readers" change -n "$changes" -until readers-0/second -timeout 300s
wait_for 120 "a cache that is ready again" curl -fsS "$cache/readyz"

kill -KILL "$served"
{ wait "$served" || true; } 2>/dev/null # bash says which child was killed
# The readers hear of none of this.
kubectl delete pods -n readers-1 --all --wait=false >/dev/null
kubectl label pods -n readers-2 --all killed=yes >/dev/null
former=$cache
serve pods --listen "${former#http://}"
[[ $cache == "$former" ]] || die "kubecpp serve is at $cache now, and not at $former"
wait_for 120 "the readers' watches of the new server" all_watch
"$readers" change -n "$changes" -until "$last" -timeout 300s
wait_for_readers
expect_equal
