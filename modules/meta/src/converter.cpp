// SPDX-License-Identifier: Apache-2.0
#include <kube/meta/converter.hpp>

namespace kube::meta {

json::Value to_value(const void* object, const TypeDescriptor& type) {
  std::string text;
  write_json(object, type, text);
  // Only RawExtension can hold what is no JSON; then there is no value of it.
  return json::parse(text).value_or(json::Value());
}

}  // namespace kube::meta
