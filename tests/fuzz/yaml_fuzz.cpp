// SPDX-License-Identifier: Apache-2.0
//
// A manifest is an error, or values whose print reads back as the same ones.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <kube/api/example/v1.hpp>
#include <kube/codec/yaml.hpp>
#include <kube/json/yaml.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace json = kube::json;
  namespace yaml = kube::yaml;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto documents = yaml::parse_all(text);
  const auto unique = yaml::parse_all(text, {.reject_duplicate_keys = true});
  std::vector<std::string> repeated;
  const auto reported = yaml::parse_all(text, repeated);
  if (unique && (!documents || !repeated.empty())) std::abort();
  if (reported && !documents) std::abort();
  (void)kube::meta::from_yaml<kube::example::v1::Everything>(text, {.strict = true});
  if (!documents) return 0;
  for (const auto& document : *documents) {
    const auto again = yaml::parse_all(yaml::dump(document));
    if (!again) std::abort();
    // As JSON, where a large number with an exponent and the integer that it is printed as are one.
    if (document.is_null()
            ? !again->empty()
            : again->size() != 1 || json::dump(again->front()) != json::dump(document))
      std::abort();
  }
  return 0;
}
