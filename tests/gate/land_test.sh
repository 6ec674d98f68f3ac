#!/usr/bin/env bash
# Whether scripts/land.sh moves main to what passes alone: on a repository of its own, whose .ci/run is a line.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@t GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@t
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
git init -q -b main "$work/checkout"
cd "$work/checkout"
mkdir .ci
echo build >.gitignore

# commit LINE: what .ci/run does from now on.
commit() {
  # shellcheck disable=SC2016  # for .ci/run
  printf 'cd "$(dirname "$0")/.."\n%s\n' "$1" >.ci/run
  git add -A
  git commit -qm "$1"
}

# land: what it prints is in `out`, and its status is returned.
land() {
  local status=0
  # shellcheck disable=SC2016  # for the inner shell
  bash -c 'set -euo pipefail; die() { echo "$1" >&2; exit 1; }; source "$1/scripts/land.sh"; land' land "$root" \
    >"$work/out" 2>&1 || status=$?
  return "$status"
}

failed=0
fail() { echo "$1" && cat "$work/out" && failed=1; }
# expect WHAT LINE
expect() { grep -qF -- "$2" "$work/out" || fail "$1: there is no line with \"$2\" in:"; }
# is_main WHAT COMMIT
is_main() { [[ $(git rev-parse main) == "$2" ]] || fail "$1: main is elsewhere"; }

commit 'exit 0'
first=$(git rev-parse HEAD)
! land || fail "main itself lands"
expect "main" "work on a branch"

git switch -qc work
commit 'echo what fails says; exit 1'
! land || fail "what does not pass lands"
expect "broken" "what fails says"
expect "broken" "main stays at ${first:0:7}"
is_main "broken" "$first"
[[ ! -e build/land/passed ]] || fail "what did not pass is noted"

echo 'exit 0' >.ci/run
! land || fail "what is not committed lands"
expect "not committed" "commit or stash first"

# The clone has what is committed, and nothing else.
touch build/left
commit '[[ ! -e build/left ]] || exit 1'
second=$(git rev-parse HEAD)
land || fail "what passes does not land"
is_main "passes" "$second"
[[ $(cat build/land/passed) == "$second" ]] || fail "what passed is not noted"

git switch -qc behind "$first"
commit 'exit 0 # behind'
! land || fail "a branch without main lands"
expect "behind" "behind does not contain main"
is_main "behind" "$second"

# Main moves while .ci/run runs.
git switch -q work
commit "git -C '$PWD' update-ref refs/heads/main $first"
! land || fail "main moves though it has moved"
is_main "moved" "$first"

exit "$failed"
