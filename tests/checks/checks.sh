#!/usr/bin/env bash
# The numbered checks (checks.tsv) beside the tests that show them: `./dev checks`. Their texts are in docs/reference. A
# check is shown by a test, left on purpose with a reason (deviations.tsv), or missing.
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
  --missing   only checks that no test shows and that are not left on purpose
  --totals    only the totals by prefix and by chapter
  --verify    only what is wrong: a number in a test name that is not in the list, a check without a text, a deviation
              of no check or of one that a test shows; exit status 1 if any
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

test_names | awk -F '\t' -v mode="$mode" -v wanted="${ids[*]}" -v list="$here/checks.tsv" \
  -v deviations="$here/deviations.tsv" -v texts="$(echo docs/reference/*.md)" '
  # RFL-1, RFL-01 and RFL-001 are one check.
  function key(prefix, number) { return prefix "-" (number + 0) }
  function row(name, width, all, shown, left) {
    printf "  %-" width "s %4d of %4d shown  %3d left on purpose  %4d missing\n", name, shown, all, left, all - shown - left
  }

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
    while ((getline line < deviations) > 0) {
      split(line, field, "\t")
      if (field[1] == "id") continue
      split(field[1], part, "-")
      k = part[2] == "" ? part[1] : key(part[1], part[2])
      state[k] = field[2]; why[k] = field[3]
      if (!(part[1] in known_prefix) || (part[2] != "" && !(k in id)))
        unknown = unknown "deviations.tsv: there is no check " field[1] "\n"
    }
    n = split(texts, files, " ")
    for (i = 1; i <= n; i++) {
      while ((getline line < files[i]) > 0) {
        if (match(line, /^- \*\*[A-Z]+-[0-9]+\*\*/)) {
          split(substr(line, 5, RLENGTH - 6), part, "-")
          last = key(part[1], part[2])
          text[last] = substr(line, RLENGTH + 2)
        } else if (line ~ /^  / && last != "") {
          text[last] = text[last] substr(line, 2)
        } else {
          last = ""
        }
      }
    }
    for (i = 1; i <= count; i++) {
      if (!(order[i] in text)) unknown = unknown id[order[i]] ": no text in docs/reference\n"
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
      for (i = 1; i <= count; i++) {
        if (!(order[i] in tests) || !((order[i] in state) || (prefix[order[i]] in state))) continue
        print "deviations.tsv: " id[order[i]] " is shown by a test"
        unknown = "one"
      }
      if (unknown != "") exit 1
      print "all numbers in test names are in the list, and every check has its text"
      exit
    }
    for (i = 1; i <= count; i++) {
      k = order[i]
      if (filtered && !(k in filter) && !(prefix[k] in filter)) continue
      shown = k in tests
      left = shown ? "" : k in state ? k : prefix[k] in state ? prefix[k] : ""
      total++; total_shown += shown; total_left += left != ""
      if (!(prefix[k] in by_prefix)) prefixes[++prefix_count] = prefix[k]
      by_prefix[prefix[k]]++; prefix_shown[prefix[k]] += shown; prefix_left[prefix[k]] += left != ""
      if (!(chapter[k] in by_chapter)) chapters[++chapter_count] = chapter[k]
      by_chapter[chapter[k]]++; chapter_shown[chapter[k]] += shown; chapter_left[chapter[k]] += left != ""
      if (mode == "totals" || (mode == "missing" && (shown || left != ""))) continue
      name = id[k] (level[k] != "" ? " [" level[k] "]" : "")
      if (filtered) print text[k]
      if (left != "") { printf "%-18s %s: %s\n", name, state[left], why[left]; continue }
      if (!shown) { printf "%-18s missing\n", name; continue }
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
        row(p, 6, by_prefix[p], prefix_shown[p], prefix_left[p])
      }
      print "by chapter"
      for (i = 1; i <= chapter_count; i++) {
        c = chapters[i]
        row(c, 26, by_chapter[c], chapter_shown[c], chapter_left[c])
      }
    }
    printf "%s%d checks: %d shown by a test, %d left on purpose, %d missing\n", (mode == "missing" && total > total_shown + total_left ? "\n" : ""), total, total_shown, total_left, total - total_shown - total_left
    printf "%s", unknown
  }'
