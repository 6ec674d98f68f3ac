// SPDX-License-Identifier: Apache-2.0
//
// The encodings of objects between client and server. The bytes show which one it is: an object, a
// list or a Status in protobuf begins with a magic number that no JSON text begins with.
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

namespace meta {
struct PartialObjectMetadata;
}

enum class Encoding : std::uint8_t { Json, Protobuf };

inline constexpr std::string_view kJsonMediaType = "application/json";
inline constexpr std::string_view kProtobufMediaType = "application/vnd.kubernetes.protobuf";

/// Larger than any object that a server stores; limits the memory that a broken or hostile server
/// can make the client use.
inline constexpr std::size_t kMaxObjectBytes = std::size_t{64} << 20;

/// Returns the encoding of an object, a list or a Status: all bytes but protobuf count as JSON.
inline Encoding encoding_of(std::string_view object) {
  return meta::is_protobuf(object) ? Encoding::Protobuf : Encoding::Json;
}

/// Returns the most compact encoding that a type supports.
template <class T>
Encoding preferred_encoding() {
  if constexpr (Described<T>) {
    if (meta::has_protobuf(T::descriptor())) return Encoding::Protobuf;
  }
  return Encoding::Json;
}

/// What a server makes of objects for a response: the objects, or their metadata alone.
enum class ResponseForm : std::uint8_t { Object, Metadata };

/// Returns the form that a type is requested in.
template <class T>
constexpr ResponseForm response_form() {
  return std::same_as<T, meta::PartialObjectMetadata> ? ResponseForm::Metadata
                                                      : ResponseForm::Object;
}

/// Returns the Accept header for the metadata of an object, or of the objects of a list, in the
/// encodings that `accept` has: a server that cannot make it answers with the objects in JSON.
std::string accept_metadata(std::string_view accept, bool is_list);

/// Reads the metadata of an object in JSON, of whatever kind, and skips the rest.
/// @par Errors   Decode: it is not an object, or its metadata can't be read.
Result<void> read_metadata(std::string_view object, meta::PartialObjectMetadata& into);
/// The same, for an object that was requested as metadata: a server that cannot make that answers
/// with the object.
/// @par Errors   As above; Decode, "object does not appear to match the ObjectMeta schema", when
///   there is nothing by which metadata are known.
Result<void> read_metadata_response(std::string_view object, meta::PartialObjectMetadata& into);

/// Decodes an object of a response, in either encoding.
/// @par Errors   Decode: the bytes are not a T.
template <class T>
Result<T> decode_object(std::string_view bytes) {
  if constexpr (response_form<T>() == ResponseForm::Metadata) {
    if (encoding_of(bytes) == Encoding::Protobuf) return meta::from_protobuf<T>(bytes);
    auto object = Result<T>::make();
    if (auto read = read_metadata_response(bytes, *object); !read) object = read.error();
    return object;
  }
  if (encoding_of(bytes) == Encoding::Json) return meta::from_json<T>(bytes);
  if constexpr (std::same_as<T, Unstructured>) {
    return Error(ErrorCode::Decode, "expected JSON, found protobuf");
  } else {
    return meta::from_protobuf<T>(bytes);
  }
}

/// The encoding of request bodies and the encodings to accept, for one resource of one server.
struct ContentChoice {
  Encoding body = Encoding::Json;
  std::string accept{kJsonMediaType};
};

/// Returns the encoding in the Content-Type of a response; nullopt when there is no Content-Type.
/// @par Errors   Decode: it can't be parsed, or is neither JSON nor protobuf.
Result<std::optional<Encoding>> encoding_of_answer(const transport::Headers& headers);
/// The same for a stream, where a Content-Type that can't be parsed is ignored.
Result<std::optional<Encoding>> encoding_of_stream(const transport::Headers& headers);

}  // namespace kube
