// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/nested.hpp>

#include <span>

namespace kube {

namespace {

using Path = std::span<const std::string_view>;

Path view(NestedPath path) {
  return {path.begin(), path.size()};
}

std::string json_path(Path path) {
  std::string out;
  for (const std::string_view name : path) {
    out += '.';
    out += name;
  }
  return out;
}

/// Returns the type names of Go's decoded JSON, which callers of client-go match on.
std::string_view go_type(const json::Value& value) {
  if (value.is_null()) return "<nil>";
  if (value.is_bool()) return "bool";
  if (value.is_int()) return "int64";
  if (value.is_uint() || value.is_double()) return "float64";
  if (value.is_string()) return "string";
  return value.is_array() ? "[]interface {}" : "map[string]interface {}";
}

std::string shown(const json::Value& value) {
  if (value.is_null()) return "<nil>";
  if (const std::string* text = value.if_string()) return *text;
  return json::dump(value);
}

Error accessor_error(Path path, std::string_view detail) {
  return Error(ErrorCode::Decode, json_path(path) + " accessor error: " + std::string(detail));
}

std::string of_the_type(const json::Value& value, std::string_view expected) {
  return shown(value) + " is of the type " + std::string(go_type(value)) + ", expected " +
         std::string(expected);
}

Error wrong_type(Path path, const json::Value& value, std::string_view expected) {
  return accessor_error(path, of_the_type(value, expected));
}

constexpr std::string_view kGoMap = "map[string]interface{}";
constexpr std::string_view kGoSlice = "[]interface{}";

Result<const json::Value*> find(const json::Value& object, Path path) {
  const json::Value* value = &object;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (value->is_null()) return nullptr;
    const json::Object* members = value->if_object();
    if (members == nullptr) return wrong_type(path.first(i + 1), *value, kGoMap);
    value = members->find(path[i]);
    if (value == nullptr) return nullptr;
  }
  return value;
}

/// Calls read(value) -> Result<T> for a field that exists.
template <class T, class Read>
Result<Optional<T>> nested(const json::Value& object, NestedPath path, const Read& read) {
  const Result<const json::Value*> value = find(object, view(path));
  if (!value) return value.error();
  if (*value == nullptr) return Optional<T>();
  Result<T> found = read(**value);
  if (!found) return found.error();
  return Optional<T>(*std::move(found));
}

Result<StringMap> read_string_map(const json::Value& value, Path path, bool null_is_empty) {
  StringMap map;
  if (null_is_empty && value.is_null()) return map;
  const json::Object* members = value.if_object();
  if (members == nullptr) return wrong_type(path, value, kGoMap);
  for (const auto& [key, member] : *members) {
    if (!member.is_string() && !(null_is_empty && member.is_null())) {
      return accessor_error(path, "contains non-string value in the map under key \"" + key +
                                      "\": " + of_the_type(member, "string"));
    }
    map.insert_or_assign(key, std::string(member.string_or_empty()));
  }
  return map;
}

}  // namespace

Result<const json::Value*> nested_field(const json::Value& object, NestedPath path) {
  return find(object, view(path));
}

Result<Optional<json::Value>> nested_field_copy(const json::Value& object, NestedPath path) {
  return nested<json::Value>(object, path,
                             [](const json::Value& value) { return Result<json::Value>(value); });
}

Result<Optional<std::string>> nested_string(const json::Value& object, NestedPath path) {
  return nested<std::string>(object, path, [path](const json::Value& value) -> Result<std::string> {
    if (const std::string* text = value.if_string()) return *text;
    return wrong_type(view(path), value, "string");
  });
}

Result<Optional<bool>> nested_bool(const json::Value& object, NestedPath path) {
  return nested<bool>(object, path, [path](const json::Value& value) -> Result<bool> {
    if (const bool* flag = value.if_bool()) return *flag;
    return wrong_type(view(path), value, "bool");
  });
}

Result<Optional<std::int64_t>> nested_int64(const json::Value& object, NestedPath path) {
  return nested<std::int64_t>(object, path,
                              [path](const json::Value& value) -> Result<std::int64_t> {
                                if (const std::int64_t* number = value.if_int()) return *number;
                                return wrong_type(view(path), value, "int64");
                              });
}

Result<Optional<double>> nested_float64(const json::Value& object, NestedPath path) {
  return nested<double>(object, path, [path](const json::Value& value) -> Result<double> {
    if (const double* number = value.if_double()) return *number;
    return wrong_type(view(path), value, "float64");
  });
}

Result<Optional<double>> nested_number_as_float64(const json::Value& object, NestedPath path) {
  return nested<double>(object, path, [path](const json::Value& value) -> Result<double> {
    if (const double* number = value.if_double()) return *number;
    const std::int64_t* integer = value.if_int();
    if (integer == nullptr) return wrong_type(view(path), value, "float64 or int64");
    const auto number = static_cast<double>(*integer);
    constexpr double kBeyondInt64 = 9223372036854775808.0;
    if (number < kBeyondInt64 && static_cast<std::int64_t>(number) == *integer) return number;
    return accessor_error(view(path), "int64 value " + std::to_string(*integer) +
                                          " cannot be losslessly converted to float64");
  });
}

Result<Optional<std::vector<std::string>>> nested_string_slice(const json::Value& object,
                                                               NestedPath path) {
  using Strings = std::vector<std::string>;
  return nested<Strings>(object, path, [path](const json::Value& value) -> Result<Strings> {
    const json::Array* list = value.if_array();
    if (list == nullptr) return wrong_type(view(path), value, kGoSlice);
    Strings strings;
    for (const json::Value& item : *list) {
      if (!item.is_string()) {
        return accessor_error(
            view(path), "contains non-string key in the slice: " + of_the_type(item, "string"));
      }
      strings.emplace_back(item.string_or_empty());
    }
    return strings;
  });
}

Result<Optional<json::Array>> nested_slice(const json::Value& object, NestedPath path) {
  return nested<json::Array>(object, path, [path](const json::Value& value) -> Result<json::Array> {
    if (const json::Array* list = value.if_array()) return *list;
    return wrong_type(view(path), value, kGoSlice);
  });
}

Result<Optional<json::Object>> nested_map(const json::Value& object, NestedPath path) {
  return nested<json::Object>(object, path,
                              [path](const json::Value& value) -> Result<json::Object> {
                                if (const json::Object* map = value.if_object()) return *map;
                                return wrong_type(view(path), value, kGoMap);
                              });
}

Result<Optional<StringMap>> nested_string_map(const json::Value& object, NestedPath path) {
  return nested<StringMap>(object, path, [path](const json::Value& value) {
    return read_string_map(value, view(path), false);
  });
}

Result<Optional<StringMap>> nested_null_coercing_string_map(const json::Value& object,
                                                            NestedPath path) {
  return nested<StringMap>(object, path, [path](const json::Value& value) {
    return read_string_map(value, view(path), true);
  });
}

Result<void> set_nested_field(json::Value& object, json::Value value, NestedPath path) {
  const Path names = view(path);
  if (names.empty()) {
    return Error(ErrorCode::InvalidArgument, "value cannot be set without a path");
  }
  // Check the path first, so that a failure creates no parents.
  const json::Value* seen = &object;
  for (std::size_t i = 0; i < names.size() && seen != nullptr; ++i) {
    const json::Object* members = seen->if_object();
    if (members == nullptr) {
      return Error(ErrorCode::InvalidArgument,
                   "value cannot be set because " +
                       (i == 0 ? std::string("the document") : json_path(names.first(i))) +
                       " is not a " + std::string(kGoMap));
    }
    seen = members->find(names[i]);
  }
  json::Value* at = &object;
  for (const std::string_view name : names.first(names.size() - 1)) {
    json::Value& next = (*at->if_object())[name];
    if (next.is_null()) next = json::Object{};
    at = &next;
  }
  at->if_object()->set(names.back(), std::move(value));
  return {};
}

void remove_nested_field(json::Value& object, NestedPath path) {
  const Path names = view(path);
  if (names.empty()) return;
  json::Value* at = &object;
  for (const std::string_view name : names.first(names.size() - 1)) {
    json::Object* members = at->if_object();
    at = members != nullptr ? members->find(name) : nullptr;
    if (at == nullptr) return;
  }
  if (json::Object* members = at->if_object()) members->erase(names.back());
}

}  // namespace kube
