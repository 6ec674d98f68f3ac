#!/usr/bin/env bash
# wrong_lines_test.sh COMPILER [OPTION...]: wrong_lines.sh passes right marks, and finds each kind of fault.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# finds WHAT <<<SOURCE: the source does not pass, and what is said begins with WHAT, behind the path.
finds() {
  local found
  cat >"$tree/lines.cpp"
  if found=$("$here/wrong_lines.sh" "$tree/lines.cpp" "${compiler[@]}") || [[ $found != "$tree/lines.cpp:$1"* ]]; then
    printf 'not found: %s\n%s\n' "$1" "$found"
    exit 1
  fi
}

compiler=("$@")
head='struct A { void f() const& {} void f() const&& = delete; void g() = delete; int i = 0; }; void h(const A& a) {'
printf '%s\n' "$head" '  a.f();' '  A().f();  // wrong: deleted f' '  A()' '      .f();  // wrong: deleted f' '  {  // wrong: const' '    int b = a.i;' '    a.i = b;' '  }' '}' >"$tree/lines.cpp"
"$here/wrong_lines.sh" "$tree/lines.cpp" "${compiler[@]}"

printf '%s\n' "$head" '  A().f();  // wrong: says deleted' '}' >"$tree/lines.cpp"
"$here/wrong_lines.sh" "$tree/lines.cpp" "${compiler[@]}"
finds '2: does not say "what to write": ' <<END
$head
  A().f();  // wrong: says what to write
}
END

finds '3: says it in ' <<END
struct A {}; struct B {}; struct C {}; void g(A), g(B), g(C);
void h() {
  g(1);  // wrong: says no matching function
}
END

finds '2: should not compile, but does:   a.f();' <<END
$head
  a.f();  // wrong: deleted f
  A().f();  // wrong: deleted f
}
END
finds '2: should not compile, but does:   {' <<END
$head
  {  // wrong: const
    a.f();
  }
}
END
finds '2: is wrong for another reason than "deleted f": ' <<END
$head
  A().g();  // wrong: deleted f
}
END
finds '4: should not compile, but does: ' <<END
$head
  A().f();  // wrong: deleted f
  a
      .f();  // wrong: deleted f
}
END
finds '3: is wrong for another reason than "const": ' <<END
$head
  {  // wrong: const
    A().f();
    a.i = 1;
  }
}
END
finds '2: should compile: ' <<END
$head
  A().f();
  A().f();  // wrong: deleted f
}
END
finds '1: nothing is marked as wrong' <<END
$head
}
END
