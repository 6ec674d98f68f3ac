#!/usr/bin/env bash
# includes.sh ROOT: the includes of all sources below ROOT against the layers. What a compiler can't see (a header that
# only users include, a tool's way into an app) is seen here. Fails, a line each, for an include of
#
# - a module that the root CMakeLists.txt adds later than the file's own
# - another module's detail/, outside generated sources
# - a module that the tools must not know (they are built before all but base, json and schema)
# - a file by a path that climbs (..)
# - a header of another folder of sources; only apps use the libraries of examples, tools those of tools, and tests of
#   modules and examples the servers and clients of modules' tests; of an
#   internal module (kube_module(... INTERNAL)) those modules that name it may include the headers
set -euo pipefail
cd "$1"

mapfile -t modules < <(sed -n 's|^add_subdirectory(modules/\([a-z]*\))$|\1|p' CMakeLists.txt)
[[ ${#modules[@]} -gt 1 ]] || { echo "$1/CMakeLists.txt names no modules"; exit 1; }

mapfile -t files < <(find modules apps tools examples -name '*.cpp' -o -name '*.hpp' | sort)
headers=$(find modules/*/src modules/*/tests modules/*/benchmarks apps tools examples -name '*.hpp')

# "user/internal" for each module that names an internal one.
internal=$(find modules -name CMakeLists.txt -exec awk '
  FNR == 1 { split(FILENAME, at, "/"); user = at[2] }
  $2 == "INTERNAL" { internal[$1] = 1 }
  { for (i = 1; i <= NF; ++i) if ($i ~ /^kube::/) names[user, substr($i, 7)] = 1 }
  END { for (each in names) { split(each, pair, SUBSEP); if (pair[2] in internal) printf " %s/%s", pair[1], pair[2] } }
' {} +)

wrong=$(awk -v internal="$internal " -v order="${modules[*]}" -v headers="$headers" '
  BEGIN {
    count = split(order, names, " ")
    for (i = 1; i <= count; ++i) floor[names[i]] = i
    count = split(headers, paths, "\n")
    for (i = 1; i <= count; ++i) {
      name = paths[i]
      sub(/.*\//, "", name)
      split(paths[i], part, "/")
      homes[name] = homes[name] " " part[1] "/" part[2] (part[1] == "modules" && part[3] == "tests" ? "/tests" : "")
    }
  }
  function complain(why) { print FILENAME ":" FNR ": " $0 ": " why }
  FNR == 1 { split(FILENAME, at, "/") }
  /^ *# *include *</ && match($0, /<kube\/[a-z]+\//) {
    module = substr($0, RSTART + 6, RLENGTH - 7)
    if (!(module in floor)) next
    if (at[1] == "modules" && at[3] != "tests" && at[3] != "benchmarks" && floor[module] > floor[at[2]])
      complain("module " at[2] " is below " module)
    if (at[1] == "tools" && floor[module] > floor["schema"])
      complain("tools know base, json and schema only")
    if ($0 ~ /\/detail\// && !(at[1] == "modules" && at[2] == module))
      complain("private to module " module)
  }
  /^ *# *include *"/ {
    split($0, quoted, "\"")
    if (quoted[2] ~ /\.\.\//) complain("a path that climbs")
    name = quoted[2]
    sub(/.*\//, "", name)
    if (!(name in homes)) next
    own = at[1] == "modules" ? "modules/" at[2] "(/tests)?" : at[1] "/[a-z-]+"
    if (at[3] == "tests") own = own "|modules/[a-z]+/tests"
    if (at[1] == "modules") {
      count = split(internal, pairs, " ")
      for (i = 1; i <= count; ++i) {
        split(pairs[i], pair, "/")
        if (pair[1] == at[2]) own = own "|modules/" pair[2]
      }
      own = "(" own ")"
    }
    if (at[1] == "examples") own = "(examples/" at[2] (FILENAME ~ /_test\.cpp$/ ? "|modules/[a-z]+/tests)" : ")")
    if (at[1] == "apps") own = "(apps/" at[2] "|examples/[a-z_]+)"
    if (homes[name] " " !~ " " own " ") complain("a header of" homes[name])
  }
' "${files[@]}")
[[ -z $wrong ]] && exit
printf 'includes against the layers:\n%s\n' "$wrong"
exit 1
