#!/usr/bin/env bash
# snippets.sh ROOT [COMPILE_COMMANDS]: fails unless every block of C++ in README.md and docs/, and in
# the comments of public headers, equals a region of a file that is compiled.
#
# In a document, an HTML comment stands right before the block:
#
#     <!-- snippet: examples/pod_watcher.cpp#watch -->
#     ```cpp
#
# In the file, the region lies between two equal lines, `// [watch]`; lines that are such markers are
# left out, and the indentation that all lines of the region share is removed.
#
# In a header, a block is what a comment sets off as Markdown does: behind an empty line of the
# comment, indented by three or more. Its region is in tests/docs/header_examples.cpp, or, if it runs,
# in a *_test.cpp beside it, between lines with the header's path: `// [kube/client/retry.hpp]`; a
# second block of the header has `// [kube/client/retry.hpp:2]`. An empty line of the comment ends a
# block.
#
# snippets.sh --update ROOT: writes the regions into the documents and headers.
set -euo pipefail

update=0
if [[ ${1:-} == --update ]]; then
  update=1
  shift
fi
root=$1
compile_commands=${2:-}

# region NAME FILE...: prints the region; fails if the files do not hold the marker twice.
region() {
  awk -v name="$1" '
    { text = $0; gsub(/^[ \t]+|[ \t]+$/, "", text) }
    text == "// [" name "]" { inside = !inside; marks++; next }
    text ~ /^\/\/ \[[A-Za-z0-9_.\/:-]+\]$/ { next }
    inside {
      lines[++n] = $0
      if ($0 ~ /[^ ]/) {
        match($0, /^ */)
        if (indent == "" || RLENGTH < indent) indent = RLENGTH
      }
    }
    END {
      for (i = 1; i <= n; i++) print substr(lines[i], indent + 1)
      exit marks != 2
    }' "${@:2}"
}

failed=0
complain() {
  echo "$*" >&2
  failed=1
}

# blocks FILE: "LINE<TAB>SOURCE#NAME" of each C++ block; SOURCE#NAME is empty if no comment names it.
blocks() {
  awk '
    /^ *```/ {
      if (inside) { inside = 0; next }
      inside = 1
      language = $0
      sub(/^ *```/, "", language)
      if (language ~ /^(cpp|c\+\+|cc|cxx)/) print NR "\t" snippet
      snippet = ""
      next
    }
    inside { next }
    /^ *<!-- snippet: [^ ]+ -->$/ { snippet = $3; next }
    /[^ ]/ { snippet = "" }' "$1"
}

# shown FILE LINE: the content of the block that opens at the line.
shown() { awk -v from="$2" 'NR > from { if ($0 ~ /^ *```/) exit; print }' "$1"; }

# replace FILE LINE: puts standard input into the block that opens at the line.
replace() {
  local new
  new=$(mktemp)
  { head -n "$2" "$1"; cat; awk -v from="$2" 'NR > from { if ($0 ~ /^ *```/) on = 1; if (on) print }' "$1"; } >"$new"
  cat "$new" >"$1"
  rm -f "$new"
}

# is_compiled FILE: of a header, whether a compiled file beside it includes it.
is_compiled() {
  local user
  [[ $1 == *.hpp ]] || { grep -qF "/$1\"" "$compile_commands"; return; }
  for user in "$root/${1%/*}"/*.cpp; do
    if grep -qF "#include \"${1##*/}\"" "$user" && grep -qF "$user\"" "$compile_commands"; then return 0; fi
  done
  return 1
}

count=0
check_document() {
  local document=$1 line snippet file name expected
  # From the end, so that an update does not move the lines of blocks still to come.
  while IFS=$'\t' read -r line snippet; do
    count=$((count + 1))
    if [[ -z $snippet ]]; then
      complain "$document:$line: C++ without a line '<!-- snippet: FILE#NAME -->' before it"
      continue
    fi
    file=${snippet%%#*}
    name=${snippet#*#}
    if [[ $snippet != *#* || ! -f $root/$file ]]; then
      complain "$document:$line: there is no file '$file'; expected FILE#NAME, relative to the root"
    elif ! expected=$(region "$name" "$root/$file"); then
      complain "$document:$line: $file does not hold the line '// [$name]' exactly twice"
    elif [[ -n $compile_commands ]] && ! is_compiled "$file"; then
      complain "$document:$line: $file is not compiled"
    elif [[ $(shown "$document" "$line") != "$expected" ]]; then
      if [[ $update -eq 1 ]]; then
        printf '%s\n' "$expected" | replace "$document" "$line"
        echo "$document:$line: updated from $file"
      else
        complain "$document:$line: differs from $file#$name; run tests/docs/snippets.sh --update ."
        diff <(shown "$document" "$line") <(printf '%s\n' "$expected") >&2 || true
      fi
    fi
  done < <(blocks "$document" | sort -rn)
}

# comment_blocks HEADER: "FIRST<TAB>LAST" of each block of code in its comments, by line numbers.
comment_blocks() {
  awk '
    { text = $0; sub(/^[ \t]+/, "", text) }
    text ~ /^\/\/\/?   +[^ ]/ && (first || empty) { if (!first) first = FNR; last = FNR; next }
    first { print first "\t" last; first = 0 }
    { empty = text ~ /^\/\/\/?$/ }' "$1"
}

# without_slashes: code out of a comment, without what stands in front of all its lines.
without_slashes() {
  awk '
    {
      match($0, /^[ \t]*\/\/\/? +/)
      if (NR == 1 || RLENGTH < indent) indent = RLENGTH
      lines[NR] = $0
    }
    END { for (i = 1; i <= NR; i++) print substr(lines[i], indent + 1) }'
}

examples=tests/docs/header_examples.cpp
example_files=("$root/$examples" "$root/${examples%/*}"/*_test.cpp)
check_header() {
  local header=$1 first last name expected prefix number=0 blocks
  local path=${header#*/include/}
  blocks=$(comment_blocks "$header")
  [[ -n $blocks ]] || return 0
  while IFS=$'\t' read -r first last; do
    count=$((count + 1)) number=$((number + 1))
    name=$path
    [[ $number -eq 1 ]] || name+=":$number"
    if ! expected=$(region "$name" "${example_files[@]}"); then
      complain "$header:$first: code, but $examples does not hold the line '// [$name]' exactly twice"
    elif grep -q '^ *$' <<<"$expected"; then
      # An update would write two blocks, of which the first never equals the region.
      complain "$examples: the region '// [$name]' has an empty line, which ends a block in a comment;" \
        "write two regions, '// [$path:$((number + 1))]' for the second"
    elif [[ $(sed -n "$first,${last}p" "$header" | without_slashes) != "$expected" ]]; then
      if [[ $update -eq 1 ]]; then
        prefix=$(sed -nE "${first}s|^([ \t]*/// *).*|\1|p; ${first}s|^([ \t]*// +).*|\1|p" "$header")
        # shellcheck disable=SC2001  # the prefix goes before each line
        { head -n $((first - 1)) "$header"; sed "s|^|$prefix|" <<<"$expected"; tail -n +$((last + 1)) "$header"; } >"$header.new"
        cat "$header.new" >"$header"
        rm -f "$header.new"
        echo "$header:$first: updated from $examples"
        count=$((count - number))
        check_header "$header" # lines have moved
        return
      fi
      complain "$header:$first: differs from $examples#$name; run tests/docs/snippets.sh --update ."
      diff <(sed -n "$first,${last}p" "$header" | without_slashes) <(printf '%s\n' "$expected") >&2 || true
    fi
  done <<<"$blocks"
}

while IFS= read -r document; do
  check_document "$document"
done < <(find "$root/README.md" "$root/CONTRIBUTING.md" "$root/docs" "$root"/modules/*/README.md \
  "$root"/examples/README.md -name '*.md' 2>/dev/null | sort)

while IFS= read -r header; do
  check_header "$header"
done < <(find "$root"/modules/*/include -name '*.hpp' | sort)
for file in "${example_files[@]}"; do
  if [[ -n $compile_commands ]] && ! grep -qF "/${file#"$root/"}\"" "$compile_commands"; then
    complain "${file#"$root/"} is not compiled"
  fi
done

[[ $failed -eq 0 ]] || exit 1
echo "$count blocks of C++ in documents and comments are compiled code"
