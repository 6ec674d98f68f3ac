// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::Delta: one change of an object. It is the same value from the decoder, by queue and
// store, to the handlers of an informer.
#pragma once

#include <cstdint>

#include <kube/cache/detail/cell.hpp>

namespace kube {

/// What has happened to an object.
enum class DeltaType : std::uint8_t {
  Added,
  Updated,
  Deleted,
  Replaced,  ///< A list has it; or the whole content: a list.
  Sync,      ///< A resync delivers it, or everything, again.
  Bookmark,  ///< Only the version has changed.
};

namespace cache {

/// @par Thread safety   A value.
struct Delta {
  /// Before the store has applied it, what the source has reported; then Added, Updated or Deleted,
  /// by what the store had.
  DeltaType type = DeltaType::Sync;
  bool is_initial = false;           ///< Of the initial state; a Bookmark: its end.
  bool final_state_unknown = false;  ///< Deleted: inferred from a list.
  /// The object; of a Bookmark, its metadata. Null: it concerns all, or is the mark of an end.
  CellRef cell{};
  CellRef old{};  ///< Set by the store: what it had; null if nothing.

  /// Whether the store already had this object, as for a resync. Compares the cells, not their
  /// versions: otherwise an object with a known version could have other content.
  bool changes_nothing() const { return type == DeltaType::Updated && cell == old; }
};

}  // namespace cache
}  // namespace kube
