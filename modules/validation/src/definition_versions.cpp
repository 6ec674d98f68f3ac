// SPDX-License-Identifier: Apache-2.0
#include "definition_versions.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <kube/base/join.hpp>
#include <kube/schema/documents.hpp>

namespace kube::meta::detail {
namespace {

// A table repeats each column for each object. The reference server lacks these limits; they
// prevent responses of gigabytes from small definitions.
constexpr std::size_t kMaxVersions = 100;
constexpr std::size_t kMaxColumns = 64;

void check_scale_path(const json::Value& scale, std::string_view field,
                      std::initializer_list<std::string_view> below, std::string_view problem,
                      const FieldPath& at, FieldErrors& errors) {
  const std::string_view path = scale.string_at({field});
  if (!path.starts_with('.')) {
    errors.push_back(
        FieldError::invalid(at.child(field), path, "must be a simple json path starting with ."));
  } else if (std::ranges::none_of(below, [&](auto prefix) { return path.starts_with(prefix); })) {
    errors.push_back(FieldError::invalid(at.child(field), path, std::string(problem)));
  }
}

void validate_scale(const json::Value& scale, const FieldPath& at, FieldErrors& errors) {
  if (scale.string_at({"specReplicasPath"}).empty()) {
    errors.push_back(FieldError::required(at.child("specReplicasPath"), ""));
  } else {
    check_scale_path(scale, "specReplicasPath", {".spec."}, "should be a json path under .spec", at,
                     errors);
  }
  if (scale.string_at({"statusReplicasPath"}).empty()) {
    errors.push_back(FieldError::required(at.child("statusReplicasPath"), ""));
  } else {
    check_scale_path(scale, "statusReplicasPath", {".status."},
                     "should be a json path under .status", at, errors);
  }
  if (!scale.string_at({"labelSelectorPath"}).empty()) {
    check_scale_path(scale, "labelSelectorPath", {".spec.", ".status."},
                     "should be a json path under either .spec or .status", at, errors);
  }
}

void check_deprecation(const json::Value& version, const FieldPath& at, FieldErrors& errors) {
  const json::Value* warning = version.at_path({"deprecationWarning"});
  if (warning == nullptr) return;
  const std::string_view text = warning->string_or_empty();
  const auto wrong = [&](std::string_view why) {
    errors.push_back(FieldError::invalid(at, text, std::string(why)));
  };
  if (!version.true_at({"deprecated"})) return wrong("can only be set for deprecated versions");
  if (text.size() > 256) wrong("must be <= 256 characters long");
  if (text.empty()) wrong("must not be an empty string");
}

void check_column(const json::Value& column, const FieldPath& at, FieldErrors& errors) {
  const auto one_of = [&](std::string_view field, std::span<const std::string_view> known) {
    const std::string_view value = column.string_at({field});
    const std::string why = "must be one of " + join(known, ",");
    if (value.empty()) return FieldError::required(at.child(field), why);
    return FieldError::invalid(at.child(field), value, why);
  };
  constexpr auto kTypes =
      std::to_array<std::string_view>({"boolean", "date", "integer", "number", "string"});
  constexpr auto kFormats = std::to_array<std::string_view>(
      {"byte", "date", "date-time", "double", "float", "int32", "int64", "password"});
  if (column.string_at({"name"}).empty())
    errors.push_back(FieldError::required(at.child("name"), ""));
  if (std::ranges::find(kTypes, column.string_at({"type"})) == kTypes.end())
    errors.push_back(one_of("type", kTypes));
  const std::string_view format = column.string_at({"format"});
  if (!format.empty() && std::ranges::find(kFormats, format) == kFormats.end())
    errors.push_back(one_of("format", kFormats));
  // The reference server has the name that the field has in its own type.
  const std::string_view path = column.string_at({"jsonPath"});
  if (path.empty()) {
    errors.push_back(FieldError::required(at.child("JSONPath"), ""));
  } else if (!path.starts_with('.')) {
    errors.push_back(FieldError::invalid(at.child("JSONPath"), path,
                                         "must be a simple json path starting with ."));
  }
}

// With the status subresource a status is checked by its part of the schema, which the fields of
// the root may not speak of.
void check_root_fields(const json::Value& schema, const FieldPath& at, FieldErrors& errors) {
  constexpr auto kAllowed = std::to_array<std::string_view>({"description",
                                                             "type",
                                                             "format",
                                                             "title",
                                                             "maximum",
                                                             "exclusiveMaximum",
                                                             "minimum",
                                                             "exclusiveMinimum",
                                                             "maxLength",
                                                             "minLength",
                                                             "pattern",
                                                             "maxItems",
                                                             "minItems",
                                                             "uniqueItems",
                                                             "multipleOf",
                                                             "required",
                                                             "items",
                                                             "properties",
                                                             "externalDocs",
                                                             "example",
                                                             "x-kubernetes-preserve-unknown-fields",
                                                             "x-kubernetes-validations"});
  const json::Object* members = schema.if_object();
  if (members == nullptr) return;
  for (const auto& [name, value] : *members) {
    if (std::ranges::find(kAllowed, name) != kAllowed.end()) continue;
    errors.push_back(FieldError::invalid(
        at, shown_value(schema),
        "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum "
        "MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items "
        "Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed "
        "at "
        "the root of the schema if the status subresource is enabled"));
    return;
  }
}

void check_selected(const json::Value& version, std::string_view path, const FieldPath& at,
                    FieldErrors& errors) {
  const json::Value* schema = version.at_path({"schema", "openAPIV3Schema"});
  if (schema == nullptr) return;
  const auto found = schema::find_field(*schema, path, schema::FieldPaths::Plain);
  constexpr auto kScalars = std::to_array<std::string_view>({"string", "boolean", "integer"});
  if (found.schema == nullptr) {
    errors.push_back(FieldError::invalid(at, path, "is an invalid path: " + found.problem));
  } else if (std::ranges::find(kScalars, found.schema->string_at({"type"})) == kScalars.end()) {
    errors.push_back(FieldError::invalid(
        at, path,
        "must point to a field of type string, boolean or integer. Enum string fields and strings "
        "with formats are allowed."));
  }
}

void check_selectable(const json::Value& version, const FieldPath& at, FieldErrors& errors) {
  constexpr std::size_t kMax = 8;
  std::set<std::string_view> paths;
  const json::Array& fields = version.array_at({"selectableFields"});
  for (std::size_t i = 0; i < fields.size() && !has_enough(errors); ++i) {
    const std::string_view path = fields[i].string_at({"jsonPath"});
    const FieldPath here = at.index(i).child("jsonPath");
    if (path.empty()) {
      errors.push_back(FieldError::required(here, ""));
    } else if (!paths.insert(path).second) {
      errors.push_back(FieldError::duplicate(here, path));
    } else {
      check_selected(version, path, here, errors);
    }
  }
  if (paths.size() > kMax) errors.push_back(FieldError::too_many(at, paths.size(), kMax));
}

constexpr auto kVersionParts =
    std::to_array<VersionPart>({{"schema", "validation"},
                                {"subresources", "subresources"},
                                {"additionalPrinterColumns", "additionalPrinterColumns"},
                                {"selectableFields", "selectableFields"}});

bool is_in_all(const json::Array& versions, std::string_view field) {
  const json::Value* first = versions.empty() ? nullptr : versions.front().at_path({field});
  const bool empty = first == nullptr || (first->is_array() && first->if_array()->empty());
  return !empty && std::ranges::all_of(versions, [&](const json::Value& version) {
    const json::Value* part = version.at_path({field});
    return part != nullptr && *part == *first;
  });
}

const json::Array& list_of(const json::Value* versions) {
  static const json::Array kNone;
  return versions == nullptr || !versions->is_array() ? kNone : *versions->if_array();
}

}  // namespace

void check_problems(const Problems& problems, const FieldPath& path, std::string_view value,
                    FieldErrors& errors) {
  if (!problems.empty()) errors.push_back(FieldError::invalid(path, value, join(problems, ",")));
}

void check_count(const json::Array& list, std::size_t most, const FieldPath& path,
                 FieldErrors& errors) {
  if (list.size() > most) errors.push_back(FieldError::too_many(path, list.size(), most));
}

VersionsCheck::VersionsCheck(const json::Value* versions, FieldErrors& errors)
    : given_(versions), versions_(list_of(versions)), errors_(errors) {
  for (const VersionPart& part : kVersionParts) {
    if (is_in_all(versions_, part.field)) shared_.push_back(part.field);
  }
}

bool VersionsCheck::is_shared(const VersionPart& part) const {
  return std::ranges::find(shared_, part.field) != shared_.end();
}

void VersionsCheck::check_each() {
  check_count(versions_, kMaxVersions, path_, errors_);
  const auto enough = [&] { return has_enough(errors_); };
  for (std::size_t i = 0; i < versions_.size() && !enough(); ++i) {
    if (versions_[i].at_path({"schema", "openAPIV3Schema"}) != nullptr) continue;
    errors_.push_back(
        FieldError::required(path_.index(i).child("schema").child("openAPIV3Schema"), ""));
  }
  std::int64_t storage = 0;
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < versions_.size() && !enough(); ++i) {
    const std::string_view name = versions_[i].string_at({"name"});
    seen.insert(name);
    if (versions_[i].true_at({"storage"})) ++storage;
    check_problems(validate_dns1035_label(name), path_.index(i).child("name"), name, errors_);
    check_deprecation(versions_[i], path_.index(i).child("deprecationWarning"), errors_);
    for (const VersionPart& part : kVersionParts) {
      if (!is_shared(part)) check_part(versions_[i], part, path_.index(i).child(part.field));
    }
  }
  if (enough()) return;
  if (seen.size() != versions_.size())
    errors_.push_back(FieldError::invalid(path_, shown(), "must contain unique version names"));
  if (storage != 1) {
    errors_.push_back(FieldError::invalid(
        path_, shown(), "must have exactly one version marked as storage version"));
  }
  has_storage_ = storage != 0;
  if (versions_.empty()) return;
  const std::string_view name = versions_.front().string_at({"name"});
  if (!name.empty())
    check_problems(validate_dns1035_label(name), FieldPath("spec").child("version"), name, errors_);
}

void VersionsCheck::check_shared() {
  for (const VersionPart& part : kVersionParts) {
    if (is_shared(part)) check_part(versions_.front(), part, FieldPath("spec").child(part.shared));
  }
}

void VersionsCheck::check_part(const json::Value& version, const VersionPart& part,
                               const FieldPath& at) {
  if (has_enough(errors_)) return;
  if (part.field == "schema") {
    check_schema(version, at.child("openAPIV3Schema"));
  } else if (part.field == "subresources") {
    if (const json::Value* scale = version.at_path({"subresources", "scale"}); scale != nullptr)
      validate_scale(*scale, at.child("scale"), errors_);
  } else if (part.field == "selectableFields") {
    check_selectable(version, at, errors_);
  } else {
    const json::Array& columns = version.array_at({part.field});
    check_count(columns, kMaxColumns, at, errors_);
    for (std::size_t i = 0; i < columns.size() && !has_enough(errors_); ++i)
      check_column(columns[i], at.index(i), errors_);
  }
}

void VersionsCheck::check_schema(const json::Value& version, const FieldPath& at) {
  const json::Value* schema = version.at_path({"schema", "openAPIV3Schema"});
  if (schema == nullptr) return;
  if (version.at_path({"subresources", "status"}) != nullptr)
    check_root_fields(*schema, at, errors_);
  std::ranges::move(StructuralSchema::check(*schema, {.path = at, .allowance = &patterns_}),
                    std::back_inserter(errors_));
}

// Returns the versions as the reference server's own type has them.
json::Value VersionsCheck::shown() const {
  if (versions_.empty()) return given_ == nullptr ? json::Value() : *given_;
  json::Array out;
  for (const json::Value& version : versions_) {
    const auto part = [&](const VersionPart& each) {
      const json::Value* value = version.at_path({each.field});
      return value == nullptr || is_shared(each) ? json::Value() : *value;
    };
    const json::Value* warning = version.at_path({"deprecationWarning"});
    out.emplace_back(
        json::Object{{"Name", version.string_at({"name"})},
                     {"Served", version.true_at({"served"})},
                     {"Storage", version.true_at({"storage"})},
                     {"Deprecated", version.true_at({"deprecated"})},
                     {"DeprecationWarning", warning == nullptr ? json::Value() : *warning},
                     {"Schema", part(kVersionParts[0])},
                     {"Subresources", part(kVersionParts[1])},
                     {"AdditionalPrinterColumns", part(kVersionParts[2])},
                     {"SelectableFields", part(kVersionParts[3])}});
  }
  return shown_value(std::move(out));
}

}  // namespace kube::meta::detail
