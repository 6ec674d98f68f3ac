#!/usr/bin/env bash
# fault_list.sh ROOT REAL_THREADS: fails unless docs/fault-list.md has a row for each fault, and the tests that its rows name
# exist. A row names tests in backquotes: `Suite.Test`, `fault_scenarios NAME`, `lying_source LIE`, `real_threads F-NN`.
set -euo pipefail

root=$1
real_threads=$2
page=$root/docs/fault-list.md
failed=0

complain() {
  echo "$page: $*" >&2
  failed=1
}

numbers() { printf 'F-%s\n' {01..13} {20..38} {40..56} {60..71}; }

# shellcheck disable=SC2016  # the page's quotes
tests_of() {
  grep -oE '`([A-Za-z0-9_]+\.[A-Za-z0-9_]+|(fault_scenarios|lying_source|real_threads) [A-Za-z0-9-]+)`' <<<"$1" | tr -d '`'
}

# The suites are many, so their sources are read once.
suites=$(grep -rhoE '^TEST(_F|_P)?\([A-Za-z0-9_]+, [A-Za-z0-9_]+' --include='*_test.cpp' "$root/modules" "$root/tests" |
  sed -E 's/^TEST(_F|_P)?\(([A-Za-z0-9_]+), ([A-Za-z0-9_]+)/\2.\3/')
injected=$("$real_threads" --list | cut -f1 | grep '^F-')

exists() {
  case $1 in
    fault_scenarios\ *) grep -qF "| \`${1#* }\` |" "$root/docs/faults.md" ;;
    lying_source\ *) grep -qwF "${1#* }" "$root/tests/lying_source/lies.hpp" ;;
    real_threads\ *) grep -qxF "${1#* }" <<<"$injected" ;;
    *) grep -qxF "$1" <<<"$suites" ;;
  esac
}

while read -r number; do
  row=$(grep -E "^\| $number \|" "$page" || true)
  if [[ $(grep -c . <<<"$row") -ne 1 ]]; then
    complain "$number: expected one row"
    continue
  fi
  tests=$(tests_of "$row" || true)
  [[ -n $tests || $row == *"not in the library"* ]] || complain "$number: names no test"
  while read -r name; do
    [[ -z $name ]] || exists "$name" || complain "$number: there is no test \"$name\""
  done <<<"$tests"
  if grep -qxF "$number" <<<"$injected"; then
    grep -qxF "real_threads $number" <<<"$tests" || complain "$number: real_threads injects it, and its row does not say so"
  fi
done < <(numbers)

while read -r number; do
  grep -qxF "$number" <(numbers) || complain "$number: real_threads injects it, and it is no fault"
done <<<"$injected"

exit "$failed"
