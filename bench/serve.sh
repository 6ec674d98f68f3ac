#!/usr/bin/env bash
# serve.sh [--pods N] [--rounds N] [--milliseconds N] [--only WHAT]...: the servers that bench/serve measures, each in a process of
# its own: `kubecpp serve`, and a Go program (a client-go informer behind net/http), without and with TLS, which follow the embedded
# API server, because it takes the writes of the bench beside all else on the same processors; and kube-apiserver with the same
# pods. A peer that can't be had is named and left out.
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
  for child in "${children[@]}"; do
    kill "$child" 2>/dev/null || true
    kill -CONT "$child" 2>/dev/null || true # the bench stops those whose turn it is not
  done
  wait
  [[ -z $has_cluster ]] || "$root/dev" cluster down
  rm -rf "$work"
}
trap finish EXIT
mkfifo "$work/input"
exec 9<>"$work/input"

servers=()
# start NAME WORD COMMAND...: starts a server that prints "WORD ... URL" when it can be asked; the name "" is for one that is not
# measured.
start() {
  local name=$1 word=$2 url=
  shift 2
  # Its input stays open as long as this script runs.
  "$@" >"$work/out" 2>"$work/err" <"$work/input" 9>&- &
  children+=($!)
  for _ in $(seq 1200); do
    url=$(sed -nE "s/^$word.* ([^ ]+)\$/\1/p" "$work/out")
    [[ -z $url ]] || break
    sleep 0.1
  done
  if [[ -z $url ]]; then
    echo "$name is left out: $(head -c 300 "$work/err")"
    return
  fi
  [[ -z $name ]] || servers+=(--server "$name" "$url" "$!" "$source")
  # A cache is measured when it has all.
  [[ $word != serving ]] || until curl -fsSk "$url/readyz" >/dev/null 2>&1; do sleep 0.1; done
}

# The options that say how many pods there are, for --fill.
pods=()
for ((i = 1; i < $#; ++i)); do
  [[ ${!i} != --pods ]] || pods=(--pods "${*:i+1:1}")
done

source=$work/embedded
start "" listening "$kubecpp" apiserver --kubeconfig-out "$source"
"$serve" --fill "$source" "${pods[@]}"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=cache \
  -keyout "$work/key" -out "$work/cert" 2>/dev/null
start "\`kubecpp serve\`" serving "$kubecpp" serve pods --kubeconfig "$source"
start "\`kubecpp serve\`, TLS" serving "$kubecpp" serve pods --kubeconfig "$source" \
  --tls-cert-file "$work/cert" --tls-private-key-file "$work/key"
if ! command -v go >/dev/null; then
  echo "client-go and net/http are left out: Go is not installed"
elif ! (cd "$root/bench/peers/informers" && go build -mod=readonly -trimpath -o "$out/" ./server); then
  echo "client-go and net/http are left out: the program did not build"
else
  start "client-go and net/http" ready "$out/server" "$source"
  start "client-go and net/http, TLS" ready "$out/server" "$source" "$work/cert" "$work/key"
fi
export KUBE_CLUSTER_OPTIMISED=1 # a peer is measured as people run it
if ! "$root/dev" cluster status >/dev/null && "$root/dev" cluster up >"$work/cluster" 2>&1; then
  has_cluster=1
  source=$root/build/cluster/run/kubeconfig
  "$serve" --fill "$source" "${pods[@]}"
  servers+=(--server "kube-apiserver, TLS" "$(sed -n 's/^ *server: //p' "$source")"
    "$(cat "$root/build/cluster/run/kube-apiserver.pid")" "$source")
else
  echo "kube-apiserver is left out: it is running, or did not start: $(tail -n 1 "$work/cluster" 2>/dev/null)"
fi
echo "on $(nproc) processors; $(go version 2>/dev/null); $(g++ --version | head -n 1)"
"$serve" "$@" "${servers[@]}"
