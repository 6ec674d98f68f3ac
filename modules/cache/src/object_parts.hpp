// SPDX-License-Identifier: Apache-2.0
//
// Makes the cell of one object from its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/cache/detail/cell.hpp>
#include <kube/cache/detail/delta.hpp>
#include <kube/cache/informer_options.hpp>
#include <kube/client/content.hpp>
#include <kube/json/object_members.hpp>

#include "drop_fields.hpp"

namespace kube::cache {

/// Fails with Decode when the type does not support this encoding.
inline Result<void> check_encoding(const CellType& type, Encoding encoding) {
  if (encoding == Encoding::Json || type.descriptor != nullptr) return {};
  return Error(ErrorCode::Decode, "expected JSON, found protobuf");
}

/// The apiVersion and kind of the items of a list, for types whose objects must contain them.
struct ObjectDefaults {
  std::string api_version;
  std::string kind;
};

/// What is added to and left out of each object that arrives.
struct ObjectChanges {
  std::optional<ObjectDefaults> defaults{};  ///< For JSON without kind.
  DropFields drop_fields{};
};

/// Why a cache can't store an object.
struct Refusal {
  /// InvalidArgument for a name or namespace that can't be in a path; Decode for metadata that
  /// can't be read, or for an object that is too large.
  Error error;
  std::string version{};    ///< The version of an object without a cell, if it has one.
  bool ends_watch = false;  ///< It is no object: the server ends the watch, with this error.
};

/// One object of a list (Replaced) or one event of a watch. Small, because it is moved often.
struct Arrived {
  /// The cell of a refused object: null, or one without a body that has its names.
  Delta delta{};
  Optional<Refusal> refused{};

  bool ends_watch() const { return refused && refused->ends_watch; }
  /// Adds the position in the body, `where()`, to the error of a refused object.
  template <class Where>
  void came_from(Where&& where) {
    if (refused && !refused->ends_watch) refused->error = refused->error.with_context(where());
  }
};

using OnArrived = std::function<void(Arrived)>;

/// Makes cells of one type from objects. Reads metadata.name, namespace, uid and
/// resourceVersion from the bytes and skips the rest (under StoragePolicy::Decoded, decodes the
/// object now). What is left out is left out before anything else sees the object.
class CellMaker {
 public:
  CellMaker(const CellType& type, StoragePolicy policy, ObjectChanges changes = {},
            std::size_t max_object_bytes = kMaxObjectBytes);

  /// `object` is JSON or a bare protobuf message of the type's kind. `nameless` is set for
  /// bookmarks, which stay as they are. Fails with Decode when the object has no metadata or no
  /// name, or parts that are not strings or are too long; with InvalidArgument when its name or
  /// namespace can't be a segment of a path: "a/b" and "c" would have the key of "a" and "b/c".
  Result<CellRef> make(Encoding encoding, std::string_view object, bool nameless = false);

  /// Takes the last result of make(), or an error that occurred before it.
  Arrived arrived(DeltaType type, Result<CellRef> made) {
    if (made) return {{.type = type, .cell = *std::move(made)}, {}};
    return {{.type = type}, Refusal{made.error(), std::exchange(refused_version_, {})}};
  }

  /// Returns the maximum size of an object; use too_large() for larger ones.
  std::size_t max_object_bytes() const { return max_object_bytes_; }
  /// Refuses an object of `size` bytes of which only the `beginning` is known.
  Arrived too_large(DeltaType type, Encoding encoding, std::string_view beginning,
                    std::uint64_t size);

 private:
  struct Found {
    Cell::Parts parts{};
    bool has_kind = false;
    bool is_table = false;  ///< Its kind is Table, of whatever group.
    bool has_metadata = false;
    Result<void> read{};  ///< The error, if any.
  };
  Found find_parts(Encoding encoding, std::string_view object, json::Extent extent);
  static Found find_parts_in_message(std::string_view message);
  static Result<void> check(const Found& found, bool nameless);
  Error refuse(const Found& found, const Error& why);
  /// Puts the object into `parts` as it is stored.
  /// @par Errors   Decode: the object has to be read to leave fields out, and can't be.
  Result<void> set_body(std::string_view object, bool has_kind, Cell::Parts& parts);
  Result<CellRef> make(const Cell::Parts& parts, bool nameless) const;

  const CellType* type_;
  StoragePolicy policy_;
  ObjectChanges changes_;
  std::size_t max_object_bytes_;
  std::string dropped_;     // scratch
  std::string spliced_;     // scratch
  std::string storage_[4];  // unescaped parts, scratch
  std::string refused_version_;
};

}  // namespace kube::cache
