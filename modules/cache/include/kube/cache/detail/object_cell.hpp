// SPDX-License-Identifier: Apache-2.0
//
// Makes cells of decoded objects, and of cells under another key.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <kube/cache/cached.hpp>
#include <kube/cache/detail/typed_cell.hpp>
#include <kube/cache/informer_options.hpp>

namespace kube::cache {

/// Makes the cell of an object, in this encoding unless the policy is Decoded. An empty key means
/// namespace and name.
template <Object T>
CellRef make_object_cell(T object, Encoding encoding, StoragePolicy policy, std::string_view key) {
  if (policy == StoragePolicy::Decoded) {
    auto owned = std::make_unique<T>(std::move(object));
    Cell::Parts parts = parts_of(*owned);
    parts.key = key;
    return Cell::make_decoded(cell_type<T>(), parts, owned.release());
  }
  std::string body;
  encode_body(object, encoding, body);
  Cell::Parts parts = parts_of(object);
  parts.key = key;
  parts.encoding = encoding;
  parts.body = body;
  return Cell::make(cell_type<T>(), parts);
}

/// Returns the object under this key: the same cell if it has that key, else a copy.
/// @par Errors   Decode: a copy needs the decoded object, which can't be made.
template <Object T>
Result<CellRef> with_key(const Cached<T>& object, std::string_view key) {
  if (object.key() == key) return object.ref();
  const Cell& cell = object.cell();
  if (cell.body().empty()) {
    auto decoded = object.get();
    if (!decoded) return decoded.error();
    return make_object_cell<T>(**decoded, cell.encoding(), StoragePolicy::Decoded, key);
  }
  Cell::Parts parts;
  parts.namespace_ = cell.namespace_();
  parts.name = cell.name();
  parts.uid = cell.uid();
  parts.resource_version = cell.resource_version();
  parts.encoding = cell.encoding();
  parts.body = cell.body();
  parts.key = key;
  return Cell::make(cell.type(), parts);
}

}  // namespace kube::cache
