// SPDX-License-Identifier: Apache-2.0
//
// kube::Cached<T>: an object of a cache, as listers, indexers, handlers and index functions pass
// it. Key and version are available at once; the body is decoded once, on first use, and is const.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <kube/base/result.hpp>
#include <kube/cache/detail/typed_cell.hpp>
#include <kube/codec/field_view.hpp>
#include <kube/codec/object.hpp>
#include <kube/names/object_key.hpp>

namespace kube {

/// A shared, immutable object. Cheap to copy; a program may keep it, which costs the memory of the
/// object.
///
/// To change it, copy it: `Pod next = *pod;`. Writing through a Cached does not compile.
///
/// An empty Cached (of an object that does not exist) returns "", false or an Error.
///
/// @par Lifetimes   References and views into the object are valid as long as the Cached or a copy
///   of it lives. A temporary Cached returns only copies: give it a name first.
///   `lister.get(key).value()->spec` in a loop or a reference would be destroyed before it is used;
///   it does not compile.
/// @par Thread safety   A value; its object is immutable and may be read from any thread.
/// @par Cost   key(), uid() and resource_version() are free. The first operator-> or * of any
///   holder decodes the object; the decoded object is shared, and freed with the last holder.
/// @par Errors   operator-> and * throw ApiException when the bytes are not a T (Decode) or there
///   is no object (InvalidArgument); get() returns these as values.
/// @par Blocks   Decoding waits while another thread decodes the same object.
template <Object T>
class Cached {
 public:
  Cached() noexcept = default;
  explicit Cached(const cache::CellRef& cell) noexcept : user_(cell) {}
  explicit Cached(cache::CellUser user) noexcept : user_(std::move(user)) {}
  /// For results of queries.
  explicit Cached(const cache::Cell& cell) noexcept : user_(cell) {}
  Cached(cache::Borrowed borrowed, const cache::Cell& cell) noexcept : user_(borrowed, cell) {}

  explicit operator bool() const noexcept { return user_.get() != nullptr; }

  /// Returns the key: namespace and name, or what the key function of its Store makes; "" when
  /// there is no object.
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
  T operator*() const&& { return *get().value(); }  ///< A temporary returns a copy.
  const T* operator->() const& { return get().value(); }
  const T* operator->() const&& = delete;  // Give the Cached a name first.
  /// @par Errors   Decode: the bytes are not a T. InvalidArgument: there is no object.
  Result<const T*> get() const& {
    auto decoded = user_.decoded();
    if (!decoded) return decoded.error();
    return static_cast<const T*>(*decoded);
  }
  Result<const T*> get() const&& = delete;  // Give the Cached a name first.

  /// Reads one field from the bytes of the object without decoding the rest, as one of the types of
  /// FieldView::read(). The path must be compiled for T.
  /// @par Errors   Decode: the bytes are invalid. InvalidArgument: the field has another type, or
  ///   there is no object.
  /// @par Cost   An object under StoragePolicy::Decoded is encoded first.
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

  /// The cell, for code that works on bytes. Requires an object.
  const cache::Cell& cell() const& noexcept { return *user_.get(); }
  const cache::Cell& cell() const&& = delete;  // Use ref(), or give the Cached a name first.
  cache::CellRef ref() const noexcept { return user_.ref(); }

  /// Whether both are the same cell: the same version of the same object from the same cache.
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
