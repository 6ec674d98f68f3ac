#!/usr/bin/env bash
# Runs build/release/bin/reads and the same with client-go's ThreadSafeStore in turns, and prints the
# medians of the rounds side by side, without what reading the clock takes.
#
#   bench/reads.sh [ROUNDS] [GETS]
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
rounds=${1:-5}
gets=${2:-1000000}
out=$root/build/bench/reads
mkdir -p "$out"
rm -f "$out"/*.tsv

peer=
if ! command -v go >/dev/null; then
  echo "Go is not installed: client-go is left out."
elif (cd "$root/bench/peers/reads" && go build -mod=readonly -trimpath -o "$out/peer" .); then
  peer=$out/peer
else
  echo "client-go did not build: it is left out."
fi

for ((round = 0; round < rounds; ++round)); do
  "$root/build/release/bin/reads" "$gets" >>"$out/ours.tsv"
  [[ -z $peer ]] || "$peer" "$gets" >>"$out/peer.tsv"
done

[[ -e $out/peer.tsv ]] || cp "$out/ours.tsv" "$out/peer.tsv"
awk -F '\t' '
  function median(who, name, column, values, n, i, j, t) {
    n = split(all[who, name, column], values, " ")
    for (i = 2; i <= n; ++i)
      for (j = i; j > 1 && values[j - 1] + 0 > values[j] + 0; --j) {
        t = values[j]; values[j] = values[j - 1]; values[j - 1] = t
      }
    return values[int((n + 1) / 2)]
  }
  function net(who, name, column) {
    t = median(who, name, column) - median(who, "clock", 2)
    return t > 1 ? t : 1
  }
  { who = FILENAME ~ /ours/ ? 1 : 2
    if (who == 1 && !($1 in known)) { known[$1] = 1; names[++count] = $1 }
    for (c = 2; c <= 4; ++c) all[who, $1, c] = all[who, $1, c] " " $c }
  END {
    split("x p50 p99 p99.9", label, " ")
    printf "%-18s %-6s %12s %12s %8s\n", "ns", "", "ours", "client-go", "ratio"
    for (k = 1; k <= count; ++k)
      for (c = 2; c <= 4; c += 2) {
        if (names[k] == "clock") continue
        a = net(1, names[k], c); b = net(2, names[k], c)
        printf "%-18s %-6s %12d %12d %8.2f\n", names[k], label[c], a, b, a / b
      }
  }' "$out/ours.tsv" "$out/peer.tsv"
