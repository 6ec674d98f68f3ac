// SPDX-License-Identifier: Apache-2.0
//
// The encodings of objects on their way between client and server. Bytes tell theirs: an object, a
// list or a Status in protobuf begins with a magic number that no JSON begins with.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/object.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/transport/round_tripper.hpp>

namespace kube {

enum class Encoding : std::uint8_t { Json, Protobuf };

inline constexpr std::string_view kJsonMediaType = "application/json";
inline constexpr std::string_view kProtobufMediaType = "application/vnd.kubernetes.protobuf";

/// Longer than any object that a server stores; what a broken or hostile one can make us hold.
inline constexpr std::size_t kMaxObjectBytes = std::size_t{64} << 20;

/// Of whole objects, lists and Statuses; what is neither counts as JSON.
inline Encoding encoding_of(std::string_view object) {
  return meta::is_protobuf(object) ? Encoding::Protobuf : Encoding::Json;
}

/// The best encoding that a type has.
template <class T>
Encoding preferred_encoding() {
  if constexpr (Described<T>) {
    if (meta::has_protobuf(T::descriptor())) return Encoding::Protobuf;
  }
  return Encoding::Json;
}

/// An object from an answer, in the encoding that it has.
/// @par Errors   Decode.
template <class T>
Result<T> decode_object(std::string_view bytes) {
  if (encoding_of(bytes) == Encoding::Json) return meta::from_json<T>(bytes);
  if constexpr (std::same_as<T, Unstructured>) {
    return Error(ErrorCode::Decode, "expected JSON, found protobuf");
  } else {
    return meta::from_protobuf<T>(bytes);
  }
}

/// What goes out for an object and what may come back, for one resource of one server.
struct ContentChoice {
  Encoding body = Encoding::Json;
  std::string accept{kJsonMediaType};
};

/// What the Content-Type of an answer says; nothing when there is none.
/// @par Errors   Decode: it can't be parsed, or names something else than JSON and protobuf.
Result<std::optional<Encoding>> encoding_of_answer(const transport::Headers& headers);
/// The same of a stream, where a type that can't be parsed counts as none.
Result<std::optional<Encoding>> encoding_of_stream(const transport::Headers& headers);

}  // namespace kube
