#!/usr/bin/env bash
# paths.sh ROOT COMPILE_COMMANDS: fails unless what documents name exists: the targets of links, paths in
# backquotes that begin with a folder of the root, and the programs of build/release/bin.
set -euo pipefail

root=$1
compile_commands=$2
failed=0
count=0

complain() {
  echo "$*" >&2
  failed=1
}

# links FILE: "LINE<TAB>TARGET" of each link to a file; code is no link.
links() {
  awk '/^ *```/ { inside = !inside } { print inside ? "" : $0 }' "$1" | grep -noE '\]\([^)# ]+\)' | sed -E 's/^([0-9]+):\]\(([^)#]*).*\)$/\1\t\2/' |
    grep -vE $'\t(https?:|mailto:)' || true
}

# paths FILE: "LINE<TAB>PATH" of each path of the repository, in prose and in shell blocks. What holds a
# pattern or a placeholder is no path, and apps/v1 is an API group.
paths() {
  grep -noE '(^|[` (])(modules|apps|examples|tests|docs|cmake|scripts|bench|build/release)/[A-Za-z0-9_./<>*{},-]*' "$1" |
    sed -E 's/^([0-9]+):[` (]*(.*)$/\1\t\2/; s/[.,]+$//' | grep -vE $'[<>*{}]|\tapps/v[0-9]' || true
}

# in_tree DOCUMENT PATH: from the root, from the document's folder, or "tests/x_test.cpp" of some module; a
# decision may go by its number.
in_tree() {
  [[ -e $root/$2 || -e $(dirname "$1")/$2 || -n $(compgen -G "$root/modules/*/$2") ||
    ($2 =~ ^docs/decisions/[0-9]{4}$ && -n $(compgen -G "$root/$2-*.md")) ]]
}

check_document() {
  local document=$1 line target
  while IFS=$'\t' read -r line target; do
    count=$((count + 1))
    [[ -e $(dirname "$document")/$target ]] || complain "$document:$line: there is no '$target'"
  done < <(links "$document")
  while IFS=$'\t' read -r line target; do
    count=$((count + 1))
    case $target in
      build/release | build/release/ | build/release/bin | build/release/bin/) ;;
      build/release/bin/*)
        grep -qF "CMakeFiles/${target#build/release/bin/}.dir/" "$compile_commands" ||
          complain "$document:$line: no program '${target#build/release/bin/}' is built"
        ;;
      build/*) complain "$document:$line: programs are in build/release/bin, not in '$target'" ;;
      *) in_tree "$document" "$target" || complain "$document:$line: there is no '$target'" ;;
    esac
  done < <(paths "$document")
}

while IFS= read -r document; do
  check_document "$document"
done < <(cd "$root" && git ls-files --cached --others --exclude-standard '*.md' | sed "s|^|$root/|")

[[ $failed -eq 0 ]] || exit 1
echo "$count links and paths in documents exist"
