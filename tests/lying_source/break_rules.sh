#!/usr/bin/env bash
# Breaks our own rules one by one, each by a patch of mutations/, in a copy of the tree, and prints the first seed by
# which lying_source finds it, and what it says. A seed counts that finds nothing in the tree as it is.
#
#   break_rules.sh [RULE...]     all rules, or those whose file names begin so: 01, 12_index
#   break_rules.sh --verify      only that each patch still applies
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
seeds=${KUBE_LYING_SEEDS:-30000} # tried for each rule

die() {
  echo "break_rules: $*" >&2
  exit 1
}

# apply TREE PATCH [PATCH-ARGUMENT...]
apply() {
  patch --directory="$1" --strip=1 --silent --no-backup-if-mismatch --fuzz=2 "${@:3}" <"$2"
}

verify() {
  local patch failed=0
  for patch in "$here"/mutations/*.patch; do
    apply "$root" "$patch" --dry-run >/dev/null && continue
    echo "$(basename "$patch") no longer applies; bring it in line with the code that it breaks" >&2
    failed=1
  done
  return "$failed"
}

# copy_tree: the tree as it stands, its untracked files too; what is not newer is not touched.
copy_tree() {
  mkdir -p "$tree"
  (cd "$root" && git ls-files --cached --others --exclude-standard | while read -r file; do
    [[ ! -f $file ]] || printf '%s\0' "$file"
  done | xargs -0 cp --update --preserve=mode --parents --target-directory="$tree")
  # Of what is broken one file alone is compiled again.
  local alone="set_target_properties(kube_cache PROPERTIES UNITY_BUILD OFF)"
  grep -qxF "$alone" "$tree/modules/cache/CMakeLists.txt" || echo "$alone" >>"$tree/modules/cache/CMakeLists.txt"
}

# keep PATCH, restore PATCH: the files that it changes, as they were.
files_of() { sed -n 's|^+++ b/||p' "$1"; }
keep() {
  rm -rf "$work/kept"
  mkdir -p "$work/kept"
  (cd "$tree" && files_of "$1" | xargs cp --parents --target-directory="$work/kept")
}
restore() {
  local file
  while read -r file; do cp "$work/kept/$file" "$tree/$file"; done < <(files_of "$1")
}

build() {
  cmake --build "$tree/build/release" --target lying_source --parallel "$(nproc)" >"$work/build.log" 2>&1 ||
    { tail -n 30 "$work/build.log" >&2; echo "break_rules: building with $1 failed" >&2; return 1; }
}

# first_seed PROGRAM: the first seed that finds something by PROGRAM, and nothing by the tree as it is.
first_seed() {
  local program=$1 at=0 line seed
  while ((at < seeds)); do
    # The program fails when it finds something, by a signal maybe.
    line=$({ timeout 600 "$program" --stop-after 1 --seeds "$at:$((seeds - at))" || true; } 2>&1 | grep -m 1 -E '^seed [0-9]+: ') || return 1
    seed=${line#seed }
    seed=${seed%%:*}
    if "$work/unbroken" --seed "$seed" >/dev/null 2>&1; then
      echo "$line"
      return
    fi
    at=$((seed + 1))
  done
  return 1
}

[[ ${1:-} != --verify ]] || { verify && exit 0 || exit 1; }

work=$root/build/lying-rules
tree=$work/tree
copy_tree
(cd "$tree" && cmake --preset release >"$work/configure.log" 2>&1) || { cat "$work/configure.log" >&2; die "configuring failed"; }
build "nothing broken"
cp "$tree/build/release/bin/lying_source" "$work/unbroken"

missed=0
for patch in "$here"/mutations/*.patch; do
  name=$(basename "$patch" .patch)
  if [[ $# -gt 0 ]]; then
    wanted=0
    for rule in "$@"; do [[ $name != "$rule"* ]] || wanted=1; done
    [[ $wanted -eq 1 ]] || continue
  fi
  keep "$patch"
  apply "$tree" "$patch" || die "$name does not apply"
  build "$name" || { restore "$patch"; exit 1; }
  cp "$tree/build/release/bin/lying_source" "$work/broken"
  restore "$patch"
  if line=$(first_seed "$work/broken"); then
    printf '%-36s %s\n' "$name" "$line"
  else
    printf '%-36s not found by %s seeds\n' "$name" "$seeds"
    missed=1
  fi
done
exit "$missed"
