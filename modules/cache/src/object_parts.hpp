// SPDX-License-Identifier: Apache-2.0
//
// From the bytes of one object to its cell.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/cache/cell.hpp>

namespace kube::cache {

/// What a list says once for all its items, for types whose objects must carry it themselves.
struct ObjectDefaults {
  std::string api_version;
  std::string kind;
};

/// One object of a list or a watch.
struct Arrived {
  CellRef cell{};  ///< Null when it was refused.
  /// Why a cache can't hold it: InvalidArgument for a name or namespace that no path can have,
  /// Decode for metadata that can't be read; then nobody knows whose state it was.
  std::optional<Error> refused{};
};

/// Makes cells of one type from objects. Reads metadata.name, namespace, uid and
/// resourceVersion straight from the bytes; the rest is not looked at (policy Decoded: decoded
/// now).
class CellMaker {
 public:
  /// Objects without "kind" get `defaults` put in front.
  CellMaker(const CellType& type, StoragePolicy policy,
            std::optional<ObjectDefaults> defaults = {});

  /// Decode when the text has no metadata, no name, or parts that are not strings or too long;
  /// InvalidArgument when its name or namespace can't be a segment of a path: "a/b" and "c" would
  /// have the key of "a" and "b/c". `nameless`: a bookmark, whose name does not matter.
  Result<CellRef> make(std::string_view object, bool nameless = false);
  /// The same of a bare protobuf message. Its kind is the type's.
  Result<CellRef> make_from_message(std::string_view message, bool nameless = false);

  /// An object; `where` says, of one that is refused, where it was: called only then.
  template <class Where>
  static Arrived arrived(Result<CellRef> made, Where&& where) {
    if (made) return {*std::move(made), {}};
    return {{}, made.error().with_context(where())};
  }

 private:
  Result<CellRef> make(const Cell::Parts& parts, bool nameless) const;

  const CellType* type_;
  StoragePolicy policy_;
  std::optional<ObjectDefaults> defaults_;
  std::string spliced_;     // scratch
  std::string storage_[4];  // unescaped parts, scratch
};

}  // namespace kube::cache
