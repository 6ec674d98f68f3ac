// SPDX-License-Identifier: Apache-2.0
//
// Which of a resource's objects an informer follows.
#pragma once

#include <string>

#include <kube/base/result.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/names/fields.hpp>
#include <kube/names/labels.hpp>
#include <kube/names/object_key.hpp>

namespace kube::testing {

/// @par Thread safety   A value.
class Selection {
 public:
  Selection() = default;  ///< All objects.
  /// @par Errors   InvalidArgument: a selector that can't be read, or one of other fields than
  ///   metadata.name and metadata.namespace, naming it.
  static Result<Selection> of(const std::string& namespace_, const std::string& label_selector,
                              const std::string& field_selector);

  /// Whether it says of a key alone what matches(); else the labels decide, too.
  bool knows_keys() const { return labels_.empty(); }
  bool may_match(const ObjectKey& key) const;
  bool matches(const Unstructured& object) const;

 private:
  std::string namespace_{};
  labels::Selector labels_{};
  fields::Selector fields_{};
};

}  // namespace kube::testing
