#!/usr/bin/env bash
# serve.sh [--pods N] [--bytes N] [--milliseconds N] [--only-memory]: the servers that bench/serve measures, each in a process of its own: the embedded API
# server and kube-apiserver with the same pods; `kubecpp serve`, without and with TLS, and a Go program (a client-go informer
# behind net/http) on kube-apiserver. A peer that can't be had is named and left out; without kube-apiserver the caches read the
# embedded server.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
kubecpp=$root/build/release/bin/kubecpp
serve=$root/build/release/bin/serve
out=$root/build/bench/informers
work=$(mktemp -d)
children=()
has_cluster=
finish() {
  local child
  for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done
  wait
  [[ -z $has_cluster ]] || "$root/dev" cluster down
  rm -rf "$work"
}
trap finish EXIT

servers=()
# start NAME WORD KUBECONFIG COMMAND...: a server that prints "WORD ... URL" when it can be asked, to be measured.
start() {
  local name=$1 word=$2 kubeconfig=$3 url=
  shift 3
  # Its input stays open as long as this script runs.
  "$@" >"$work/out" 2>"$work/err" < <(exec sleep infinity) &
  children+=($!)
  for _ in $(seq 600); do
    url=$(sed -nE "s/^$word.* ([^ ]+)\$/\1/p" "$work/out")
    [[ -z $url ]] || break
    sleep 0.1
  done
  if [[ -z $url ]]; then
    echo "$name is left out: $(head -c 300 "$work/err")"
    return
  fi
  [[ $url == *:* ]] || url=http://127.0.0.1:$url
  servers+=(--server "$name" "$url" "$!" "$kubeconfig")
  last=$url
}

start "API server (embedded)" listening "$work/embedded" "$kubecpp" apiserver --kubeconfig-out "$work/embedded"
"$serve" --fill "$work/embedded" "$@"
source=$work/embedded
if ! "$root/dev" cluster status >/dev/null && "$root/dev" cluster up >"$work/cluster" 2>&1; then
  has_cluster=1
  source=$root/build/cluster/run/kubeconfig
  "$serve" --fill "$source" "$@"
  servers+=(--server "kube-apiserver, TLS" "$(sed -n 's/^ *server: //p' "$source")"
    "$(cat "$root/build/cluster/run/kube-apiserver.pid")" "$source")
else
  echo "kube-apiserver is left out: it is running, or did not start: $(tail -n 1 "$work/cluster" 2>/dev/null)"
fi

# A cache is measured when it has all.
ready() {
  for _ in $(seq 300); do
    curl -fsSk "$last/readyz" >/dev/null 2>&1 && return
    sleep 0.1
  done
}
start "kubecpp serve" serving "$source" "$kubecpp" serve pods --kubeconfig "$source"
ready
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=cache \
  -keyout "$work/key" -out "$work/cert" 2>/dev/null
start "kubecpp serve, TLS" serving "$source" "$kubecpp" serve pods --kubeconfig "$source" \
  --tls-cert-file "$work/cert" --tls-private-key-file "$work/key"
ready
if ! command -v go >/dev/null; then
  echo "client-go and net/http are left out: Go is not installed"
elif ! (cd "$root/bench/peers/informers" && go build -mod=readonly -trimpath -o "$out/" ./server); then
  echo "client-go and net/http are left out: the program did not build"
else
  start "client-go and net/http" ready "$source" "$out/server" "$source"
fi
"$serve" "$@" "${servers[@]}"
