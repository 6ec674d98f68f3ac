#!/usr/bin/env bash
# Compares the figures of paths with their references. Both files have a line for each path: name,
# figure and unit, with tabs between them. Fails when a figure is more than 5 % above its reference,
# when a path has no reference, and when there is no figure at all.
#
#   bench/quick/compare.sh FIGURES REFERENCE
set -euo pipefail

awk -F '\t' -v tolerance=5 '
  reading == "reference" { reference[$1] = $2; next }
  { compared = 1 }
  !($1 in reference) {
    printf "%-20s %10d %s: no reference, run ./dev bench quick --update\n", $1, $2, $3
    failed = 1
    next
  }
  {
    above = $2 * 100 > reference[$1] * (100 + tolerance)
    if (above) failed = 1
    verdict = above ? "  FAILED: more than " tolerance " % above the reference" : ""
    change = ($2 / reference[$1] - 1) * 100
    printf "%-20s %10d %-24s %+6.1f %% of %d%s\n", $1, $2, $3, change, reference[$1], verdict
  }
  END {
    if (!compared) print "no figures to compare"
    exit failed || !compared
  }' reading=reference "$2" reading=figures "$1"
