// SPDX-License-Identifier: Apache-2.0
//
// Walks over an object by the descriptor of its type and applies the rows of the types that it
// meets, a parent before its children. What there is to do for a type is found once and kept as a
// plan.
#include "defaults/defaults.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <kube/base/mutex.hpp>
#include <kube/names/quantity.hpp>

#include "defaults/tables.hpp"

namespace kube::apiserver {
namespace {

using meta::Cardinality;
using meta::FieldDescriptor;
using meta::TypeDescriptor;
using meta::ValueKind;

/// A path of fields in a type.
using FieldPathOf = std::vector<const FieldDescriptor*>;

struct PlannedDefault {
  FieldPathOf path{};
  json::Value value{};
  FieldPathOf when{};
  std::string_view equals{};
};

struct Plan {
  struct Child {
    const FieldDescriptor* field;
    const Plan* plan;
  };
  std::vector<std::string_view> dropped{};
  std::vector<PlannedDefault> rows{};
  std::vector<void (*)(json::Object&)> rules{};
  /// The lists and maps that are null when they are empty, as they are read from a store that does
  /// not tell the two apart.
  std::vector<const FieldDescriptor*> nullable{};
  /// The fields with amounts of resources, which have at most three decimal places.
  std::vector<const FieldDescriptor*> amounts{};
  std::vector<Child> children{};
  bool useful = false;  ///< Something is to be done for the type or for an object in it.
};

json::Value value_of(const DefaultValue& value) {
  struct Visitor {
    json::Value operator()(std::string_view text) const { return text; }
    json::Value operator()(std::int64_t number) const { return number; }
    json::Value operator()(bool truth) const { return truth; }
    json::Value operator()(JsonText json) const { return *json::parse(json.text); }
  };
  return std::visit(Visitor{}, value);
}

const FieldDescriptor* find_field(const TypeDescriptor& type, std::string_view name) {
  for (const FieldDescriptor* field : type.keys.fields) {
    if (field->json == name) return field;
  }
  return nullptr;
}

/// Returns the fields of a path like "spec.replicas"; empty when the type has no such field.
FieldPathOf find_path(const TypeDescriptor& type, std::string_view path) {
  FieldPathOf found;
  const TypeDescriptor* at = &type;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const FieldDescriptor* field = at == nullptr ? nullptr : find_field(*at, path.substr(0, dot));
    if (field == nullptr) return {};
    found.push_back(field);
    at = field->message;
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  }
  return found;
}

// "storage.*.CSIDriver" of "storage.v1.CSIDriver".
std::string of_all_versions(std::string_view type) {
  const std::size_t first = type.find('.');
  const std::size_t last = type.rfind('.');
  if (first == std::string_view::npos || first == last) return std::string(type);
  return std::string(type.substr(0, first)).append(".*").append(type.substr(last));
}

/// Whether a field of a core type is a list of amounts of resources.
bool holds_amounts(const TypeDescriptor& type, const FieldDescriptor& field) {
  return type.name.starts_with("core.v1.") && field.kind == ValueKind::Quantity &&
         field.cardinality == Cardinality::Map;
}

/// The plans of all types that were met.
///
/// @par Thread safety   All functions may be called from any thread.
class Plans {
 public:
  const Plan& of(const TypeDescriptor& type) {
    const MutexLock lock(mutex_);
    const auto found = plans_.find(&type);
    if (found != plans_.end() && found->second.finished) return found->second.plan;
    const Plan& plan = make(type);
    finish();
    return plan;
  }

 private:
  struct Entry {
    Plan plan{};
    bool finished = false;
  };

  // Makes the plans of a type and of all types that it can contain, which may contain it in turn.
  const Plan& make(const TypeDescriptor& type) KUBE_REQUIRES(mutex_) {
    const auto [at, is_new] = plans_.try_emplace(&type);
    Plan& plan = at->second.plan;
    if (!is_new || type.json_form != meta::JsonForm::Object) return plan;
    add_rows(type, plan);
    for (const FieldDescriptor* field : type.keys.fields) {
      if (holds_amounts(type, *field)) plan.amounts.push_back(field);
      if (field->nullable) plan.nullable.push_back(field);
      if (field->kind == ValueKind::Message)
        plan.children.push_back({field, &make(*field->message)});
    }
    plan.useful = !plan.dropped.empty() || !plan.rows.empty() || !plan.rules.empty() ||
                  !plan.amounts.empty() || !plan.nullable.empty();
    return plan;
  }

  static void add_rows(const TypeDescriptor& type, Plan& plan) {
    const std::string any = of_all_versions(type.name);
    const auto is_for_type = [&](const auto& row) {
      return row.type == type.name || row.type == any;
    };
    for (const DefaultTable& table : default_tables()) {
      for (const FieldDefault& row : table.fields) {
        if (!is_for_type(row)) continue;
        FieldPathOf path = find_path(type, row.field);
        // A row for all versions has no meaning for one without the field.
        if (path.empty()) continue;
        plan.rows.push_back(
            {std::move(path), value_of(row.value), find_path(type, row.when), row.equals});
      }
      for (const TypeDefault& row : table.types) {
        if (is_for_type(row)) plan.rules.push_back(row.apply);
      }
      for (const DroppedField& row : table.dropped) {
        if (is_for_type(row)) plan.dropped.push_back(row.field);
      }
    }
  }

  // Keeps only the children for which something is to be done.
  void finish() KUBE_REQUIRES(mutex_) {
    const auto leads_on = [](const Plan::Child& child) { return child.plan->useful; };
    for (bool changed = true; changed;) {
      changed = false;
      for (auto& [type, entry] : plans_) {
        if (entry.finished || entry.plan.useful ||
            !std::ranges::any_of(entry.plan.children, leads_on))
          continue;
        entry.plan.useful = changed = true;
      }
    }
    for (auto& [type, entry] : plans_) {
      if (entry.finished) continue;
      std::erase_if(entry.plan.children, [&](const auto& child) { return !leads_on(child); });
      entry.finished = true;
    }
  }

  Mutex mutex_;
  std::unordered_map<const TypeDescriptor*, Entry> plans_ KUBE_GUARDED_BY(mutex_);
};

bool is_zero(const json::Value& value) {
  if (value.is_null()) return true;
  if (const bool* truth = value.if_bool()) return !*truth;
  if (const std::int64_t* number = value.if_int()) return *number == 0;
  if (const double* number = value.if_double()) return *number == 0;
  if (const std::string* text = value.if_string()) return text->empty();
  return false;
}

// Whether the type reads the value as it reads an absent one.
bool is_unset(const FieldDescriptor& field, const json::Value* value) {
  if (value == nullptr || value->is_null()) return true;
  switch (field.cardinality) {
    case Cardinality::Optional:
      return false;
    case Cardinality::List:
      return value->is_array() && value->if_array()->empty();
    case Cardinality::Map:
      return value->is_object() && value->if_object()->empty();
    case Cardinality::Plain:
      return is_zero(*value);
  }
  return false;
}

// Whether the struct of a field is there even if nothing was written for it.
bool is_always_there(const FieldDescriptor& field) {
  return field.kind == ValueKind::Message && field.cardinality == Cardinality::Plain;
}

std::string_view text_at(const json::Object& object, const FieldPathOf& path) {
  const json::Object* at = &object;
  for (const FieldDescriptor* field : path) {
    const json::Value* value = at->find(field->json);
    if (value == nullptr) return {};
    if (field == path.back()) return value->string_or_empty();
    at = value->if_object();
    if (at == nullptr) return {};
  }
  return {};
}

void apply_row(const PlannedDefault& row, json::Object& object) {
  if (!row.when.empty() && text_at(object, row.when) != row.equals) return;
  json::Object* at = &object;
  for (const FieldDescriptor* field : row.path) {
    if (field == row.path.back()) {
      if (is_unset(*field, at->find(field->json))) at->set(field->json, row.value);
      return;
    }
    json::Value* value = at->find(field->json);
    if ((value == nullptr || value->is_null()) && is_always_there(*field)) {
      at->set(field->json, json::Object{});
      value = at->find(field->json);
    }
    if (value == nullptr || !value->is_object()) return;
    at = value->if_object();
  }
}

// Rounds amounts up to thousandths.
void round_amounts(json::Value* amounts) {
  if (amounts == nullptr || !amounts->is_object()) return;
  for (auto& [name, amount] : *amounts->if_object()) {
    if (!amount.is_string()) continue;
    auto quantity = meta::Quantity::parse(*amount.if_string());
    if (quantity && !quantity->round_up(-3)) amount = quantity->to_string();
  }
}

void drop_empty(json::Value* value) {
  if (value == nullptr) return;
  const bool no_items = value->is_array() && value->if_array()->empty();
  const bool no_members = value->is_object() && value->if_object()->empty();
  if (no_items || no_members) *value = nullptr;
}

// These return whether a field was dropped.
bool apply(const Plan& plan, json::Object& object);

bool apply_to_child(const Plan::Child& child, json::Object& object) {
  const FieldDescriptor& field = *child.field;
  json::Value* value = object.find(field.json);
  if (value == nullptr || value->is_null()) {
    if (!is_always_there(field)) return false;
    json::Object made;
    apply(*child.plan, made);
    if (!made.empty()) object.set(field.json, std::move(made));
    return false;
  }
  bool dropped = false;
  const auto apply_to = [&](json::Value& inner) {
    if (inner.is_object() && apply(*child.plan, *inner.if_object())) dropped = true;
  };
  if (field.cardinality == Cardinality::List) {
    if (!value->is_array()) return false;
    for (json::Value& item : *value->if_array()) apply_to(item);
  } else if (field.cardinality == Cardinality::Map && value->is_object()) {
    for (auto& [key, member] : *value->if_object()) apply_to(member);
  } else {
    apply_to(*value);
  }
  return dropped;
}

bool apply(const Plan& plan, json::Object& object) {
  bool dropped = false;
  for (const std::string_view field : plan.dropped) dropped = object.erase(field) || dropped;
  for (const PlannedDefault& row : plan.rows) apply_row(row, object);
  for (const auto rule : plan.rules) rule(object);
  for (const FieldDescriptor* field : plan.amounts) round_amounts(object.find(field->json));
  for (const FieldDescriptor* field : plan.nullable) drop_empty(object.find(field->json));
  for (const Plan::Child& child : plan.children) dropped = apply_to_child(child, object) || dropped;
  return dropped;
}

}  // namespace

bool apply_defaults(const TypeDescriptor& type, json::Value& object) {
  static Plans plans;
  json::Object* members = object.if_object();
  return members != nullptr && apply(plans.of(type), *members);
}

}  // namespace kube::apiserver
