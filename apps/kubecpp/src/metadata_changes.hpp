// SPDX-License-Identifier: Apache-2.0
//
// The changes of label and annotate: KEY=VALUE sets a label or an annotation, KEY- removes it.
#pragma once

#include <string>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/names/labels.hpp>

namespace kubecpp {

enum class MetadataField { Labels, Annotations };

struct MetadataChanges {
  MetadataField field = MetadataField::Labels;
  kube::labels::Set values{};
  std::vector<std::string> removed{};  ///< Keys, in the order of the arguments.
};

/// The arguments of a command: what parse_targets() reads, then changes.
struct MetadataWords {
  std::vector<std::string> targets{};
  MetadataChanges changes{};
};

/// Of values for one key, the last one is set.
/// @par Errors   InvalidArgument, in kubectl's words: a target after a change, a label value that
///   is not valid, a label that is both set and removed.
kube::Result<MetadataWords> parse_metadata_words(const std::vector<std::string>& words,
                                                 MetadataField field);

/// Checks that no key is both set and removed; parse_metadata_words() does it for labels.
/// @par Errors   InvalidArgument, in kubectl's words.
kube::Result<void> check_removed(const MetadataChanges& changes);

struct ChangedMetadata {
  bool added = false;  ///< Or another value than before.
  bool removed = false;
};

/// Changes an object. Without `overwrite`, its values for the keys must be the same, or none; the
/// change cause of a rollout may always be another.
/// @par Errors   Config, in kubectl's words, a line for each label that has another value; nothing
///   is changed then.
kube::Result<ChangedMetadata> change_metadata(kube::Unstructured& object,
                                              const MetadataChanges& changes, bool overwrite);

/// Returns the labels or the annotations.
kube::labels::Set metadata_of(const kube::Unstructured& object, MetadataField field);

}  // namespace kubecpp
