#!/usr/bin/env bash
# compare.sh [ROUNDS] [--pods N] [--bytes N] [--sizes N,N,...] [--peer-limit N] [--to FOLDER]: what build/release/bin/kube-bench and the same of client-go
# measure on one replay server, in turns, and its sync in JSON beside kube-rs; writes docs/performance.md and its pictures (bench/compare/compare.py).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=$root/build/bench/informers
peers=()
if ! command -v go >/dev/null; then
  echo "client-go is left out: Go is not installed."
elif (cd "$root/bench/peers/informers" && go build -mod=readonly -trimpath -o "$out/" ./bench); then
  peers+=(--peer "$out/bench")
else
  echo "client-go is left out: it did not build."
fi
target=$root/build/bench/kube-rs
if ! command -v cargo >/dev/null; then
  echo "kube-rs is left out: Rust is not installed."
elif cargo build --release --locked --manifest-path "$root/bench/peers/kube-rs/Cargo.toml" --target-dir "$target"; then
  peers+=(--kube-rs "$target/release/kube-rs-bench")
else
  echo "kube-rs is left out: it did not build."
fi
exec "$root/bench/compare/compare.py" "$root/build/release/bin/kube-bench" "$@" "${peers[@]}"
