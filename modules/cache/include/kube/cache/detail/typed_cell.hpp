// SPDX-License-Identifier: Apache-2.0
//
// Encodes and decodes the objects of cells, for Cell, which does not know their C++ type.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <kube/base/result.hpp>
#include <kube/cache/detail/cell.hpp>
#include <kube/client/content.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/object.hpp>

namespace kube::cache {

template <Object T>
constexpr auto descriptor_of() -> const meta::TypeDescriptor& (*)() {
  if constexpr (Described<T>) {
    return &T::descriptor;
  } else {
    return nullptr;
  }
}

/// Appends an object in the encoding of a cell.
template <Object T>
void encode_body(const T& object, Encoding encoding, std::string& out) {
  if constexpr (Described<T>) {
    if (encoding == Encoding::Protobuf) {
      meta::write_protobuf(&object, T::descriptor(), out);
      return;
    }
  }
  out += meta::to_json(object);
}

/// Decodes the body of a cell.
/// @par Errors   Decode: the bytes are not a T.
template <Object T>
Result<std::unique_ptr<T>> decode_body(Encoding encoding, std::string_view body) {
  auto object = std::make_unique<T>();
  if constexpr (Described<T>) {
    const Result<void> read = [&]() -> Result<void> {
      if (encoding == Encoding::Protobuf) {
        return meta::read_protobuf(body, T::descriptor(), object.get());
      }
      if constexpr (response_form<T>() == ResponseForm::Metadata) {
        return read_metadata(body, *object);
      } else {
        return meta::read_json(body, T::descriptor(), object.get());
      }
    }();
    if (!read) return read.error();
  } else {
    if (encoding != Encoding::Json)
      return Error(ErrorCode::Decode, "expected JSON, found protobuf");
    auto read = meta::from_json<T>(body);
    if (!read) return read.error();
    *object = std::move(*read);
  }
  return object;
}

/// The names and the version of an object, as views into it.
template <Object T>
Cell::Parts parts_of(const T& object) {
  Cell::Parts parts;
  if constexpr (Described<T>) {
    parts.namespace_ = object.metadata.namespace_;
    parts.name = object.metadata.name;
    parts.uid = object.metadata.uid;
    parts.resource_version = object.metadata.resource_version;
  } else {
    parts.namespace_ = object.namespace_();
    parts.name = object.name();
    parts.uid = object.uid();
    parts.resource_version = object.resource_version();
  }
  return parts;
}

/// Returns the CellType of T: one constant per program.
template <Object T>
const CellType& cell_type() {
  static constexpr CellType kType{
      [](Encoding encoding, std::string_view body) -> Result<void*> {
        auto object = decode_body<T>(encoding, body);
        if (!object) return object.error();
        return static_cast<void*>(object->release());
      },
      [](void* object) { delete static_cast<T*>(object); }, sizeof(T), descriptor_of<T>(),
      [](const void* object, std::string_view namespace_, std::string_view name) {
        const Cell::Parts parts = parts_of(*static_cast<const T*>(object));
        return parts.name == name && parts.namespace_ == namespace_;
      }};
  return kType;
}

}  // namespace kube::cache
