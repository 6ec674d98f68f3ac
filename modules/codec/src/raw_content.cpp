// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/raw_content.hpp>

namespace kube::meta {

RawContent guess_content(std::string_view raw) {
  if (raw.starts_with("\xd9\xd9\xf7")) return RawContent::Cbor;
  constexpr std::string_view kStarts = "\t\r\n {[ntf\"-0123456789";
  return !raw.empty() && kStarts.find(raw.front()) != std::string_view::npos ? RawContent::Json
                                                                             : RawContent::Unknown;
}

Result<json::Value> to_value(const RawExtension& extension) {
  if (!extension.is_set()) return json::Value();
  switch (guess_content(extension.raw)) {
    case RawContent::Json: {
      auto value = json::parse(extension.raw);
      if (!value) return value.error().with_context("failed to parse RawExtension bytes as JSON");
      return value;
    }
    case RawContent::Cbor:
      return Error(ErrorCode::Decode, "cannot convert RawExtension in CBOR to unstructured");
    case RawContent::Unknown:
      break;
  }
  return Error(ErrorCode::Decode,
               "cannot convert RawExtension with unrecognized content type to unstructured");
}

}  // namespace kube::meta
