#!/usr/bin/env bash
# wrong_lines.sh SOURCE COMPILER [OPTION...]: compiles SOURCE once, and holds the errors against the marks in it:
#
#   use(object().name());  // wrong: deleted name
#   {  // wrong: const
#     ...
#   }
#
# A mark is of the statement that ends in its line, or of the block that its line opens. Fails, naming the line, when what is marked compiles or has
# another error than the mark says, and for an error anywhere else: the lines without a mark are right. Marks:
#
#   deleted NAME  calls the deleted function NAME (unavailable for Clang, when KUBE_MISTAKE() declares it)
#   const         writes to what is const
#   temporary     takes the address of a temporary, or changes one
#   dropped       drops a Result
#   conversion    uses an object as what it does not convert to
#   says TEXT     any error whose line has TEXT: what to write instead. It is the first error of the mark, what a compiler prints
#                 with -fmax-errors=1, and has at most two notes. One line alone is beyond a library: GCC and Clang add where the
#                 declaration is, and its macro.
set -euo pipefail
source=$1
shift
# In English, with plain quotes.
output=$(LC_ALL=C "$@" "$source" 2>&1) || true
found=$(awk -v path="$source" '
  BEGIN {
    words["deleted"] = "use of deleted function|call to deleted |selected deleted |is unavailable: "
    words["const"] = "discards qualifiers|in read-only|const-qualified|operand types are .const|no viable overloaded|not marked const|returns a const value|drops .const. qualifier"
    words["temporary"] = "taking (the )?address of (rvalue|a temporary)|cannot bind (non-const lvalue|to a temporary)|discards qualifiers|is an rvalue"
    words["dropped"] = "unused-result"
    words["conversion"] = "is ambiguous|could not convert|cannot convert|no viable conversion|to non-scalar type|no match for .operator|invalid operands to binary|no viable overloaded|no matching (function|member function|constructor)"
  }
  function complain(line, what) { print path ":" line ": " what }
  FNR == NR {
    if (end && index($0, end) == 1) end = ""
    code = $0
    sub(/ *\/\/.*/, "", code)
    if (match($0, /\/\/ wrong: .*/)) {
      mark[FNR] = substr($0, RSTART + 10)
      current = FNR
      ++marks
      indentation = $0
      sub(/[^ ].*/, "", indentation)
      if (code ~ /\{$/) end = indentation "}"
      for (line = statement + 1; line <= FNR; ++line) of[line] = FNR
    } else if (end) {
      of[FNR] = current
    }
    text[FNR] = $0
    if (code == "" || code ~ /[;{}]$/) statement = FNR  # The next one begins after this line.
    next
  }
  / note: / { if (saying) ++lines[saying] }
  /^[^ ].*:[0-9]+: +(recursively )?required / { ++before }  # belongs to the error that follows
  /^[^ ].*: (fatal )?error: / {
    saying = 0
    context = before
    before = 0
    if (index($0, path ":") != 1) {
      print "an error outside of the source: " $0
      next
    }
    split(substr($0, length(path) + 2), part, ":")
    line = part[1]
    error = $0
    sub(/^.*[:0-9] (fatal )?error: /, "", error)
    sub(/deleted operator ./, "deleted operator", error)  # Clang quotes the -> alone.
    if (!(line in of)) {
      complain(line, "should compile: " error)
      next
    }
    if (errors[of[line]]++) next  # The first one decides; others may follow from it.
    if (mark[of[line]] ~ /^says /) {
      saying = of[line]
      lines[saying] = 1 + context
      if (!index(error, substr(mark[of[line]], 6))) complain(line, "does not say \"" substr(mark[of[line]], 6) "\": " error)
      next
    }
    split(mark[of[line]], word, " ")
    name = word[2]
    gsub(/[^A-Za-z0-9_]/, "[&]", name)
    if (!(word[1] in words)) complain(of[line], "no such mark: " mark[of[line]])
    else if (error !~ words[word[1]] || error !~ "(^|[^A-Za-z0-9_])" name "([^A-Za-z0-9_]|$)")
      complain(line, "is wrong for another reason than \"" mark[of[line]] "\": " error)
  }
  END {
    if (!marks) complain(1, "nothing is marked as wrong")
    for (line in mark) if (!errors[line]) complain(line, "should not compile, but does: " text[line])
    for (line in lines) if (lines[line] > 3) complain(line, "says it in " lines[line] " lines, expected at most 3: " text[line])
  }
' "$source" - <<<"$output" | sort -t: -k2n)
[[ -z $found ]] && exit
printf '%s\n\nThe compiler says:\n%s\n' "$found" "$output"
exit 1
