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

/// Makes cells of one type from objects. Reads metadata.name, namespace, uid and
/// resourceVersion straight from the bytes; the rest is not looked at (policy Decoded: decoded
/// now).
class CellMaker {
 public:
  /// Objects without "kind" get `defaults` put in front.
  CellMaker(const CellType& type, StoragePolicy policy,
            std::optional<ObjectDefaults> defaults = {});

  /// Decode when the text has no metadata, no name (unless `nameless`, as bookmarks are), or parts
  /// that are not strings.
  Result<CellRef> make(std::string_view object, bool nameless = false);
  /// The same of a bare protobuf message. Its kind is the type's.
  Result<CellRef> make_from_message(std::string_view message, bool nameless = false);

 private:
  Result<CellRef> make(const Cell::Parts& parts, bool nameless) const;

  const CellType* type_;
  StoragePolicy policy_;
  std::optional<ObjectDefaults> defaults_;
  std::string spliced_;     // scratch
  std::string storage_[4];  // unescaped parts, scratch
};

}  // namespace kube::cache
