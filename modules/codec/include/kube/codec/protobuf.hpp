// SPDX-License-Identifier: Apache-2.0
//
// application/vnd.kubernetes.protobuf: described types as protobuf messages, and the envelope that
// names the type of a message. Pure functions: any thread may call them.
#pragma once

#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/base/text_argument.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/codec/object.hpp>

namespace kube::meta {

/// The first bytes of an object that has an envelope.
inline constexpr std::string_view kProtobufMagic{"k8s\0", 4};

/// The maximum depth of nested messages; deeper input is an error. It suffices for what JSON can
/// hold (json::kMaxDepth).
inline constexpr int kMaxProtobufDepth = 512;

/// Reads a message without an envelope into `*object`, a default-constructed value of the type.
/// Fields may be in any order, numbers packed or not; unknown fields are skipped. For a duplicate
/// field the last value wins; messages, lists and maps are merged. The bytes of a RawExtension must
/// be empty, one JSON value, or an object in its envelope.
/// @par Errors   Decode; names the kind, the field's path and the byte offset. `*object` is then
///   partly filled and must be dropped.
/// @par Cost   One pass. Memory grows with the bytes that exist, not with lengths that they claim.
Result<void> read_protobuf(std::string_view message, const TypeDescriptor& type, void* object);

/// Appends the message of a value without an envelope, byte for byte as Go's generated code writes
/// it: fields by ascending number, map entries by key, unset fields that aren't optional with their
/// zero value. Appends nothing for a type without has_protobuf().
/// @par Cost   One pass and one growth of `out`.
void write_protobuf(const void* object, const TypeDescriptor& type, std::string& out);

/// False for the few types that exist in JSON only (meta.v1.Table).
inline bool has_protobuf(const TypeDescriptor& type) {
  return !type.wire.fields.empty() || type.fields.empty();
}

/// runtime.Unknown: an undecoded object, as views into the bytes of the envelope.
struct Unknown {
  std::string_view api_version{};
  std::string_view kind{};
  std::string_view raw{};  ///< The message, or the raw content if content_type is another one.
  std::string_view content_encoding{};
  std::string_view content_type{};  ///< Empty: protobuf.
};

/// Whether the bytes begin with kProtobufMagic.
inline bool is_protobuf(std::string_view bytes) {
  return bytes.starts_with(kProtobufMagic);
}

/// Returns the envelope of an object.
/// @par Errors   Decode for bytes without the magic, or without a runtime.Unknown after it; with
///   the offset.
Result<Unknown> open_envelope(std::string_view bytes);
template <TemporaryText T>
Result<Unknown> open_envelope(T&& bytes) = delete;  // Give the bytes a name first.

/// Appends the magic and the envelope.
void write_envelope(const Unknown& unknown, std::string& out);

/// read_protobuf() for a message in an envelope. Its apiVersion and kind, if present, must be the
/// type's; its content must be protobuf.
/// @par Errors   As read_protobuf() and open_envelope(); Decode for an envelope of another type or
///   content, with what was expected and what was found.
Result<void> read_enveloped(std::string_view bytes, const TypeDescriptor& type, void* object);

/// write_protobuf() with an envelope around the message.
/// @par Errors   InvalidArgument for a type without has_protobuf(); names the type.
Result<void> write_enveloped(const void* object, const TypeDescriptor& type, std::string& out);

/// Reads a T in its envelope.
/// @par Errors   As read_enveloped().
template <Described T>
Result<T> from_protobuf(std::string_view bytes) {
  auto value = Result<T>::make();  // returned in any case, and so never moved
  if (auto read = read_enveloped(bytes, T::descriptor(), &*value); !read) value = read.error();
  return value;
}

/// Returns a value in its envelope.
/// @par Errors   As write_enveloped().
template <Described T>
Result<std::string> to_protobuf(const T& value) {
  Result<std::string> out{std::string()};
  if (auto written = write_enveloped(&value, T::descriptor(), *out); !written)
    return written.error();
  return out;
}

}  // namespace kube::meta
