# shellcheck shell=bash
# ./dev nightly: what is too slow for .ci/run, or judges the machine. Sourced by ./dev.

# In the order in which they run: what finds faults of the software first.
nightly_steps=(slow-tests asan tsan headers tidy no-unity flags package lying simulate rules fuzz quick memory memory-protobuf
  scenarios parity readers restarts page figures debian13)

nightly_usage() {
  cat <<'END'
usage: ./dev nightly [--from STEP] [STEP...]     all steps, those from one on, or the named ones

A step that fails does not end the run. Each has a log, build/nightly/STEP.log; the table at the end is build/nightly/table,
and the exit status is 0 when no step failed. The table keeps the rows of other steps that ran on the same commit. The run
ends when the checkout changes below it: let it have a worktree of its own while you work.

  slow-tests       the tests that ./dev test leaves out, which are those with the label nightly
  asan, tsan       the tests under sanitizers
  headers, tidy, no-unity, flags, package     as ./dev check
  lying            20,000 new seeds of tests/lying_source, 2,000 with a cache server, and its rules broken on purpose
  simulate         20,000 new seeds of the simulation
  rules            five of the simulation's rules broken on purpose, other ones each day
  fuzz             each fuzzer for a minute
  quick            instructions of the hot paths against their reference
  memory, memory-protobuf                     bench_informer_memory in both encodings
  scenarios        the scenarios on a real kube-apiserver, and kubecpp beside kubectl
  parity           kube-apiserver beside its recordings in tests/parity, and both servers under changes that the commit draws
  readers          kubecpp serve on a real kube-apiserver, read by client-go and kubectl
  restarts         the same readers, while kube-apiserver and kubecpp serve are killed and started again
  page             the page of kubecpp serve in Chromium
  figures          what requests cost, as a table; faults that last for 20 seconds, within the bounds of the tests
  debian13         build and tests on Debian 13, in a chroot
END
}

night_slow-tests() {
  build release
  ctest --preset release --parallel "$(nproc)" --no-tests=error -L nightly
}
night_asan() { ./dev check asan; }
night_tsan() { ./dev check tsan; }
night_headers() { ./dev check headers; }
night_tidy() { ./dev check tidy; }
night_no-unity() { ./dev check no-unity; }
night_flags() { ./dev check flags; }
night_package() { ./dev check package; }
night_lying() {
  build release lying_source
  build/release/bin/lying_source --part 0:1:20000
  build/release/bin/lying_source --served --part 0:1:2000
  ./dev lying-rules
}
night_simulate() { ./dev simulate --new 20000; }
night_rules() { ./dev simulate-rules --today 5; }
night_fuzz() { ./dev fuzz all 60; }
night_quick() { ./dev bench quick; }
night_memory() { ./dev bench bench_informer_memory; }
night_memory-protobuf() { ./dev bench bench_informer_memory --protobuf; }

# Without a cluster's environment the programs would take the embedded server, or skip what needs kubectl.
night_scenarios() {
  local environment status=0
  build release scenarios kubecpp_test kubeconfigs_test
  ./dev cluster up --audit
  environment=$(./dev cluster env)
  # By &&, since bash ignores `set -e` before ||.
  (
    eval "$environment" && [[ -r $KUBE_SCENARIO_KUBECONFIG ]] && build/release/bin/scenarios &&
      unset KUBE_SCENARIO_KUBECONFIG && build/release/bin/kubecpp_test --gtest_filter='*Kubectl*' &&
      build/release/bin/kubeconfigs_test
  ) 2>&1 | tee build/nightly/scenarios.out || status=1
  ./dev cluster down
  if grep -q '^\[  SKIPPED \]' build/nightly/scenarios.out; then
    echo "a test did not run"
    return 1
  fi
  return "$status"
}
night_parity() {
  ./dev parity diff --real
  ./dev parity explore "$(git rev-parse HEAD)"
}
night_readers() { ./dev readers; }
night_restarts() { ./dev restarts; }
night_page() { ./dev page build/nightly/page; }
night_figures() {
  ./dev bench server_bounds
  build release fault_scenarios
  build/release/bin/fault_scenarios --seconds 20
}
night_debian13() { scripts/debian13.sh; }

# What the table is about, as its first line says.
nightly_subject() {
  echo "nightly on $(git log -1 --format='%h %s')$(git diff --quiet HEAD || echo ', with changes that are not committed')"
}

# nightly_row STEP RESULT SECONDS
nightly_row() { printf '%-16s %-8s %6s\n' "$@"; }

nightly() {
  local steps=() known=" ${nightly_steps[*]} " from="" word step started status failed=0 table=build/nightly/table subject rows
  while [[ $# -gt 0 ]]; do
    word=$1
    shift
    case $word in
      help | -h | --help) nightly_usage && return ;;
      --from)
        [[ $# -gt 0 ]] || die "--from needs a step"
        from=$1
        word=$1
        shift
        ;;
      *) steps+=("$word") ;;
    esac
    [[ $known == *" $word "* ]] || die "unknown step '$word'; expected one of: ${nightly_steps[*]}"
  done
  [[ -z $from || ${#steps[@]} -eq 0 ]] || die "expected --from or steps, found both"
  if [[ ${#steps[@]} -eq 0 ]]; then
    for step in "${nightly_steps[@]}"; do
      [[ -z $from || $step == "$from" || ${#steps[@]} -gt 0 ]] && steps+=("$step")
    done
  fi
  need_packages "the nightly run" build check

  mkdir -p build/nightly
  subject=$(nightly_subject)
  rows=$(
    [[ -e $table && $(head -n 1 "$table") == "$subject" ]] || exit 0
    tail -n +3 "$table" | grep -vE "^($(IFS='|' && echo "${steps[*]}")) " || true
  )
  {
    echo "$subject"
    nightly_row step result seconds
    [[ -z $rows ]] || echo "$rows"
  } >"$table"
  for step in "${steps[@]}"; do
    echo "== nightly $step (log: build/nightly/$step.log)"
    started=$SECONDS
    # Not inside an `if` or `||`, where bash would ignore `set -e`.
    set +e
    (
      set -e
      "night_$step"
    ) >"build/nightly/$step.log" 2>&1 </dev/null
    status=$?
    set -e
    [[ $(nightly_subject) == "$subject" ]] || die "the checkout has changed since the run began, which was $subject"
    if [[ $status -eq 0 ]]; then
      word=passed
    else
      word=FAILED failed=1
      tail -n 20 "build/nightly/$step.log"
    fi
    nightly_row "$step" "$word" "$((SECONDS - started))" | tee -a "$table"
  done
  echo
  cat "$table"
  return "$failed"
}
