#!/usr/bin/env bash
# Counts the instructions of the hot paths (bench/quick/cases.hpp) with callgrind and compares them
# with bench/quick/reference.tsv. Fails when a path takes more than 5 % more than its reference.
#
#   bench/quick.sh [--update] [NAME...]    --update writes the figures into the reference
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
reference=$root/bench/quick/reference.tsv
tolerance_percent=5

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
[[ -s $figures ]] || {
  echo "quick: callgrind left no figures" >&2
  exit 1
}

if [[ $update -eq 1 ]]; then
  merged=$out/reference.tsv
  # New figures first, so that they win over those that were there.
  { cat "$figures"; [[ ! -e $reference ]] || cat "$reference"; } |
    awk -F '\t' '!seen[$1]++' | sort >"$merged"
  cp "$merged" "$reference"
  echo "quick: wrote $(wc -l <"$figures") figures into bench/quick/reference.tsv"
fi

awk -F '\t' -v tolerance="$tolerance_percent" '
  FNR == NR { reference[$1] = $2; next }
  {
    if (!($1 in reference)) {
      printf "%-20s %10d %s: no reference, run ./dev bench quick --update\n", $1, $2, $3
      failed = 1
      next
    }
    change = ($2 / reference[$1] - 1) * 100
    verdict = change > tolerance ? "  FAILED: more than " tolerance " % above the reference" : ""
    if (change > tolerance) failed = 1
    printf "%-20s %10d %-24s %+6.1f %% of %d%s\n", $1, $2, $3, change, reference[$1], verdict
  }
  END { exit failed }' "$reference" "$figures"
