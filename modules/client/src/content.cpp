// SPDX-License-Identifier: Apache-2.0
//
// Reads the encoding of a response from its headers.
#include <kube/client/content.hpp>

#include <kube/base/printable.hpp>

#include "media_type.hpp"

namespace kube {
namespace {

Result<std::optional<Encoding>> named_by(const rest::MediaType& media) {
  if (media.type == kProtobufMediaType) return std::optional(Encoding::Protobuf);
  if (media.type == kJsonMediaType || media.type.ends_with("+json")) {
    return std::optional(Encoding::Json);
  }
  return Error(ErrorCode::Decode, "expected a response of type " + std::string(kJsonMediaType) +
                                      " or " + std::string(kProtobufMediaType) + ", got \"" +
                                      printable(media.type, 100) + "\"");
}

}  // namespace

Result<std::optional<Encoding>> encoding_of_answer(const transport::Headers& headers) {
  const std::string_view text = headers.find("Content-Type").value_or("");
  if (text.empty()) return std::optional<Encoding>();
  const Result<rest::MediaType> media = rest::parse_media_type(text);
  if (!media) {
    return Error(ErrorCode::Decode, "Internal error occurred: " + media.error().message());
  }
  return named_by(*media);
}

Result<std::optional<Encoding>> encoding_of_stream(const transport::Headers& headers) {
  const Result<rest::MediaType> media =
      rest::parse_media_type(headers.find("Content-Type").value_or(""));
  if (!media) return std::optional<Encoding>();
  return named_by(*media);
}

}  // namespace kube
