// SPDX-License-Identifier: Apache-2.0
//
// A field selector either is an error or has a print that parses.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <kube/names/fields.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (kube::fields::unescape_value(kube::fields::escape_value(text)).value() != text) std::abort();
  const auto selector = kube::fields::parse(text);
  if (!selector) return 0;
  if (!kube::fields::parse(selector->to_string())) std::abort();
  (void)selector->matches(kube::fields::Set{{"metadata.name", "a"}});
  return 0;
}
