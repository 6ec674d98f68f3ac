// SPDX-License-Identifier: Apache-2.0
//
// Label and field selectors of a request, made ready to run on stored objects.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/names/label_terms.hpp>

#include "storage/borrowed_object.hpp"
#include "storage/stored_object.hpp"
#include "storage/value_index.hpp"

namespace kube::serving {

/// A conjunction; an empty one selects everything. Immutable; may be used from any thread.
class Selection {
 public:
  Selection() = default;
  /// Fails with a 400 for a malformed selector or a field that the resource does not support.
  static Result<Selection> make(const Resource& resource, std::string_view label_selector,
                                std::string_view field_selector);

  bool matches(const StoredObject& object) const;
  bool empty() const { return labels_.empty() && terms_.empty() && !nothing_; }
  /// The name that the field selector requires, if any.
  std::optional<std::string> required_name() const;
  /// The namespace that it requires, if any.
  std::optional<std::string> required_namespace() const;
  /// Values of labels and fields that all selected objects have; at most three.
  std::vector<Equality> equalities() const;

 private:
  enum class Source { Name, Namespace, Field };
  /// All requirements on one field.
  struct Term {
    Source source{};
    std::size_t field = 0;
    std::shared_ptr<const BorrowedField> borrowed{};  ///< For a Field.
    std::optional<std::string> wanted{};
    std::set<std::string, std::less<>> denied{};
  };
  Term& term_of(Source source, std::size_t field);
  std::optional<std::string> required(Source source) const;

  labels::LabelTerms labels_;
  std::vector<Term> terms_;
  std::vector<std::pair<std::string, std::string>> equal_labels_;
  bool has_field_index_ = false;
  bool nothing_ = false;  ///< One field must have two values: nothing matches.
};

}  // namespace kube::serving
