// SPDX-License-Identifier: Apache-2.0
#include "selection.hpp"

#include <utility>

namespace kube::testing {

Result<Selection> Selection::of(const std::string& namespace_, const std::string& label_selector,
                                const std::string& field_selector) {
  Selection out;
  out.namespace_ = namespace_;
  auto labels = labels::parse(label_selector);
  if (!labels) return labels.error().with_context("label selector");
  out.labels_ = *std::move(labels);
  auto fields = fields::parse(field_selector);
  if (!fields) return fields.error().with_context("field selector");
  for (const fields::Requirement& each : fields->requirements()) {
    if (each.field == "metadata.name" || each.field == "metadata.namespace") continue;
    return Error(ErrorCode::InvalidArgument, "field selector \"" + each.to_string() +
                                                 "\": only metadata.name and metadata.namespace "
                                                 "are known here");
  }
  out.fields_ = *std::move(fields);
  return out;
}

bool Selection::may_match(const ObjectKey& key) const {
  if (!namespace_.empty() && key.namespace_ != namespace_) return false;
  return fields_.matches(
      fields::Set{{"metadata.name", key.name}, {"metadata.namespace", key.namespace_}});
}

bool Selection::matches(const Unstructured& object) const {
  return may_match(object.key()) && labels_.matches(object.labels());
}

}  // namespace kube::testing
