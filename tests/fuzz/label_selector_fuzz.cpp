// SPDX-License-Identifier: Apache-2.0
//
// A label selector either is an error or parses again from its own print.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <kube/names/label_selector.hpp>
#include <kube/names/labels.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)kube::labels::parse_set(text);
  (void)kube::labels::parse_to_label_selector(text);
  const auto selector = kube::labels::parse(text);
  if (!selector) return 0;
  const auto again = kube::labels::parse(selector->to_string());
  if (!again || again->to_string() != selector->to_string()) std::abort();
  (void)selector->matches(kube::labels::Set{{"a", "1"}, {"app", "web"}});
  return 0;
}
