#!/usr/bin/env bash
# bad_objects.sh [--pods N] [--rounds N]: an informer of 100,000 pods of which 100 can't be decoded, with a transform and a
# handler of 10 ms, beside the same without the 100, and beside client-go; each run is a process of its own, in turns, on one server.
# Exit status 1 when the list with the 100 takes more than 1.1 times as long as the other one (the best of the rounds), or
# when one good pod is not served, or one bad one is not named in status, metric and log.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
ours=$root/build/release/bin/bad_objects
out=$root/build/bench/informers
pods=100000
rounds=10
while (($#)); do
  case $1 in
    --pods) pods=$2 ;;
    --rounds) rounds=$2 ;;
    *)
      echo "bad_objects: unknown argument '$1'; expected --pods N or --rounds N" >&2
      exit 2
      ;;
  esac
  shift 2
done
bad=$(((pods + 499) / 1000)) # those whose number ends in 500
((pods > 0 && bad <= 200)) || {
  echo "bad_objects: expected --pods from 1 to 200500, found $pods; the status names 200 bad ones" >&2
  exit 2
}
work=$(mktemp -d)
server=
finish() {
  [[ -z $server ]] || kill "$server" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

# Its input ends with this script.
: >"$work/urls"
mkfifo "$work/input"
exec {input}<>"$work/input"
"$ours" --serve --pods "$pods" >"$work/urls" <"$work/input" {input}<&- &
server=$!
until read -r _ good_url bad_url <"$work/urls"; do
  kill -0 "$server"
  sleep 0.1
done

peer=
if ! command -v go >/dev/null; then
  echo "client-go is left out: Go is not installed."
elif (cd "$root/bench/peers/informers" && go build -mod=readonly -trimpath -o "$out/" ./bad_objects); then
  peer=$out/bad_objects
else
  echo "client-go is left out: it did not build."
fi

for ((round = 0; round < rounds; ++round)); do
  # Each is the first one in every other round.
  ((round % 2)) || "$ours" --server "$good_url" --pods "$pods" >>"$work/good"
  "$ours" --server "$bad_url" --pods "$pods" >>"$work/bad"
  ((round % 2 == 0)) || "$ours" --server "$good_url" --pods "$pods" >>"$work/good"
done
if [[ -n $peer ]]; then
  "$peer" "$good_url" 600 >"$work/peer-good"
  # As long as ten good lists take, and at least half a minute.
  "$peer" "$bad_url" "$(awk '{ print int($1 * 10) + 30 }' "$work/peer-good")" >"$work/peer-bad"
  awk -F '\t' -v pods="$pods" -v bad="$bad" '
    { what = $1 > 0 ? sprintf("synced in %.2f s", $1) : "never synced"
      printf "%-22s%s, %d of %d pods served", FNR == NR ? "client-go, all good:" : "client-go, " bad " bad:", what, $2, pods
      print ($3 > 0 ? "; failures: " $3 ", the last: " substr($4, 1, 200) : "") }' "$work/peer-good" "$work/peer-bad"
fi
awk -F '\t' -v pods="$pods" -v bad="$bad" '
  FNR == 1 { ++file }
  { for (c = 1; c <= 2; ++c) if (FNR == 1 || $c < best[file, c]) best[file, c] = $c
    expected = file == 2 ? bad : 0
    if ($3 != pods - expected || $4 != expected || $5 != expected || $6 != expected) wrong = 1
    served[file] = $3; names = $4 " in the status, " $5 " in the metric, " $6 " in the log" }
  END {
    form = "%-22ssynced in %.2f s (%.2f s of processors), %d of %d pods served"
    printf form "\n", "ours, all good:", best[1, 1], best[1, 2], served[1], pods
    printf form "; named: %s\n", "ours, " bad " bad:", best[2, 1], best[2, 2], served[2], pods, names
    ratio = best[2, 1] / best[1, 1]
    printf "ratio %.3f (%.3f of processors), expected at most 1.1\n", ratio, best[2, 2] / best[1, 2]
    if (wrong) print "a count is wrong"
    exit wrong || ratio > 1.1
  }' "$work/good" "$work/bad"
