#!/usr/bin/env bash
# Counts the instructions of the hot paths (bench/quick/cases.hpp) with callgrind and compares them
# with bench/quick/reference.tsv. Fails when a path takes too much more (bench/quick/compare.sh).
#
#   bench/quick.sh [--update] [NAME...]    --update writes the figures into the reference
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
reference=$root/bench/quick/reference.tsv

update=0
if [[ ${1:-} == --update ]]; then
  update=1
  shift
fi

out=$root/build/bench/quick
rm -rf "$out"
mkdir -p "$out"
# Every thread counts: the embedded server has its own.
valgrind --tool=callgrind --callgrind-out-file="$out/dump" --fair-sched=yes -q \
  "$root/build/release/bin/quick" "$@" >"$out/log" 2>&1 || {
  cat "$out/log" >&2
  echo "quick: the program failed" >&2
  exit 1
}

# Each dump names its case, its count and its unit, and has its sum: instructions a unit.
figures=$out/figures.tsv
for dump in "$out"/dump.[0-9]*; do
  [[ -e $dump ]] || continue
  awk -v OFS='\t' '
    /^desc: Trigger: Client Request: / { name = $5; count = $6; unit = $7 }
    /^(summary|totals): / { sum = $2 }
    END { if (name != "") printf "%s\t%.0f\tinstructions a %s\n", name, sum / count, unit }' "$dump"
done | sort >"$figures"

if [[ $update -eq 1 ]]; then
  merged=$out/reference.tsv
  # New figures first, so that they win over those that were there.
  { cat "$figures"; [[ ! -e $reference ]] || cat "$reference"; } |
    awk -F '\t' '!seen[$1]++' | sort >"$merged"
  cp "$merged" "$reference"
  echo "quick: wrote $(wc -l <"$figures") figures into bench/quick/reference.tsv"
fi

"$root/bench/quick/compare.sh" "$figures" "$reference"
