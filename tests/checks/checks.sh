#!/usr/bin/env bash
# The numbered checks (checks.tsv) beside the tests that show them: `./dev checks`.
#
# A test shows a check by carrying its number in its name, with underscores for hyphens:
# TEST(Reflector, RFL_01_RFL_02_ListsThenWatches); of a parameterised test, the name of a case
# counts too. Names are read from the sources, so nothing has to be built.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."

usage() {
  cat <<'END'
usage: ./dev checks [--missing | --totals | --verify] [ID...]

  ID          a check (RFL-01) or a prefix (RFL); none means all
  --missing   only checks that no test shows
  --totals    only the totals by prefix and by chapter
  --verify    nothing but the numbers in test names that are not in the list; exit status 1 if any
END
}

mode=all
ids=()
for argument in "$@"; do
  case $argument in
    --missing | --totals | --verify) mode=${argument#--} ;;
    -h | --help | help)
      usage
      exit
      ;;
    [A-Z]*) ids+=("${argument//_/-}") ;;
    *)
      usage >&2
      echo "checks: unknown argument '$argument'" >&2
      exit 1
      ;;
  esac
done

# "file<TAB>suite.name", one a line. Declarations may be broken over lines by the formatter.
test_names() {
  # shellcheck disable=SC2016  # awk's
  find modules tests examples apps -path '*tests/*' -name '*.cpp' -print0 | sort -z | xargs -0 awk '
    FNR == 1 { open = "" }
    /^ *INSTANTIATE_TEST_SUITE_P *\(|^ *TEST_P *\(/ { is_parameterised[FILENAME] = 1 }
    open == "" && /^ *(TYPED_)?TEST(_F|_P)? *\(/ { open = " " }
    open != "" {
      open = open $0
      if (open !~ /\)/) next
      sub(/^[^(]*\(/, "", open)
      sub(/\).*$/, "", open)
      gsub(/[ \t\n]/, "", open)
      sub(/,/, ".", open)
      print FILENAME "\t" open
      open = ""
      next
    }
    {
      # Case names of parameterised tests: "RFL_01_..." in a table or an instantiation.
      line = $0
      while (match(line, /"[A-Z]+_[0-9]+[A-Za-z0-9_]*"/)) {
        found[FILENAME] = found[FILENAME] " " substr(line, RSTART + 1, RLENGTH - 2)
        line = substr(line, RSTART + RLENGTH)
      }
    }
    END {
      for (file in found) {
        if (!(file in is_parameterised)) continue
        n = split(found[file], names, " ")
        for (i = 1; i <= n; i++) print file "\t" names[i]
      }
    }'
}

test_names | awk -F '\t' -v mode="$mode" -v wanted="${ids[*]}" -v list="$here/checks.tsv" '
  # RFL-1, RFL-01 and RFL-001 are one check.
  function key(prefix, number) { return prefix "-" (number + 0) }
  function percent(part, whole) { return whole ? int(100 * part / whole) : 0 }

  BEGIN {
    while ((getline line < list) > 0) {
      split(line, field, "\t")
      if (field[1] == "id") continue
      split(field[1], part, "-")
      k = key(part[1], part[2])
      order[++count] = k
      id[k] = field[1]; prefix[k] = part[1]; chapter[k] = field[2] " " field[3]; level[k] = field[4]
      known_prefix[part[1]] = 1
    }
    n = split(wanted, part, " ")
    for (i = 1; i <= n; i++) {
      split(part[i], piece, "-")
      if (!(piece[1] in known_prefix) || (piece[2] != "" && !(key(piece[1], piece[2]) in id))) {
        print "checks: there is no check " part[i] > "/dev/stderr"
        failed = 1
        exit
      }
      filter[piece[2] == "" ? piece[1] : key(piece[1], piece[2])] = 1
    }
    filtered = n > 0
  }
  {
    rest = $2
    while (match(rest, /[A-Z]+_[0-9]+/)) {
      split(substr(rest, RSTART, RLENGTH), part, "_")
      before = RSTART > 1 ? substr(rest, RSTART - 1, 1) : "."
      after = substr(rest, RSTART + RLENGTH, 1)
      rest = substr(rest, RSTART + RLENGTH)
      if (before ~ /[A-Za-z0-9]/ || after ~ /[A-Za-z0-9]/ || !(part[1] in known_prefix)) continue
      k = key(part[1], part[2])
      if (k in id) {
        if (index(tests[k] "\n", "\t" $2 "\n") == 0) tests[k] = tests[k] "\n" $1 "\t" $2
      } else {
        unknown = unknown $1 ": " $2 ": there is no check " part[1] "-" part[2] "\n"
      }
    }
  }
  END {
    if (failed) exit 1
    if (mode == "verify") {
      printf "%s", unknown
      if (unknown != "") exit 1
      print "all numbers in test names are in the list"
      exit
    }
    for (i = 1; i <= count; i++) {
      k = order[i]
      if (filtered && !(k in filter) && !(prefix[k] in filter)) continue
      shown = k in tests
      total++; total_shown += shown
      if (!(prefix[k] in by_prefix)) prefixes[++prefix_count] = prefix[k]
      by_prefix[prefix[k]]++; prefix_shown[prefix[k]] += shown
      if (!(chapter[k] in by_chapter)) chapters[++chapter_count] = chapter[k]
      by_chapter[chapter[k]]++; chapter_shown[chapter[k]] += shown
      if (mode == "totals" || (mode == "missing" && shown)) continue
      name = id[k] (level[k] != "" ? " [" level[k] "]" : "")
      if (!shown) { printf "%-18s -\n", name; continue }
      n = split(substr(tests[k], 2), rows, "\n")
      for (j = 1; j <= n; j++) {
        split(rows[j], field, "\t")
        printf "%-18s %s  (%s)\n", (j == 1 ? name : ""), field[2], field[1]
      }
    }
    if (mode != "missing") {
      print (mode == "totals" ? "" : "\n") "by prefix"
      for (i = 1; i <= prefix_count; i++) {
        p = prefixes[i]
        printf "  %-6s %4d of %4d  %3d%%\n", p, prefix_shown[p], by_prefix[p], percent(prefix_shown[p], by_prefix[p])
      }
      print "by chapter"
      for (i = 1; i <= chapter_count; i++) {
        c = chapters[i]
        printf "  %-26s %4d of %4d  %3d%%\n", c, chapter_shown[c], by_chapter[c], percent(chapter_shown[c], by_chapter[c])
      }
    }
    printf "%s%d of %d checks are shown by a test\n", (mode == "missing" && total > total_shown ? "\n" : ""), total_shown, total
    printf "%s", unknown
  }'
