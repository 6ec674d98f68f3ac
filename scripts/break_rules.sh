#!/usr/bin/env bash
# Breaks our own rules one by one, each by an edit of a test's folder mutations/, in a copy of the tree, and prints the
# first seed by which the test's program finds it, and what it says. A seed counts that finds nothing in the tree as it is.
#
#   break_rules.sh PROGRAM [RULE...]   all rules, or those whose file names begin so: 01, 12_store
#   break_rules.sh PROGRAM --search [RULE...]   whatever the table says; prints the rows that it should have
#   break_rules.sh PROGRAM --today N   N of the rules that have figures, other ones each day
#   break_rules.sh PROGRAM --verify    only that each edit still applies, and that the table has a row for each
#
# PROGRAM: lying_source (tests/lying_source), or simulate (tests/simulation). The latter's table is in docs/simulation.md:
# each edit is found within the seeds of its row, in the scenario of its row, so that other scenarios change nothing. One
# whose seeds are "?" is searched for in all.
# Without --search it fails when one is not.
# KUBE_RULE_SEEDS: how many seeds a search tries for each rule.
#
# An edit has a line that says the rule, one that names a file, and a text between <<<< and ==== that becomes the one
# between ==== and >>>>.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

die() {
  echo "break_rules: $*" >&2
  exit 1
}

program=${1:-}
# seeds_from FIRST COUNT: the program's arguments for these seeds.
case $program in
  lying_source)
    edits=$root/tests/lying_source/mutations table="" tries=30000
    seeds_from() { echo --seeds "$1:$2"; }
    ;;
  simulate)
    edits=$root/tests/simulation/mutations table=$root/docs/simulation.md tries=3000
    seeds_from() { echo --brief --processes 1 --seeds "$1..$(($1 + $2 - 1))"; }
    ;;
  *) die "unknown program '$program'; expected lying_source or simulate" ;;
esac
shift
tries=${KUBE_RULE_SEEDS:-$tries}

mode=check today=0
case ${1:-} in
  --verify | --search) mode=${1#--} && shift ;;
  --today) today=${2:?how many} && shift 2 ;;
  --*) die "unknown option '$1'" ;;
esac
# Without a table each rule is searched for.
[[ -n $table || $mode == verify ]] || mode=search

file_of() { sed -n 2p "$1"; }

# edited EDIT: the file as it becomes.
edited() {
  perl -e '
    my ($tree, $edit) = @ARGV;
    local $/;
    open(my $in, "<", $edit) or die; my $text = <$in>;
    my (undef, $file, $old, $new) = $text =~ /\A(.*?)\n(.*?)\n<<<<\n(.*)\n====\n(.*)\n>>>>\n\z/s or die "$edit: not an edit\n";
    open(my $source, "<", "$tree/$file") or die "$edit: no file $file\n"; my $code = <$source>;
    my $at = index($code, $old);
    die "$edit no longer applies; bring it in line with the code that it breaks\n" if $at < 0;
    substr($code, $at, length($old)) = $new;
    print $code;' "$root" "$1"
}

# rows: "name bound scenario" of each row of the table.
rows() { awk -F ' *[|] *' '$2 ~ /^`[0-9]+_/ { gsub(/`/, ""); print $2, $4, $5 }' "$table"; }

verify() {
  local edit failed=0
  for edit in "$edits"/*.edit; do edited "$edit" >/dev/null || failed=1; done
  if [[ -n $table ]] && ! diff <(rows | cut -d' ' -f1) <(basename -s .edit "$edits"/*.edit); then
    echo "break_rules: $table (<) and $edits (>) have other rules" >&2
    failed=1
  fi
  return "$failed"
}

if [[ $mode == verify ]]; then
  verify
  exit
fi

# copy_tree: the tree as it stands, its untracked files too. What has the same content is not touched; the time says nothing,
# since a run that was interrupted has left a broken file that is newer than the right one.
copy_tree() {
  mkdir -p "$tree"
  (cd "$root" && git ls-files --cached --others --exclude-standard | while read -r file; do
    [[ ! -f $file ]] || cmp -s "$file" "$tree/$file" || printf '%s\0' "$file"
  done | xargs -0 --no-run-if-empty cp --preserve=mode --parents --target-directory="$tree")
  # What is broken is compiled alone, and may have warnings. All else has the flags of the tree itself: ccache knows it.
  local file alone
  for file in $(for edit in "$edits"/*.edit; do file_of "$edit"; done | grep '[.]cpp$' | sort -u); do
    alone="set_source_files_properties(${file#modules/*/} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS -Wno-error)"
    file=$tree/${file%%/src/*}/CMakeLists.txt
    grep -qxF "$alone" "$file" || echo "$alone" >>"$file"
  done
}

# build NAME-OF-THE-STATE PROGRAM-COPY
build() {
  if ! cmake --build "$tree/build/release" --target "$program" --parallel "$(nproc)" >"$work/build.log" 2>&1; then
    grep -m 5 error "$work/build.log" >&2
    echo "break_rules: building with $1 failed" >&2
    return 1
  fi
  cp "$tree/build/release/bin/$program" "$2"
}

# first_seed PROGRAM-COPY SEEDS [ARGUMENT...]: the line of the first of the seeds that finds something by it, and nothing by
# the tree as it is.
first_seed() {
  local at=0 line seed broken=$1 count=$2
  shift 2
  while ((at < count)); do
    # The program fails when it finds something, by a signal maybe.
    # shellcheck disable=SC2046  # several arguments
    line=$({ timeout 900 "$broken" --stop-after 1 "$@" $(seeds_from "$at" "$((count - at))") || true; } 2>&1 |
      grep -m 1 -E '^seed [0-9]+[ :]') || return 1
    seed=${line#seed }
    seed=${seed%%[ :]*}
    if "$work/unbroken" "$@" --seed "$seed" >/dev/null 2>&1; then
      echo "$line"
      return
    fi
    at=$((seed + 1))
  done
  return 1
}

# row NAME LINE: the row of the table for a rule that a seed in turns has found: "seed 7 (informer): its rule: what".
row() {
  local bound seed=${2#seed } scenario=${2#*(} rule=${2#*): }
  seed=${seed%% *} scenario=${scenario%%)*} rule=${rule%%: *}
  for bound in 10 30 100 300 1000 3000 10000; do ((seed >= bound)) || break; done
  # shellcheck disable=SC2016  # of Markdown
  printf '| `%s` | %s | %s | `%s` | %s |\n' "$1" "$(sed -n 1p "$edits/$1.edit")" "$bound" "$scenario" "$rule"
}

# search NAME: by all scenarios in turns.
search() {
  local line
  if ! line=$(first_seed "$work/broken" "$tries"); then
    printf '%-48s not found by %s seeds\n' "$1" "$tries"
    return 1
  fi
  if [[ -n $table ]]; then row "$1" "$line"; else printf '%-48s %s\n' "$1" "$line"; fi
}

# check_row NAME: by the seeds and the scenario of its row.
check_row() {
  local bound scenario line
  read -r bound scenario < <(rows | sed -n "s/^$1 //p")
  [[ -n ${scenario:-} ]] || { echo "$1 has no row in $table" && return 1; }
  if [[ $bound == '?' ]]; then
    search "$1"
    return
  fi
  if ! line=$(first_seed "$work/broken" "$bound" --scenario "$scenario"); then
    printf '%-48s NOT FOUND by %s seeds of %s, as %s says\n' "$1" "$bound" "$scenario" "$table"
    return 1
  fi
  printf '%-48s %s\n' "$1" "$line"
}

# todays: the names of today's rules; of a table's those that have figures.
todays() {
  local all i day=$(($(date +%s) / 86400))
  if [[ -n $table ]]; then
    mapfile -t all < <(rows | awk '$2 != "?" { print $1 }')
  else
    mapfile -t all < <(basename -s .edit "$edits"/*.edit)
  fi
  for ((i = 0; i < today; ++i)); do echo "${all[$(((day * today + i) % ${#all[@]}))]}"; done
}

# wanted NAME [RULE...]
wanted() {
  local rule
  [[ $# -gt 1 ]] || return 0
  for rule in "${@:2}"; do [[ $1 != "$rule"* ]] || return 0; done
  return 1
}

picked=()
work=$root/build/broken-rules/$program
tree=$work/tree
copy_tree
(cd "$tree" && cmake --preset release >"$work/configure.log" 2>&1) || { cat "$work/configure.log" >&2; die "configuring failed"; }
build "nothing broken" "$work/unbroken" || exit 1

[[ $today -eq 0 ]] || mapfile -t picked < <(todays)
missed=0
for edit in "$edits"/*.edit; do
  name=$(basename "$edit" .edit)
  wanted "$name" "$@" "${picked[@]}" || continue
  file=$(file_of "$edit")
  edited "$edit" >"$work/edited"
  cp "$work/edited" "$tree/$file"
  built=1
  build "$name" "$work/broken" || built=0
  cp "$root/$file" "$tree/$file"
  if [[ $built -eq 0 ]]; then
    missed=1
  elif [[ $mode == search ]]; then
    search "$name" || missed=1
  else
    check_row "$name" || missed=1
  fi
done
exit "$missed"
