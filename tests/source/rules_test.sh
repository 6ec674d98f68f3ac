#!/usr/bin/env bash
# rules_test.sh: each script of scripts/source, and each search of scripts/check.sh for lines that no source may have, finds
# the fault that it is for, and none in a right tree.
set -euo pipefail
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../scripts/source" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
export PYTHONDONTWRITEBYTECODE=1
header=modules/base/include/kube/base/gate.hpp

fresh() {
  rm -rf "${tree:?}"/* "$tree/.git"
  mkdir -p "$tree"/{scripts/source,docs,modules/base/{include/kube/base/detail,src,tests},modules/{apiserver,client}/src}
  cd "$tree"
  git init -q .
  cat >"$header" <<'EOF'
// SPDX-License-Identifier: Apache-2.0
//
// kube::Gate, in a right header.
#pragma once

namespace kube {

/// Data alone.
struct Options {
  std::function<Result<void>(int)> check{};
  std::chrono::seconds timeout{};
  std::size_t max_bytes = std::size_t{1} << 20U;  ///< Bytes of a body.
};

namespace detail {
class Hidden {
 public:
  Result<int> quiet();
};
}  // namespace detail

/// @par Thread safety   All functions may be called from any thread.
class Gate : public Door {
 public:
  struct State;
  explicit Gate(Options options) : options_{std::move(options)} {}
  Result<int> inherited() override;

  /// The first and the second.
  /// @par Errors   Cancelled when asked to stop.
  Result<int> enter(std::stop_token stop);
  /// The same at once.
  Result<int> try_enter() { return enter({}); }

  bool closed() const { return closed_; }

 private:
  Result<int> private_one();
  Options options_;
  bool closed_ = false;
};

}  // namespace kube
EOF
  cp "$header" modules/base/include/kube/base/detail/inside.hpp
  printf '// SPDX-License-Identifier: Apache-2.0\n//\n// Shared between modules: not promised to users.\n#pragma once\n' \
    >modules/base/include/kube/base/shared.hpp
  echo '#include <kube/base/shared.hpp>' >modules/client/src/user.cpp
  # shellcheck disable=SC2016  # the document's quotes
  echo 'A `Gate` counts.' >docs/public-api.md
  touch modules/base/tests/gate_test.cpp
  printf 'kube/base/shared.hpp\tholds no code\n' >scripts/source/headers_without_tests
  { echo 'void long_one() {' && seq 70 | sed 's|.*|  f();|' && echo '}'; } >modules/base/src/long.cpp
  seq 401 | sed 's|$|;|; s|^|int i|' >modules/base/src/large.cpp
  printf 'modules/base/src/long.cpp:long_one\ta table\nmodules/base/src/large.cpp\tone table\n' >scripts/source/large
}

# found SCRIPT WHY: fails unless the script fails and says why.
found() {
  local output
  if output=$("$scripts/$1.py") || ! grep -qF -- "$2" <<<"$output"; then
    printf 'not found by %s: %s\n%s\n' "$1" "$2" "$output"
    exit 1
  fi
}

fresh
for script in comments contracts decisions units promised test_names sizes; do
  "$scripts/$script.py" || { echo "$script: a right tree is refused"; exit 1; }
done

while IFS='|' read -r script change why; do
  fresh
  sed -i "$change" "$header"
  found "$script" "$why"
done <<'END_OF_TABLE'
contracts|s/@par Thread safety/About threads/|gate.hpp:23: Gate lacks '@par Thread safety'
contracts|s/All functions may.*//|Gate lacks '@par Thread safety'
contracts|s/@par Errors.*/It may fail./|Gate::enter() lacks '@par Errors'
contracts|s/@par Errors.*/It may fail./|Gate::try_enter() lacks '@par Errors'
contracts|s/^  std::chrono::seconds timeout{};/  bool empty() const;/|Options lacks '@par Thread safety'
contracts|s/^  bool closed() const.*/  virtual void on_end(Result<void> result) = 0;/|Gate::on_end() lacks
contracts|s/^  bool closed() const.*/  template <class T>\n  auto find(T key) -> Result<T>;/|Gate::find() lacks
contracts|s/^  bool closed() const.*/  std::optional<Result<int>> next() const;/|Gate::next() lacks
units|s/std::chrono::seconds timeout/std::int64_t timeout_seconds/|timeout_seconds is a number
units|s/max_bytes =/limit =/|limit counts bytes
units|s/max_bytes = .*;/most = 0;/|most counts bytes
units|s/bool closed() const.*/void f(std::size_t limit = std::size_t{1} << 10);/|limit counts bytes
comments|s/^\/\/\/ Data alone.*/\/\/\/ What it throws\n\/\/\/   is caught and counted./|the rest of a line that was too long
comments|s/^\/\/\/ Data alone.*/\/\/\/ What arrives,\n\/\/\/   and nothing else./|the rest of a line that was too long
comments|s/^\/\/\/ Data alone.*/\/\/\/ InvalidArgument\n\/\/\/ when the name is wrong./|the rest of a line that was too long
comments|s/^\/\/\/ Data alone.*/\/\/\/\n\/\/\/ Data alone./|an empty line at the edge of a comment
comments|s/^\/\/\/ Data alone.*/\/\/\/ [C1] The first. [C2] The second./|two items of a list in one line
comments|s/^\/\/\/ Data alone.*/\/\/\/ Use it so:\n\/\/\/     gate.enter(stop);/|code behind a line that is not empty
comments|s/^\/\/\/ Data alone.*/\/\/\/ ```/|code is indented by three or more
promised|s/^\/\/ kube::Gate, .*/\/\/ Part of no public signature./|it belongs in detail/
promised|s/Gate\b/Passage/g; s/Options\b/Settings/g|nobody outside of its module includes it
END_OF_TABLE

# shellcheck source=scripts/check.sh
source "$scripts/../check.sh"
fresh
forbidden_lines || { echo "forbidden_lines: a right tree is refused"; exit 1; }
while IFS='|' read -r file line why; do
  fresh
  mkdir -p "$(dirname "$file")"
  echo "$line" >"$file"
  if output=$(forbidden_lines) || ! grep -qF -- "$why" <<<"$output" || ! grep -qF -- "$file:1:" <<<"$output"; then
    printf 'not found: %s in %s\n%s\n' "$line" "$file" "$output"
    exit 1
  fi
done <<'END_OF_TABLE'
apps/shop/src/till.hpp|  std::mutex mutex_;|a mutex that Clang's analysis does not see
apps/shop/src/till.cpp|#include <shared_mutex>|a mutex that Clang's analysis does not see
examples/one/one.cpp|std::recursive_mutex lock;|a mutex that Clang's analysis does not see
modules/base/include/kube/base/all.hpp|using namespace std;|using namespace in a header
modules/base/include/kube/base/all.hpp|#include <curl/curl.h>|third-party include in a public header
modules/base/include/kube/base/all.hpp|#include <gtest/gtest.h>|test library in a public header
modules/base/tests/all_test.cpp|std::this_thread::sleep_for(1s);|a unit test sleeps
modules/base/src/all.cpp|std::cerr << 1;|the library prints
modules/apiserver/src/requests/all.cpp|if (kind == "Pod") {|a kind's name outside of the server's kinds
modules/base/src/all.cpp|  std::thread thread_;|a thread that takes the program's signals
apps/shop/src/till.cpp|  std::vector<std::jthread> others;|a thread that takes the program's signals
modules/base/include/kube/base/all.hpp|  try {|an exception in a public header
modules/base/include/kube/base/all.hpp|  if (!value) throw 7;|an exception in a public header
modules/base/src/all.cpp|auto* that = dynamic_cast<Other*>(one);|RTTI, which classes of a program may lack
modules/base/src/all.cpp|int f();  // FIXME|unfinished work
END_OF_TABLE

fresh && rm modules/client/src/user.cpp
found promised "shared.hpp: shared between modules, and no other module includes it"
fresh && rm modules/base/tests/gate_test.cpp
found test_names "there is no modules/base/tests/gate_test.cpp"
fresh && touch modules/base/tests/shared_test.cpp
found test_names "kube/base/shared.hpp has modules/base/tests/shared_test.cpp"
fresh && echo kube/base/shared.hpp >scripts/source/headers_without_tests
found test_names "kube/base/shared.hpp has no reason"
fresh && sed -i 's/long_one.*//' scripts/source/large
found sizes "long_one(): 72 lines, more than 60"
fresh && : >scripts/source/large
found sizes "modules/base/src/large.cpp: 401 lines, more than 400"
fresh && : >modules/base/src/large.cpp
found sizes "large.cpp is not above the bound"

# A decision on the text of an error, and what is none.
fresh
cat >modules/client/src/user.cpp <<'EOF'
#include <kube/base/shared.hpp>
bool f(const Error& error, const Error& previous) {
  // error.message().find("x") in a comment is none
  log(error.message());
  const std::string text = error.message();
  if (is_on(error) && text.empty()) return Error(error.code(), "on " + previous.message());
  const std::string other = "reset";
  // by text: old servers have no cause
  if (error.message().find("too old") != std::string::npos) return false;
  return error.reason() == "Expired" && other.starts_with("re");
}
bool g(std::string_view text) { return text.starts_with("re"); }

// What an old server says.
// by text: it has no other way
bool h(const Error& error) {
  if (error.code() == 0) return false;
  return error.message() == "old";
}
EOF
"$scripts/decisions.py" || { echo "decisions: a right tree is refused"; exit 1; }
while read -r decision; do
  fresh
  printf '#include <kube/base/shared.hpp>\nbool f(const Error& error) {\n%s\n}\n' "$decision" >modules/client/src/user.cpp
  found decisions "modules/client/src/user.cpp:3: decides on the text of an error"
  mkdir -p apps/shop/src modules/client/tests && cp modules/client/src/user.cpp apps/shop/src/till.cpp
  mv modules/client/src/user.cpp modules/client/tests/user_test.cpp
  found decisions "apps/shop/src/till.cpp:3: decides on the text of an error"
  rm apps/shop/src/till.cpp
  "$scripts/decisions.py" || { echo "decisions: a test is refused"; exit 1; }
done <<'END_OF_TABLE'
return error.message().starts_with("reset");
return error.message().find("reset") != std::string::npos;
return result.error().to_string().ends_with("reset");
return error.message() == "reset";
return "reset" == result.error().message();
return text::contains(error.message(), "reset");
return std::strstr(thrown.what(), "reset") != nullptr;
const std::string& why = error.message(); return why.contains("reset");
return error.message().substr(0, 5) == "reset";
const std::string why = error.message().substr(7); return why.empty();
return to_lower(error.message()).find("reset") != std::string::npos;
return is_lost(error.message());
return std::regex_search(std::string(error.message()), kReset);
return "reset" == ascii::to_lower(error.message());
const Error& e = error; return e.to_string().find("reset") != std::string::npos;
return std::string_view(error_text_).find("reset") != std::string_view::npos;
return message == curl_easy_strerror(code);
const auto why = error.to_string(); if (is_on()) { return false; } return why != "reset";
return error.message().ends_with("reset");  // by text: the reason is in the wrong place
END_OF_TABLE

# Six modules, of which base, with the file of 401 lines, is the largest by far.
fresh && for module in api cache codec config json; do
  mkdir -p "modules/$module/src" && seq 20 | sed 's|^|// |' >"modules/$module/src/small.cpp"
done
found sizes "modules/base: "
