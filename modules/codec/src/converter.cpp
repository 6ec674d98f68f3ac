// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/converter.hpp>

namespace kube::meta {

json::Value to_value(const void* object, const TypeDescriptor& type) {
  std::string text;
  write_json(object, type, text);
  // A document nested deeper than json::kMaxDepth has no value.
  return json::parse(text).value_or(json::Value());
}

}  // namespace kube::meta
