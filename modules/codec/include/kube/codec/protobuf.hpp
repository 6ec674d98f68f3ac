// SPDX-License-Identifier: Apache-2.0
//
// application/vnd.kubernetes.protobuf: described types as protobuf messages, and the envelope that
// says of which type a message is. The engine works from the descriptors, as that of JSON does.
#pragma once

#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/codec/object.hpp>

namespace kube::meta {

/// In front of an object that has an envelope.
inline constexpr std::string_view kProtobufMagic{"k8s\0", 4};

/// Messages may be nested this deep; deeper input is an error, not a stack overflow. What JSON can
/// hold (json::kMaxDepth) fits.
inline constexpr int kMaxProtobufDepth = 512;

/// Reads a bare message, one without an envelope, into `*object`, a default-constructed value of
/// the type. Fields may come in any order, numbers packed or not; unknown fields are skipped. A
/// field that comes twice: the last value counts, messages, lists and maps grow together. Raw bytes
/// of a RawExtension must be empty, one JSON value, or an object in its envelope.
/// Errors are Decode and name kind, field path and byte offset; `*object` is then partly filled and
/// must be dropped.
/// @par Cost   One pass. Memory is taken for what is there, not for lengths that the input claims.
Result<void> read_protobuf(std::string_view message, const TypeDescriptor& type, void* object);

/// Appends the bare message of a value, byte for byte as Go's generated code writes it: fields by
/// ascending number, map entries by key, unset fields that aren't optional with their zero value.
/// Nothing for a type that has_protobuf() denies.
/// @par Cost   One pass and one growth of `out`.
void write_protobuf(const void* object, const TypeDescriptor& type, std::string& out);

/// False for the few types that exist in JSON only (meta.v1.Table).
inline bool has_protobuf(const TypeDescriptor& type) {
  return !type.wire.fields.empty() || type.fields.empty();
}

/// runtime.Unknown: an object that isn't decoded. Views into the bytes it was opened from.
struct Unknown {
  std::string_view api_version{};
  std::string_view kind{};
  std::string_view raw{};  ///< The message; of another content_type whatever that is.
  std::string_view content_encoding{};
  std::string_view content_type{};  ///< Empty: protobuf.
};

/// Whether the bytes begin as an object with an envelope does.
inline bool is_protobuf(std::string_view bytes) {
  return bytes.starts_with(kProtobufMagic);
}

/// The envelope of an object.
/// @par Errors   Decode: no magic, or not a runtime.Unknown behind it.
Result<Unknown> open_envelope(std::string_view bytes);

/// Appends magic and envelope.
void write_envelope(const Unknown& unknown, std::string& out);

/// read_protobuf() with an envelope around the message. Its apiVersion and kind must be the type's,
/// when there are any; its content must be protobuf.
Result<void> read_enveloped(std::string_view bytes, const TypeDescriptor& type, void* object);

/// write_protobuf() with an envelope around the message.
/// @par Errors   InvalidArgument for a type that has_protobuf() denies.
Result<void> write_enveloped(const void* object, const TypeDescriptor& type, std::string& out);

/// T of an object with its envelope.
template <Described T>
Result<T> from_protobuf(std::string_view bytes) {
  auto value = Result<T>::make();  // returned in any case, and so never moved
  if (auto read = read_enveloped(bytes, T::descriptor(), &*value); !read) value = read.error();
  return value;
}

template <Described T>
Result<std::string> to_protobuf(const T& value) {
  Result<std::string> out{std::string()};
  if (auto written = write_enveloped(&value, T::descriptor(), *out); !written)
    return written.error();
  return out;
}

}  // namespace kube::meta
