// SPDX-License-Identifier: Apache-2.0
#include "layout.hpp"

#include <algorithm>
#include <array>

#include "headers.hpp"
#include "names.hpp"

namespace kube::gen {
namespace {

// The C++ form of a type of the schema that is not a message.
struct Scalar {
  std::string_view schema;
  std::string_view kind;
  std::string_view type;
  std::string_view initializer;
  std::string_view header;
};
constexpr auto kScalars = std::to_array<Scalar>({
    {"bool", "Bool", "bool", " = false", ""},
    {"int32", "Int32", "std::int32_t", " = 0", ""},
    {"int64", "Int64", "std::int64_t", " = 0", ""},
    {"double", "Double", "double", " = 0", ""},
    {"string", "String", "std::string", "{}", ""},
    {"bytes", "Bytes", "std::string", "{}", ""},
    {"any", "RawJson", "meta::RawExtension", "{}", "kube/names/raw_extension.hpp"},
    {"Time", "Time", "meta::Time", "{}", "kube/names/time.hpp"},
    {"MicroTime", "MicroTime", "meta::MicroTime", "{}", "kube/names/time.hpp"},
    {"Duration", "Duration", "meta::Duration", "{}", "kube/names/time.hpp"},
    {"Quantity", "Quantity", "meta::Quantity", "{}", "kube/names/quantity.hpp"},
    {"IntOrString", "IntOrString", "meta::IntOrString", "{}", "kube/names/int_or_string.hpp"},
    {"RawExtension", "RawJson", "meta::RawExtension", "{}", "kube/names/raw_extension.hpp"},
    {"FieldsV1", "RawJson", "meta::FieldsV1", "{}", "kube/names/raw_extension.hpp"},
});

Error bad(const Type& type, const Field& field, const std::string& what) {
  return Error(ErrorCode::Decode, type.label() + ", field " + field.label() + ": " + what);
}

// Returns the name of a type inside namespace kube::...: unqualified in its own package.
std::string type_name(const Type& type, const Type& owner) {
  if (type.package == owner.package) return type.name;
  const std::string in = place_of(type).namespace_;
  if (!owner.namespace_.empty()) return in + "::" + type.name;
  return in.substr(std::string_view("kube::").size()) + "::" + type.name;
}

Result<void> check_names(const Type& type, const std::vector<Member>& members,
                         std::set<std::string>& seen) {
  for (const Member& member : members) {
    if (member.name.empty() && member.inlined.empty() && !member.field->inline_) {
      return bad(type, *member.field, "has no valid C++ name");
    }
    if (!member.name.empty() && !seen.insert(member.name).second) {
      return bad(type, *member.field, "two fields become the member " + member.name);
    }
    if (auto inner = check_names(type, member.inlined, seen); !inner) return inner;
  }
  return {};
}

// Go's name for the type of a field that has one of its own; users' types have none in Go.
std::string go_type(const Type& type, const Field& field, const Choices& choices) {
  const auto chosen = choices.go_types.find(type.reference() + "." + field.label());
  if (chosen != choices.go_types.end()) return chosen->second;
  if (field.alias.empty() || field.type != "string" || !type.namespace_.empty()) return {};
  const std::string_view container = field.repeated ? "[]" : field.map ? "map[string]" : "";
  return std::string(container) + field.alias.substr(field.alias.find('.') + 1);
}

}  // namespace

Place place_of(const std::string& package, const std::string& users_namespace) {
  if (!users_namespace.empty()) {
    std::string directory;
    for (std::size_t i = 0; i < users_namespace.size(); ++i) {
      const bool separator = users_namespace[i] == ':';
      directory += separator ? '/' : users_namespace[i];
      if (separator) ++i;
    }
    return {users_namespace, std::move(directory)};
  }
  if (package == "meta.v1") return {"kube::meta", "kube/meta"};
  const auto [group, version] = split_reference(package);
  return {"kube::" + group + "::" + version, "kube/api/" + group + "/" + version};
}

Result<const Type*> Planner::find_type(const Type& type, const Field& field) {
  if (std::ranges::find(kScalars, field.type, &Scalar::schema) != kScalars.end()) return nullptr;
  if (field.type.find('.') == std::string::npos)
    return bad(type, field, "has the unknown type \"" + field.type + "\"");
  auto found = schema_.find(field.type);
  if (!found) return found.error().with_context(bad(type, field, "its type").to_string());
  if (*found == nullptr)
    return bad(type, field, "refers to " + field.type + ", which does not exist");
  return *found;
}

Result<Member> Planner::make_member(const Type& type, const Field& field, Struct& owner) {
  Member member;
  member.field = &field;
  member.go_type = go_type(type, field, choices_);
  if (!field.inline_)
    member.name = field.member.empty() ? member_name(field.label()) : field.member;
  if (!field.alias.empty() && split_reference(field.alias).first == type.package)
    owner.needs.insert(field.alias);

  std::string element;
  const std::string_view prefix = kube_prefix(owner.type->namespace_);
  auto found = find_type(type, field);
  if (!found) return found.error();
  const Type* message_type = *found;
  const auto scalar = std::ranges::find(
      kScalars, message_type != nullptr && message_type->form == Form::Raw ? "any" : field.type,
      &Scalar::schema);
  if (scalar != kScalars.end()) {
    const bool ours = scalar->type.starts_with("meta::");
    element = std::string(ours ? prefix : "") + std::string(scalar->type);
    member.value_kind = scalar->kind;
    member.initializer = scalar->initializer;
    if (!scalar->header.empty()) owner.headers.emplace(scalar->header);
  } else {
    member.message = message_type;
    if (field.inline_) {
      if (auto added = add_members(*member.message, member.inlined, owner); !added)
        return added.error();
      member.value_kind = "Message";
      member.cardinality = "Plain";
      return member;
    }
    if (choices_.skip.contains(field.type))
      return bad(type, field, "refers to " + field.type + ", which the choices skip");
    if (member.message->form == Form::Other) {
      return bad(type, field, "refers to " + field.type + ", whose JSON form isn't supported");
    }
    owner.needs.insert(field.type);
    if (!field.pointer && !field.map)
      (field.repeated ? owner.in_vectors : owner.by_value).insert(field.type);
    element = type_name(*member.message, *owner.type);
    member.value_kind = "Message";
  }

  const bool message = member.message != nullptr;
  const bool raw = member.value_kind == "RawJson";  // represents unset itself
  if (field.repeated) {
    member.cardinality = "List";
    member.type = "std::vector<" + element + ">";
  } else if (field.map) {
    member.cardinality = "Map";
    member.type = "std::map<std::string, " + element + ", std::less<>>";
  } else if (field.pointer && !raw) {
    member.cardinality = "Optional";
    member.type = (message ? std::string(prefix) + "Optional<" : "std::optional<") + element + ">";
    if (message) owner.headers.emplace("kube/base/optional.hpp");
  } else {
    member.cardinality = "Plain";
    member.type = element;
  }
  const bool keeps_null = field.zero_json == Zero::Null &&
                          (field.repeated || field.map || member.value_kind == "Bytes");
  if (keeps_null) {
    member.nullable = true;
    member.type = std::string(prefix) + "meta::Nullable<" + member.type + ">";
    owner.headers.emplace("kube/names/nullable.hpp");
  }
  if (member.cardinality != "Plain" || keeps_null) member.initializer = "{}";
  return member;
}

Result<void> Planner::add_members(const Type& type, std::vector<Member>& members, Struct& owner) {
  for (const Field& field : type.fields) {
    if (field.inline_ && field.type == "meta.v1.TypeMeta") continue;  // in the descriptor
    auto member = make_member(type, field, owner);
    if (!member) return member.error();
    members.push_back(*std::move(member));
  }
  return {};
}

Result<void> Planner::add_struct(const Type& type, std::map<std::string, Struct>& structs) {
  Struct made;
  made.type = &type;
  if (auto added = add_members(type, made.members, made); !added) return added;
  std::set<std::string> seen;
  if (auto checked = check_names(type, made.members, seen); !checked) return checked;
  structs.emplace(type.reference(), std::move(made));
  return {};
}

Result<const Layout*> Planner::layout(const std::string& name) {
  if (const auto found = layouts_.find(name); found != layouts_.end()) return &found->second;
  auto package = schema_.package(name);
  if (!package) return package.error();
  Layout layout;
  layout.package = *package;
  layout.place = place_of(name, (*package)->namespace_);

  // Types that are only inlined have no struct.
  std::set<std::string> inlined;
  std::set<std::string> used;
  for (const Type& type : (*package)->types) {
    for (const Field& field : type.fields) (field.inline_ ? inlined : used).insert(field.type);
  }
  for (const Type& type : (*package)->types) {
    const std::string reference = type.reference();
    if (choices_.skip.contains(reference) || type.form == Form::Other || type.form == Form::Raw)
      continue;
    if (inlined.contains(reference) && !used.contains(reference)) continue;
    auto& structs = choices_.by_hand.contains(reference) ? layout.by_hand : layout.structs;
    if (auto added = add_struct(type, structs); !added) return added.error();
  }
  arrange_headers(layout, choices_);
  for (const auto& [reference, made] : layout.by_hand)
    layout.header_of[reference] = choices_.by_hand.at(reference);
  return &layouts_.emplace(name, std::move(layout)).first->second;
}

}  // namespace kube::gen
