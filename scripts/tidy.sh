#!/usr/bin/env bash
# tidy.sh BUILD JOBS: runs clang-tidy over the hand-written sources of the modules, the programs and
# the examples. BUILD must be up to date: the files that each source includes are read from it.
#
# What the build compiles as one is looked at as one: a sixth of the time, as most of it goes to the headers.
#
# A source that passed is not looked at again until it, a file that it includes, its compile command
# or the configuration changes: a stamp named by the hash of all these is kept below BUILD.
set -euo pipefail

build=$(realpath --relative-to=. "$1")
jobs=$2
stamps=$build/tidy
mkdir -p "$stamps"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Without precompiled headers, which are GCC's, and without a warning that only GCC has.
sed -E 's/ -Winvalid-pch| -Wno-subobject-linkage| -include [^ "]*\/cmake_pch\.hxx//g' "$build/compile_commands.json" >"$stamps/compile_commands.json"
if grep -q 'cmake_pch\.hxx' <(grep -v '"file"' "$stamps/compile_commands.json" | grep -v 'x c++-header'); then
  echo "tidy: found precompiled headers in $build/compile_commands.json that are not understood" >&2
  exit 1
fi

# "source<TAB>compile command", one a line, generated code left out.
awk -v root="$PWD/" -v ours='^(modules/[^/]+/src|apps|examples|tools)/' '
  /^ *"command": / { command = $0 }
  /^ *"file": / {
    file = $0
    sub(/^ *"file": "/, "", file)
    sub(/",?$/, "", file)
    if (index(file, root) != 1) next
    file = substr(file, length(root) + 1)
    source = file
    if (file ~ /\/Unity\/unity_[0-9]+_cxx\.cxx$/) {
      while ((getline line < file) > 0 && source !~ ours) {
        if (line !~ /^#include "/) continue
        source = substr(line, 11, length(line) - 11)
        if (index(source, root) == 1) source = substr(source, length(root) + 1)
      }
      close(file)
    }
    if (source ~ ours && !seen[file]++) print file "\t" command
  }' "$stamps/compile_commands.json" >"$work/sources"
[[ -s $work/sources ]] || {
  echo "tidy: found no source in $build/compile_commands.json" >&2
  exit 1
}

# "source<TAB>included file", both relative to the root where below it. The first file that ninja
# lists for an object is its source.
ninja -C "$build" -t deps | awk -v up="$(realpath --relative-to="$build" .)/" -v root="$PWD/" -v build="$build/" '
  /^[^ ].*: #deps/ { source = ""; next }
  /^ / {
    file = substr($0, 5)
    if (index(file, up) == 1) file = substr(file, length(up) + 1)
    else if (index(file, root) == 1) file = substr(file, length(root) + 1)
    else if (file !~ /^\//) file = build file
    if (source == "") source = file
    print source "\t" file
  }' >"$work/deps"

# One hash per file, then one line of all that counts per source, then its hash.
cut -f2 "$work/deps" | sort -u | xargs -r -d '\n' sha256sum 2>/dev/null >"$work/hashes" || true
configuration=$(cat .clang-tidy <(clang-tidy-14 --version) | sha256sum | cut -d' ' -f1)
awk -F '\t' -v configuration="$configuration" -v hashes="$work/hashes" '
  BEGIN { while ((getline line < hashes) > 0) hash[substr(line, 67)] = substr(line, 1, 64) }
  FILENAME ~ /deps$/ { if (!listed[$1, $2]++) inputs[$1] = inputs[$1] " " hash[$2]; next }
  { print $1 "\t" configuration " " $2 inputs[$1] }
' "$work/deps" "$work/sources" >"$work/inputs"

total=0
: >"$work/todo"
while IFS=$'\t' read -r file inputs; do
  total=$((total + 1))
  stamp=$stamps/$(printf '%s' "$file $inputs" | sha256sum | cut -d' ' -f1)
  [[ -e $stamp ]] || printf '%s\t%s\n' "$file" "$stamp" >>"$work/todo"
done <"$work/inputs"
echo "tidy: $total files, $(wc -l <"$work/todo") to look at"

# The environment carries what one run needs; its output is shown only if it fails.
tidy_one() {
  local file=${1%%$'\t'*} stamp=${1#*$'\t'} output
  if output=$(clang-tidy-14 -p "$STAMPS" --quiet --warnings-as-errors='*' "$file" 2>&1); then
    touch "$stamp"
  else
    printf 'tidy: %s\n%s\n' "$file" "$output"
    return 1
  fi
}
export -f tidy_one
export STAMPS=$stamps
# shellcheck disable=SC2016  # for the inner shell
xargs -r -d '\n' -P "$jobs" -I{} bash -c 'tidy_one "$1"' tidy {} <"$work/todo" || {
  echo "tidy: there are warnings" >&2
  exit 1
}
