// SPDX-License-Identifier: Apache-2.0
#include "schema_structure.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/base/join.hpp>
#include <kube/names/group_version.hpp>
#include <kube/names/path_trail.hpp>
#include <kube/names/validation.hpp>
#include <kube/validation/object_meta_validation.hpp>

#include "schema_walk.hpp"

namespace kube::meta::detail {
namespace {

class Structure {
 public:
  explicit Structure(FieldErrors& errors) : errors_(errors) {}

  void check(const SchemaNode& node, const json::Value& value, bool root = false) {
    if (const json::Object* object = value.if_object()) {
      if (node.embedded_resource && !root) embedded(*object);
      for (const auto& [name, member] : *object) {
        if (has_enough(errors_)) return;
        const SchemaNode* schema = node.find(name);
        if (schema == nullptr && node.additional == nullptr) continue;
        const PathTrail::Step step =
            schema != nullptr || root ? trail_.child(name) : trail_.key(name);
        check(schema != nullptr ? *schema : *node.additional, member);
      }
    } else if (const json::Array* list = value.if_array()) {
      if (node.list_type == "set") unique(*list, *list);
      if (node.list_type == "map") keyed(node, *list);
      if (node.items == nullptr) return;
      for (std::size_t i = 0; i < list->size() && !has_enough(errors_); ++i) {
        const PathTrail::Step step = trail_.index(i);
        check(*node.items, (*list)[i]);
      }
    }
  }

  void embedded(const json::Object& object) {
    const FieldPath path = trail_.path();
    for (const std::string_view key : {"apiVersion", "kind"}) {
      const json::Value* value = object.find(key);
      if (value == nullptr) {
        errors_.push_back(FieldError::required(path.child(key), ""));
      } else if (!value->is_string()) {
        errors_.push_back(FieldError::invalid(path.child(key), *value, "must be a string"));
      } else if (value->string_or_empty().empty()) {
        errors_.push_back(FieldError::invalid(path.child(key), "", "must not be empty"));
      } else {
        type_name(key, path.child(key), value->string_or_empty());
      }
    }
    if (const json::Value* metadata = object.find("metadata"); metadata != nullptr)
      embedded_metadata(*metadata, path.child("metadata"));
  }

 private:
  void type_name(std::string_view key, const FieldPath& path, std::string_view value) {
    if (key == "apiVersion") {
      if (const auto version = parse_group_version(value); !version)
        errors_.push_back(FieldError::invalid(
            path, value, "unexpected GroupVersion string: " + std::string(value)));
      return;
    }
    const Problems problems = validate_dns1035_label(ascii::to_lower(value));
    if (problems.empty()) return;
    errors_.push_back(FieldError::invalid(
        path, value, "may have mixed case, but should otherwise match: " + join(problems, ",")));
  }

  // The name may be missing, and the namespace.
  void embedded_metadata(const json::Value& metadata, const FieldPath& path) {
    if (!metadata.is_object()) return;
    json::Value named = metadata;
    if (named.string_at({"name"}).empty()) named.if_object()->set("name", "unnamed");
    const bool namespaced = !named.string_at({"namespace"}).empty();
    std::ranges::move(validate_object_meta(named, {NameRule::PathSegment, namespaced}, path),
                      std::back_inserter(errors_));
  }

  // Reports the second of equal elements, once.
  void unique(const json::Array& identities, const json::Array& shown) {
    std::map<std::string, int> seen;
    for (std::size_t i = 0; i < identities.size() && !has_enough(errors_); ++i) {
      if (++seen[identity_of(identities[i])] == 2)
        errors_.push_back(FieldError::duplicate(trail_.path().index(i), shown_value(shown[i])));
    }
  }

  void keyed(const SchemaNode& node, const json::Array& list) {
    json::Array keys;
    for (std::size_t i = 0; i < list.size(); ++i) {
      json::Object key;
      if (const json::Object* object = list[i].if_object()) {
        for (const std::string& name : node.list_map_keys) {
          if (const json::Value* value = object->find(name)) key.append(name, *value);
        }
      } else if (!list[i].is_null()) {
        errors_.push_back(FieldError::invalid(trail_.path().index(i), list[i],
                                              "must be an object for an array of list-type map"));
        return;
      }
      keys.emplace_back(std::move(key));
    }
    unique(keys, keys);
  }

  FieldErrors& errors_;
  PathTrail trail_;
};

}  // namespace

void check_structure(const SchemaNode& node, const json::Value& value, FieldErrors& errors) {
  Structure(errors).check(node, value, true);
}

void check_type_names(const json::Object& object, FieldErrors& errors) {
  Structure(errors).embedded(object);
}

}  // namespace kube::meta::detail
