# shellcheck shell=bash
# ./dev land: main moves only to a commit that has passed .ci/run in a fresh clone. Sourced by ./dev.

land() {
  local branch commit main clone=build/land/tree shared
  branch=$(git symbolic-ref --quiet --short HEAD) || die "check out the branch that is to land; HEAD is on none"
  [[ $branch != main ]] || die "work on a branch: main is not to be ahead of what has passed"
  [[ -z $(git status --porcelain --untracked-files=no) ]] ||
    die "commit or stash first: what is not committed does not land, and would look as if it had"
  commit=$(git rev-parse HEAD)
  main=$(git rev-parse --verify --quiet refs/heads/main) || die "there is no branch main"
  git merge-base --is-ancestor "$main" "$commit" ||
    die "$branch does not contain main ($(git rev-parse --short main)): rebase it, or merge main into it"
  if git worktree list --porcelain | grep -qxF 'branch refs/heads/main'; then
    die "main is checked out in another worktree, whose files would no longer be those of main"
  fi

  mkdir -p build/land
  exec 7>build/land/lock
  flock -n 7 || die "another landing is under way"
  # The ccache outlives the clone.
  [[ -n ${CCACHE_DIR:-} || -w ${HOME:-/nonexistent} ]] || export CCACHE_DIR=$PWD/build/ccache
  rm -rf "$clone"
  git clone --quiet --no-checkout . "$clone"
  git -C "$clone" checkout --quiet --detach "$commit"
  # Tests read recorded objects beside the checkout, where they are there.
  shared=../shared
  [[ ! -d $shared ]] || ln -sfn "$(realpath "$shared")" build/land/shared

  echo "== land $branch: .ci/run on $(git log -1 --format='%h %s' "$commit") in $clone"
  if ! CI=true bash "$clone/.ci/run" </dev/null 2>&1 | tee build/land/log; then
    die "$branch did not pass; main stays at $(git rev-parse --short main). The log: build/land/log"
  fi
  # Fails when somebody moved main in the meantime.
  git update-ref -m "land $branch" refs/heads/main "$commit" "$main" ||
    die "main has moved while .ci/run ran; merge it and land again"
  echo "$commit" >build/land/passed
  echo "== main is $(git rev-parse --short main)"
}
