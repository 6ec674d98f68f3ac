// SPDX-License-Identifier: Apache-2.0
#include "storage/selection.hpp"

#include <algorithm>

#include <kube/base/printable.hpp>
#include <kube/names/fields.hpp>

#include "documents/errors.hpp"

namespace kube::apiserver {
namespace {

// The reason quotes the selector, which may be as long as a request's head.
Error bad_selector(std::string_view why) {
  constexpr std::size_t kMax = 1024;
  if (why.size() <= kMax) return meta::bad_request_error(why);
  return meta::bad_request_error(std::string(whole_characters(why, kMax)) + " ...");
}

}  // namespace

Result<Selection> Selection::make(const Resource& resource, std::string_view label_selector,
                                  std::string_view field_selector) {
  Selection out;
  if (!label_selector.empty()) {
    auto labels = labels::parse(label_selector);
    if (!labels) return bad_selector(labels.error().message());
    out.labels_ = labels::LabelTerms(*labels);
  }
  if (field_selector.empty()) return out;
  auto fields = fields::parse(field_selector);
  if (!fields) return bad_selector(fields.error().message());
  for (const fields::Requirement& requirement : fields->requirements()) {
    Source source = Source::Field;
    std::size_t field = 0;
    if (requirement.field == "metadata.name") {
      source = Source::Name;
    } else if (requirement.field == "metadata.namespace") {
      source = Source::Namespace;
    } else {
      const auto known =
          std::ranges::find(resource.fields, requirement.field, &SelectableField::label);
      if (known == resource.fields.end()) {
        return bad_selector("field label not supported: " + requirement.field);
      }
      field = known->value;
    }
    Term& term = out.term_of(source, field);
    if (!requirement.equals) {
      term.denied.insert(requirement.value);
    } else if (term.wanted && *term.wanted != requirement.value) {
      out.nothing_ = true;
    } else {
      term.wanted = requirement.value;
    }
  }
  return out;
}

// A linear search: a resource has few fields.
Selection::Term& Selection::term_of(Source source, std::size_t field) {
  const auto found = std::ranges::find_if(
      terms_, [&](const Term& each) { return each.source == source && each.field == field; });
  return found != terms_.end() ? *found : terms_.emplace_back(Term{source, field, {}, {}});
}

bool Selection::matches(const StoredObject& object) const {
  if (nothing_) return false;
  for (const Term& term : terms_) {
    std::string_view value;
    switch (term.source) {
      case Source::Name:
        value = object.name;
        break;
      case Source::Namespace:
        value = object.namespace_;
        break;
      case Source::Field:
        // A custom resource may have been stored before its definition named the field.
        if (term.field < object.fields.size()) value = object.fields[term.field];
        break;
    }
    if ((term.wanted && *term.wanted != value) || term.denied.contains(value)) return false;
  }
  return labels_.empty() || labels_.matches(object.labels);
}

std::optional<std::string> Selection::required(Source source) const {
  for (const Term& term : terms_) {
    if (term.source == source) return term.wanted;
  }
  return std::nullopt;
}

std::optional<std::string> Selection::required_name() const {
  return required(Source::Name);
}

std::optional<std::string> Selection::required_namespace() const {
  return required(Source::Namespace);
}

}  // namespace kube::apiserver
