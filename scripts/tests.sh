# shellcheck shell=bash
# How ./dev runs tests by ctest. Sourced by ./dev.

# More than this many failures are a fault, not chance: the run fails without trying them again.
max_rerun=20

# run_tests PRESET [CTEST-ARGUMENT...]: a test that failed runs again, once and with nothing beside it: one that passes then is
# named as flaky in the last lines, one that fails again fails the run. All that these tests print is in the log, both times.
run_tests() {
  local preset=$1 log=build/$1.tests.log names failed=build/$1/Testing/Temporary/LastTestsFailed.log
  shift
  if ctest --preset "$preset" --parallel "$(nproc)" --no-tests=error "$@" 2>&1 | tee "$log"; then return; fi
  # A run that ended before its tests leaves the list of an earlier one. Its lines are "12:name".
  grep -q '^The following tests FAILED:' "$log" || return 1
  mapfile -t names < <(cut -d: -f2- "$failed")
  if [[ ${#names[@]} -gt $max_rerun ]]; then
    printf 'failed: %s\n' "${names[@]}"
    echo "failed: ${#names[@]} tests, more than the $max_rerun that run again"
    return 1
  fi
  echo "== ${#names[@]} failed and run again, one after the other: ${names[*]}"
  if ! ctest --preset "$preset" --parallel 1 --rerun-failed --verbose; then
    mapfile -t names < <(cut -d: -f2- "$failed")
    printf 'failed twice: %s\n' "${names[@]}"
    return 1
  fi
  # What ctest says at the end of a whole run, after which each flaky test has its line.
  grep -E '^[0-9]+% tests passed' "$log" |
    sed -E 's/^[0-9]+% tests passed, [0-9]+ tests failed out of/100% tests passed, 0 tests failed out of/'
  printf 'flaky: %s\n' "${names[@]}"
}
