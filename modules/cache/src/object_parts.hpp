// SPDX-License-Identifier: Apache-2.0
//
// From the bytes of one object to its cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/cache/detail/cell.hpp>
#include <kube/cache/informer_options.hpp>
#include <kube/client/content.hpp>
#include <kube/json/object_members.hpp>

namespace kube::cache {

/// Decode when nothing in this encoding is an object of the type.
inline Result<void> check_encoding(const CellType& type, Encoding encoding) {
  if (encoding == Encoding::Json || type.descriptor != nullptr) return {};
  return Error(ErrorCode::Decode, "expected JSON, found protobuf");
}

/// What a list says once for all its items, for types whose objects must carry it themselves.
struct ObjectDefaults {
  std::string api_version;
  std::string kind;
};

/// Why a cache can't hold an object.
struct Refusal {
  /// InvalidArgument for a name or namespace that no path can have, Decode for metadata that can't
  /// be read, or an object that is too large.
  Error error;
  std::string version{};  ///< Of an object without a cell: its version, if it has one.
};

/// One object of a list or a watch. Small: it is moved from hand to hand.
struct Arrived {
  /// When it was refused: null, or one without a body that says whose state it was.
  CellRef cell{};
  Optional<Refusal> refused{};

  /// Has the error say where in the body it was: `where()`, called only if there is one.
  template <class Where>
  Arrived at(Where&& where) && {
    if (refused) refused->error = refused->error.with_context(where());
    return std::move(*this);
  }
};

/// Makes cells of one type from objects. Reads metadata.name, namespace, uid and
/// resourceVersion straight from the bytes; the rest is not looked at (policy Decoded: decoded
/// now).
class CellMaker {
 public:
  /// Objects without "kind" get `defaults` put in front.
  CellMaker(const CellType& type, StoragePolicy policy, std::optional<ObjectDefaults> defaults = {},
            std::size_t max_object_bytes = kMaxObjectBytes);

  /// Decode when the text has no metadata, no name, or parts that are not strings or too long;
  /// InvalidArgument when its name or namespace can't be a segment of a path: "a/b" and "c" would
  /// have the key of "a" and "b/c". `nameless`: a bookmark, whose name does not matter.
  /// The object is JSON or a bare protobuf message, whose kind is the type's.
  Result<CellRef> make(Encoding encoding, std::string_view object, bool nameless = false);

  /// What make() has just returned, or an error that came before it.
  Arrived arrived(Result<CellRef> made) {
    if (made) return {*std::move(made), {}};
    return {{}, Refusal{made.error(), std::exchange(refused_version_, {})}};
  }

  /// The largest that is taken; what is beyond it is for too_large().
  std::size_t max_object_bytes() const { return max_object_bytes_; }
  /// One of `size` bytes, which nobody held: `beginning` is how it begins.
  Arrived too_large(Encoding encoding, std::string_view beginning, std::uint64_t size);

 private:
  struct Found {
    Cell::Parts parts{};
    bool has_kind = false;
    bool has_metadata = false;
    Result<void> read{};  ///< What is wrong, if anything.
  };
  Found find_parts(Encoding encoding, std::string_view object, json::Extent extent);
  static Found find_parts_in_message(std::string_view message);
  static Result<void> check(const Found& found, bool nameless);
  Error refuse(const Found& found, const Error& why);
  Result<CellRef> make(const Cell::Parts& parts, bool nameless) const;

  const CellType* type_;
  StoragePolicy policy_;
  std::optional<ObjectDefaults> defaults_;
  std::size_t max_object_bytes_;
  std::string spliced_;     // scratch
  std::string storage_[4];  // unescaped parts, scratch
  std::string refused_version_;
};

}  // namespace kube::cache
