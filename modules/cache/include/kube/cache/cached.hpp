// SPDX-License-Identifier: Apache-2.0
//
// kube::Cached<T>: an object of a cache, as stores, listers, handlers and index functions hand it
// out. Key and version are at hand; the body is decoded on first use, once, and is const.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <kube/base/result.hpp>
#include <kube/cache/cell.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/field_view.hpp>
#include <kube/codec/object.hpp>
#include <kube/names/object_key.hpp>

namespace kube {

namespace cache {

template <Object T>
constexpr auto descriptor_of() -> const meta::TypeDescriptor& (*)() {
  if constexpr (Described<T>) {
    return &T::descriptor;
  } else {
    return nullptr;
  }
}

/// Appends an object in the form in which cells hold it.
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

/// The reverse of it.
template <Object T>
Result<std::unique_ptr<T>> decode_body(Encoding encoding, std::string_view body) {
  auto object = std::make_unique<T>();
  if constexpr (Described<T>) {
    const Result<void> read = encoding == Encoding::Json
                                  ? meta::read_json(body, T::descriptor(), object.get())
                                  : meta::read_protobuf(body, T::descriptor(), object.get());
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

/// What names an object; views into it.
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

/// The CellType of T: one constant for the program.
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

}  // namespace cache

/// A shared, immutable object. Cheap to copy; may be kept, which costs its memory.
///
/// To change it, copy it: `Pod next = *pod;`. Writing through a Cached does not compile.
///
/// What an empty one (of an object that is not there) is asked for is "", false or an Error.
///
/// @par Lifetimes   What is read through a Cached lives as long as it, or a copy of it, does. A
///   temporary one hands out nothing of its object but a copy: give it a name first. For loops and
///   references, `lister.get(key).value()->spec` would be gone before it is looked at; it does not
///   compile.
/// @par Thread safety   A value; the object behind it is immutable and may be read from any thread.
/// @par Cost   key(), uid() and resource_version() are free. The first operator-> or * of any
///   holder decodes; the decoded form is shared and dropped with the last holder.
/// @par Errors   operator-> and * throw ApiException when the bytes are not a T (a server's fault:
///   Decode) or there is no object (InvalidArgument); get() returns these as values.
template <Object T>
class Cached {
 public:
  Cached() noexcept = default;
  explicit Cached(const cache::CellRef& cell) noexcept : user_(cell) {}
  explicit Cached(cache::CellUser user) noexcept : user_(std::move(user)) {}

  explicit operator bool() const noexcept { return user_.get() != nullptr; }

  /// The object's, "" of none.
  std::string_view key() const& noexcept { return text(&cache::Cell::key); }
  std::string_view namespace_() const& noexcept { return text(&cache::Cell::namespace_); }
  std::string_view name() const& noexcept { return text(&cache::Cell::name); }
  std::string_view uid() const& noexcept { return text(&cache::Cell::uid); }
  std::string_view resource_version() const& noexcept {
    return text(&cache::Cell::resource_version);
  }
  std::string_view key() const&& = delete;               // Give the Cached a name first.
  std::string_view namespace_() const&& = delete;        // Give the Cached a name first.
  std::string_view name() const&& = delete;              // Give the Cached a name first.
  std::string_view uid() const&& = delete;               // Give the Cached a name first.
  std::string_view resource_version() const&& = delete;  // Give the Cached a name first.
  ObjectKey object_key() const { return {std::string(namespace_()), std::string(name())}; }

  const T& operator*() const& { return *get().value(); }
  T operator*() const&& { return *get().value(); }  ///< A copy, of a temporary.
  const T* operator->() const& { return get().value(); }
  const T* operator->() const&& = delete;  // Give the Cached a name first.
  Result<const T*> get() const& {
    auto decoded = user_.decoded();
    if (!decoded) return decoded.error();
    return static_cast<const T*>(*decoded);
  }
  Result<const T*> get() const&& = delete;  // Give the Cached a name first.

  /// One field, read from the object's bytes without decoding the rest; FieldView::read() says as
  /// what type. Of a path that was compiled for T.
  /// @par Errors   Decode for wrong bytes, InvalidArgument when the field is of another type.
  /// @par Cost   Of an object that is held decoded (StoragePolicy::Decoded), that of encoding it.
  template <class F>
  requires Described<T> Result<F> read(const meta::FieldLocator& path)
  const {
    if (!*this) return get().error();
    const cache::Cell& held = cell();
    std::string encoded;
    std::string_view body = held.body();
    if (body.empty()) {
      auto object = get();
      if (!object) return object.error();
      cache::encode_body(**object, held.encoding(), encoded);
      body = encoded;
    }
    const auto field =
        held.encoding() == Encoding::Protobuf ? path.find_in_message(body) : path.find(body);
    if (!field) return field.error().with_context("object " + std::string(key()));
    return field->template read<F>();
  }

  /// The cell behind it, for code that works on bytes. Requires that there is one.
  const cache::Cell& cell() const& noexcept { return *user_.get(); }
  const cache::Cell& cell() const&& = delete;  // Use ref(), or give the Cached a name first.
  cache::CellRef ref() const noexcept { return user_.ref(); }

  /// The same cell: the same version of the same object from the same cache.
  friend bool operator==(const Cached& a, const Cached& b) noexcept {
    return a.user_.get() == b.user_.get();
  }

 private:
  std::string_view text(std::string_view (cache::Cell::*part)() const noexcept) const noexcept {
    return *this ? (user_.get()->*part)() : std::string_view();
  }

  cache::CellUser user_;
};

}  // namespace kube
