// SPDX-License-Identifier: Apache-2.0
#include <kube/names/raw_extension.hpp>

#include <kube/json/value.hpp>

namespace kube::meta {

RawExtension RawExtension::from(const json::Value& value) {
  return {json::dump(value)};
}

Result<json::Value> RawExtension::value() const {
  if (raw.empty()) return json::Value();
  return json::parse(raw);
}

}  // namespace kube::meta
