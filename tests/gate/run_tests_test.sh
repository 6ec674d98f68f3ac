#!/usr/bin/env bash
# Whether scripts/tests.sh tells flaky tests from broken ones: on a project of scripts, in a folder of its own.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cat >CMakePresets.json <<'END'
{
  "version": 6,
  "configurePresets": [{ "name": "release", "binaryDir": "${sourceDir}/build/release", "generator": "Ninja" }],
  "testPresets": [{ "name": "release", "configurePreset": "release", "output": { "outputOnFailure": true } }]
}
END

# project TEST...: makes a project with the tests; each is a script of its name in the folder.
project() {
  rm -rf build once
  printf 'cmake_minimum_required(VERSION 3.25)\nproject(gate LANGUAGES NONE)\nenable_testing()\n' >CMakeLists.txt
  local test
  # shellcheck disable=SC2016  # for cmake
  for test in "$@"; do
    printf 'add_test(NAME "%s" COMMAND bash "${PROJECT_SOURCE_DIR}/%s")\n' "$test" "${test%%.*}" >>CMakeLists.txt
  done
  cmake --preset release >log 2>&1 || { cat log && exit 1; }
}
echo 'exit 0' >right
echo 'echo "what always fails says"; exit 1' >broken
# Fails until it has been run.
echo "[[ -e $work/once ]] && echo 'what passes then says' && exit 0; touch $work/once; echo 'what fails once says'; exit 1" >flaky

# run: what run_tests prints is in `out`, and its status is returned. In a process of its own, so that `set -e` counts.
run() {
  local status=0
  bash -c 'set -euo pipefail; source "$1/scripts/tests.sh"; run_tests release' run "$root" >out 2>&1 || status=$?
  return "$status"
}

failed=0
# expect WHAT LINE...: of each of the lines one is in `out`.
expect() {
  local what=$1 line
  shift
  for line in "$@"; do
    grep -qF -- "$line" out && continue
    printf '%s: there is no line "%s" in:\n' "$what" "$line"
    cat out
    failed=1
  done
}
refuse() { echo "$1" && cat out && failed=1; }

project right
run || refuse "a run without a failure fails"
expect "all pass" "100% tests passed, 0 tests failed out of 1"
! grep -q flaky out || refuse "a test that passed is flaky"

project right flaky.test
run || refuse "a run fails though its test passed when it ran again"
expect "flaky" "what fails once says" "what passes then says" "flaky: flaky.test"
[[ $(tail -n 2 out | head -n 1) == "100% tests passed, 0 tests failed out of 2" ]] || refuse "the last lines do not count all tests"

project right broken.test flaky.test
! run || refuse "a run passes though a test failed twice"
expect "broken" "what always fails says" "failed twice: broken.test"
! grep -q 'failed twice: flaky' out || refuse "a flaky test is said to have failed twice"

mapfile -t many < <(seq -f 'broken.%g' 21)
project "${many[@]}"
! run || refuse "a run passes though all tests failed"
expect "many" "failed: broken.1" "failed: 21 tests, more than the 20 that run again"

exit "$failed"
