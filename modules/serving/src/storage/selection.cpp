// SPDX-License-Identifier: Apache-2.0
#include "storage/selection.hpp"

#include <algorithm>

#include <kube/base/printable.hpp>
#include <kube/names/fields.hpp>
#include <kube/names/go_text.hpp>

#include "documents/errors.hpp"

namespace kube::serving {
namespace {

// The reason quotes the selector, which may be as long as a request's head.
Error bad_selector(std::string_view why) {
  constexpr std::size_t kMax = 1024;
  if (why.size() <= kMax) return meta::bad_request_error(why);
  return meta::bad_request_error(std::string(whole_characters(why, kMax)) + " ...");
}

// Kinds whose fields are those of all kinds share one text.
Error unknown_field(const Resource& resource, const std::string& label) {
  const bool has_fields = resource.is_custom() || !resource.fields.empty();
  if (!has_fields) {
    return bad_selector(go::quote(label) +
                        " is not a known field selector: only \"metadata.name\", "
                        "\"metadata.namespace\"");
  }
  if (resource.kind->unknown_field != nullptr)
    return bad_selector(resource.kind->unknown_field(label));
  return bad_selector("field label not supported: " + label);
}

// A kind with fields of its own that has no namespaces does not know this one.
bool selects_namespaces(const Resource& resource) {
  return resource.namespaced || (!resource.is_custom() && resource.fields.empty());
}

bool is_equality(const labels::Requirement& requirement) {
  using labels::Operator;
  const Operator op = requirement.operator_;
  return (op == Operator::Equals || op == Operator::DoubleEquals || op == Operator::In) &&
         requirement.values.size() == 1;
}

std::optional<std::string> label_of(const StoredObject& object, std::string_view key) {
  const auto at =
      std::ranges::lower_bound(object.labels, key, {}, &labels::SortedLabels::value_type::first);
  if (at == object.labels.end() || at->first != key) return std::nullopt;
  return std::string(at->second);
}

}  // namespace

Result<Selection> Selection::make(const Resource& resource, std::string_view label_selector,
                                  std::string_view field_selector) {
  Selection out;
  if (!label_selector.empty()) {
    auto labels = labels::parse(label_selector);
    if (!labels) return bad_selector(labels.error().message());
    out.labels_ = labels::LabelTerms(*labels);
    for (const labels::Requirement& each : labels->requirements()) {
      if (is_equality(each)) out.equal_labels_.emplace_back(each.key, each.values.front());
    }
  }
  if (field_selector.empty()) return out;
  auto fields = fields::parse(field_selector);
  if (!fields) return bad_selector(fields.error().message());
  // The fields of a custom resource change with its definition.
  out.has_field_index_ = resource.is_typed();
  for (const fields::Requirement& requirement : fields->requirements()) {
    Source source = Source::Field;
    std::size_t field = 0;
    if (requirement.field == "metadata.name") {
      source = Source::Name;
    } else if (requirement.field == "metadata.namespace" && selects_namespaces(resource)) {
      source = Source::Namespace;
    } else {
      const auto known =
          std::ranges::find(resource.fields, requirement.field, &SelectableField::label);
      if (known == resource.fields.end()) {
        return unknown_field(resource, requirement.field);
      }
      field = known->value;
    }
    Term& term = out.term_of(source, field);
    if (source == Source::Field && !term.borrowed) {
      term.borrowed =
          std::make_shared<const BorrowedField>(resource, resource.stored_fields[field]);
    }
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
  return found != terms_.end() ? *found : terms_.emplace_back(Term{source, field, {}, {}, {}});
}

bool Selection::matches(const StoredObject& object) const {
  if (nothing_) return false;
  for (const Term& term : terms_) {
    std::string_view value;
    std::string read;
    switch (term.source) {
      case Source::Name:
        value = object.name;
        break;
      case Source::Namespace:
        value = object.namespace_;
        break;
      case Source::Field:
        // A custom resource may have been stored before its definition named the field.
        if (object.borrowed) {
          read = term.borrowed->text(object);
          value = read;
        } else if (term.field < object.fields.size()) {
          value = object.fields[term.field];
        }
        break;
    }
    if ((term.wanted && *term.wanted != value) || term.denied.contains(value)) return false;
  }
  return labels_.empty() || labels_.matches(object.labels);
}

std::vector<Equality> Selection::equalities() const {
  constexpr std::size_t kMax = 3;
  std::vector<Equality> out;
  for (const auto& [key, value] : equal_labels_) {
    if (out.size() == kMax) return out;
    out.push_back({"label " + key, value,
                   [key = key](const StoredObject& object) { return label_of(object, key); }});
  }
  for (const Term& term : terms_) {
    if (out.size() == kMax || !has_field_index_) return out;
    if (term.source != Source::Field || !term.wanted) continue;
    out.push_back({"field " + std::to_string(term.field), *term.wanted,
                   [field = term.field, borrowed = term.borrowed](
                       const StoredObject& object) -> std::optional<std::string> {
                     if (object.borrowed) return borrowed->text(object);
                     if (field < object.fields.size()) return object.fields[field];
                     return std::nullopt;
                   }});
  }
  return out;
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

}  // namespace kube::serving
