# shellcheck shell=bash
# ./dev check: what every change must pass. Sourced by ./dev; each step is a function that runs alone.

check_steps=(format source headers flags layering no-unity package tidy asan tsan)

check_usage() {
  cat <<'END'
usage: ./dev check [STEP...]     all steps, or the named ones

  format    clang-format 14 would change nothing
  source    rules that a search can check: openings, includes, sleeps, prints, shell scripts; and by scripts/source torn
            comments, what public headers state, decisions on texts, units, names of tests, sizes
  headers   each public header compiles alone
  flags     each public header compiles alone without exceptions and RTTI, by GCC and Clang
  layering  an upward include does not compile; folders of a module include only what its layers.txt allows; apps,
            tools and examples keep to their own and what is public
  no-unity  everything compiles file by file, as in a build without our presets
  package   the installed package serves outside projects: find_package, pkg-config, FetchContent; also those that have
            neither exceptions nor RTTI
  tidy      clang-tidy 14 has no warning (.clang-tidy); unchanged files are not looked at again
  asan      Clang 14, warnings are errors; the tests under AddressSanitizer and UndefinedBehaviorSanitizer
  tsan      GCC 12, warnings are errors; the tests under ThreadSanitizer
END
}

# Sources that people wrote: all of the tree that git does not ignore.
our_files() { git ls-files --cached --others --exclude-standard -- "$@" | while read -r file; do
  [[ ! -f $file ]] || printf '%s\n' "$file"
done; }

step_format() {
  local files
  files=$(our_files '*.cpp' '*.hpp' | xargs -r clang-format-14 --dry-run 2>&1 |
    sed -n 's/^\([^ :]*\):.*\[-Wclang-format-violations\]$/\1/p' | sort -u)
  [[ -z $files ]] && return
  printf 'not formatted; mend by clang-format-14 -i:\n%s\n' "$files"
  return 1
}

# forbid WHY PATTERN FILE-PATTERN... [-- EXCEPTED-FILE-PATTERN...]: fails if a line matches, comments aside.
forbid() {
  local why=$1 pattern=$2 files=() except=() hits
  shift 2
  while [[ $# -gt 0 && $1 != -- ]]; do files+=("$1") && shift; done
  [[ $# -eq 0 ]] || except=("${@:2}")
  hits=$(our_files "${files[@]}" "${except[@]/#/:!}" | xargs -r grep -HnE -- "$pattern" | grep -vE '^[^:]+:[0-9]+: *(//|\*)' || true)
  [[ -z $hits ]] && return
  printf '%s:\n%s\n' "$why" "$hits"
  return 1
}

# missing_line WHY LINE FILE-PATTERN...: fails if a file lacks the line.
missing_line() {
  local why=$1 line=$2 files
  shift 2
  files=$(our_files "$@" | xargs -r grep -LxF -- "$line" || true)
  [[ -z $files ]] && return
  printf '%s:\n%s\n' "$why" "$files"
  return 1
}

# A header that its module does not list is not installed.
unlisted_headers() {
  local header module found=0
  while read -r header; do
    module=${header%%/include/*}
    grep -qF "${header#"$module/"}" "$module/CMakeLists.txt" && continue
    echo "$header is not listed in $module/CMakeLists.txt"
    found=1
  done < <(our_files 'modules/*/include/*.hpp')
  return "$found"
}

# The second and third lines of a header say what it is for, and so do those of a source without a header of its name.
silent_openings() {
  local file home found=0
  while read -r file; do
    sed -n 2,3p "$file" | tr '\n' '#' | grep -q '^//#// ' && continue
    if [[ $file == *.cpp ]]; then
      home=$(cut -d/ -f1-2 <<<"$file")
      [[ -z $(find "$home" -name "$(basename "$file" .cpp).hpp" -print -quit) ]] || continue
    fi
    echo "$file does not say what it is for in its third line"
    found=1
  done < <(our_files 'modules/*.hpp' 'apps/*.hpp' 'tools/*.hpp' 'examples/*.hpp' 'modules/*/src/*.cpp' 'apps/*/src/*.cpp' 'tools/*.cpp' ':!tools/*/tests/*')
  return "$found"
}

# Lines that no source may have; tests/source plants some.
forbidden_lines() {
  local failed=0
  forbid "using namespace in a header" '^ *using namespace' '*.hpp' || failed=1
  forbid "third-party include in a public header" \
    '#include *[<"](curl|openssl|boost|simdjson|yaml-cpp|CLI|zlib|zstd)' 'modules/*/include/*.hpp' || failed=1
  forbid "test library in a public header" '#include *[<"](gtest|gmock)' \
    'modules/*/include/*.hpp' -- 'modules/testing/*' || failed=1
  forbid "a unit test sleeps; use kube::testing::FakeClock" \
    '\bthis_thread::sleep_|\b(usleep|nanosleep|sleep)\(' 'modules/*/tests/*' || failed=1
  forbid "the library prints; use the Logger" \
    'std::(cout|cerr|clog)\b|\b(printf|fprintf|vprintf|vfprintf|puts|fputs|putchar|perror)\(' \
    'modules/*/src/*' 'modules/*/include/*' -- 'modules/base/src/log.cpp' 'modules/simulation/src/program.cpp' || failed=1
  forbid "a kind's name outside of the server's kinds" \
    '"(Pod|Namespace|Service|Secret|Node|Job|Event|Binding|Eviction|TokenRequest|Scale|pods|namespaces|services|secrets|nodes|jobs|events|bindings|customresourcedefinitions|poddisruptionbudgets)"' \
    'modules/apiserver/src/*' 'modules/serving/src/*' -- 'modules/serving/src/kinds/*' \
    'modules/apiserver/src/defaults/*' 'modules/apiserver/src/validation/*' 'modules/apiserver/src/warnings/*' || failed=1
  forbid "a mutex that Clang's analysis does not see; use kube::Mutex (kube/base/mutex.hpp)" \
    'std::(recursive_|shared_|timed_)?mutex\b|#include <(shared_)?mutex>' 'apps/*' 'examples/*' 'tools/*' || failed=1
  forbid "a thread that takes the program's signals; use kube::WorkerThread (kube/base/worker_thread.hpp)" \
    'std::j?thread\b($|[^:])' 'modules/*/src/*' 'modules/*/include/*' 'apps/*/src/*' -- 'modules/base/*/worker_thread.*' || failed=1
  forbid "an exception in a public header, which programs without exceptions include; see kube/base/caught.hpp" \
    '\btry \{|\bcatch \(|(^|[;{)]) *throw\b' 'modules/*/include/*' -- 'modules/base/include/kube/base/log.hpp' \
    'modules/base/include/kube/base/caught.hpp' || failed=1
  forbid "RTTI, which classes of a program may lack" \
    '\b(dynamic_cast|dynamic_pointer_cast|typeid)\b' 'modules/*/src/*' 'modules/*/include/*' || failed=1
  forbid "unfinished work" '\b(TODO|FIXME|XXX|nocommit)\b' '*.cpp' '*.hpp' '*.cmake' '*CMakeLists.txt' || failed=1
  return "$failed"
}

step_source() {
  local failed=0 script
  for script in comments contracts decisions units promised test_names sizes; do "scripts/source/$script.py" || failed=1; done
  unlisted_headers || failed=1
  silent_openings || failed=1
  missing_line "no licence line" "// SPDX-License-Identifier: Apache-2.0" '*.cpp' '*.hpp' || failed=1
  missing_line "no include guard" "#pragma once" '*.hpp' || failed=1
  forbidden_lines || failed=1
  if command -v shellcheck >/dev/null; then
    our_files dev .ci/run '*.sh' | xargs shellcheck -x || failed=1
  fi
  return "$failed"
}

step_tidy() {
  build release
  scripts/tidy.sh build/release "$(jobs)"
}

# compile_headers COMPILER ROOT FLAG...: each header below the root by itself, with the warnings that our own code has.
compile_headers() {
  local compiler=$1 root=$2
  shift 2
  local flags=(-std=c++20 -fsyntax-only -x c++ -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror "$@")
  # shellcheck disable=SC2016  # for the inner shell
  find "$root" -name "*.hpp" | sed "s|^$root/||" |
    xargs -P "$(jobs)" -I{} bash -c '"${@:2}" - <<<"#include <$1>" || { echo "header $1 does not compile alone"; exit 1; }' \
      header {} "$compiler" "${flags[@]}"
}

# check_headers COMPILER FLAG...: all public headers. Those of kube-gen are hundreds, and nearly all of what each costs are
# the same few headers of ours and of the standard library: these are compiled once for each module, so that only an
# include among generated headers can be found missing.
check_headers() {
  local compiler=$1 roots=(modules/*/include build/release/modules/*/generated/include) root header common
  shift
  local includes=("${roots[@]/#/-I}")
  for root in modules/*/include; do compile_headers "$compiler" "$root" "${includes[@]}" "$@" || return 1; done

  local work=build/headers
  rm -rf "$work" && mkdir -p "$work"
  for root in build/release/modules/*/generated/include; do
    common=$work/$(basename "${root%/generated/include}").hpp
    grep -rhE '^#include <' "$root" | sort -u | while IFS='<>' read -r _ header _; do
      compgen -G "build/release/modules/*/generated/include/$header" >/dev/null || echo "#include <$header>"
    done >"$common"
    "$compiler" -std=c++20 -x c++-header -Wall -Wextra -Wpedantic -Wconversion -Wshadow "${includes[@]}" "$@" "$common" \
      -o "$common.gch"
    compile_headers "$compiler" "$root" "${includes[@]}" "$@" -Winvalid-pch -include "$common" || return 1
  done
}

step_headers() {
  build release
  check_headers g++
}

step_flags() {
  local compiler
  build release
  for compiler in g++ clang++-14; do check_headers "$compiler" -fno-exceptions -fno-rtti || return 1; done
}

# A preset's unity build hides a missing include, which those find who build from source.
step_no-unity() {
  build no-unity
}

# Folders inside a module: its src/layers.txt names them and what each may include besides itself; files beside the
# folders may include all.
folder_layers() {
  local layers hits
  while read -r layers; do
    # shellcheck disable=SC2016  # for awk, not for the shell
    hits=$(our_files "$(dirname "$layers")/*.hpp" "$(dirname "$layers")/*.cpp" | xargs awk -v root="$(dirname "$layers")/" '
      FILENAME == root "layers.txt" {
        if ($1 ~ /:$/) for (i = 1; i <= NF; ++i) allowed[substr($1, 1, length($1) - 1), $i] = 1
        if ($1 ~ /:$/) folders[substr($1, 1, length($1) - 1)] = 1
        next
      }
      !/^#include "/ { next }
      {
        from = substr(FILENAME, length(root) + 1)
        if (!sub(/\/.*/, "", from)) next
        to = $2
        gsub(/"/, "", to)
        if (!sub(/\/.*/, "", to)) to = "the files beside the folders"
        if (!(from in folders)) print FILENAME ": its folder is not in layers.txt"
        else if (from != to && !((from, to) in allowed)) print FILENAME ":" FNR ": " from " must not include " to
      }' "$layers")
    [[ -z $hits ]] && continue
    printf 'includes against %s:\n%s\n' "$layers" "$hits"
    return 1
  done < <(our_files 'modules/*/src/layers.txt')
}

step_layering() {
  folder_layers || return 1
  build release
  run_tests release -R '^layering\.'
}

step_package() {
  build release
  tests/consumer/run.sh build/release build/consumer
}

step_asan() {
  build asan
  run_tests asan
}

step_tsan() {
  build tsan
  run_tests tsan
}

check() {
  local steps=("$@") step known started status
  [[ $# -gt 0 ]] || steps=("${check_steps[@]}")
  for step in "${steps[@]}"; do
    if [[ $step == help ]]; then
      check_usage
      return
    fi
    known=" ${check_steps[*]} "
    [[ $known == *" $step "* ]] || die "unknown step '$step'; expected one of: ${check_steps[*]}"
  done
  # The checks of .ci/run need two small packages.
  case " ${steps[*]} " in
    *' headers '* | *' flags '* | *' package '* | *' tidy '* | *' asan '* | *' tsan '*) need_packages "checking" build style check ;;
    *) need_packages "checking" build style ;;
  esac
  for step in "${steps[@]}"; do
    echo "== check $step"
    started=$SECONDS
    # Not inside an `if` or `||`, where bash would ignore `set -e`.
    set +e
    (
      set -e
      "step_$step"
    )
    status=$?
    set -e
    if [[ $status -ne 0 ]]; then
      echo "== check $step FAILED after $((SECONDS - started)) s; again: ./dev check $step"
      exit 1
    fi
    echo "== check $step passed in $((SECONDS - started)) s"
  done
  echo "== check passed: ${steps[*]}"
}
