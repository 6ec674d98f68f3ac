#!/usr/bin/env bash
# Runs build/release/bin/codec beside client-go. Without Go, or when its modules can't be had, it
# runs alone and says so.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=$root/build/bench/codec
mkdir -p "$out"

arguments=(--samples "$out/samples" --recorded "$root/../shared/data/api-testdata/v1.36.0")
if ! command -v go >/dev/null; then
  echo "Go is not installed: client-go is left out."
elif (cd "$root/bench/peers/codec" && go build -mod=readonly -trimpath -o "$out/peer" .); then
  arguments+=(--peer "$out/peer")
else
  echo "client-go did not build: it is left out."
fi
exec "$root/build/release/bin/codec" "${arguments[@]}" "$@"
