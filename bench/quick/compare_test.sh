#!/usr/bin/env bash
# compare_test.sh: compare.sh lets pass what it should, and names each path that it refuses.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT

# compare STATUS TEXT FIGURES REFERENCE: the last two as "path figure ..."; TEXT is in the output.
compare() {
  local status=0 output
  # shellcheck disable=SC2086  # the words are the arguments
  printf '%s\t%s\tinstructions a pod\n' $3 | grep -P '^\w' >"$files/figures" || true
  # shellcheck disable=SC2086
  printf '%s\t%s\tinstructions a pod\n' $4 | grep -P '^\w' >"$files/reference" || true
  output=$("$here/compare.sh" "$files/figures" "$files/reference" 2>&1) || status=$?
  if [[ $status -ne $1 ]] || ! grep -qE -- "$2" <<<"$output"; then
    printf 'figures "%s", reference "%s": status %d, and not %d with "%s":\n%s\n' \
      "$3" "$4" "$status" "$1" "$2" "$output"
    exit 1
  fi
}

compare 0 '^list +1000 .* \+0\.0 % of 1000$' "list 1000 store 300" "list 1000 store 300"
compare 0 '^list +500 .* -50\.0 % of 1000$' "list 500" "list 1000"
compare 0 '^list +1050 .* \+5\.0 % of 1000$' "list 1050" "list 1000"
compare 1 '^list +1051 .*FAILED: more than 5 % above' "list 1051" "list 1000"
compare 1 '^list +1060 .* \+6\.0 % of 1000  FAILED' "list 1060 store 300" "list 1000 store 300"
compare 1 '^store +318 .* FAILED' "list 1000 store 318" "list 1000 store 300"
compare 1 '^store +300 .*: no reference, run ' "list 1000 store 300" "list 1000"
compare 1 '^list +1000 .*: no reference, run ' "list 1000" ""
compare 1 '^no figures to compare$' "" "list 1000"
compare 0 '^list ' "list 1000" "list 1000 store 300"
