// SPDX-License-Identifier: Apache-2.0
#include "schema.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "facts.hpp"

namespace kube::gen {
namespace {

using json::Array;
using json::Value;

// A path that can't be read does not exist: exists() would throw for an overlong name.
bool is_there(const std::filesystem::path& path) {
  std::error_code code;
  return std::filesystem::exists(path, code);
}

Result<Field> read_field(const Value& value, const std::string& type_where, std::size_t index) {
  Facts facts(value, type_where + ", field " + std::to_string(index));
  Field field;
  if (value.at_path({"json"}) != nullptr && !value.at_path({"json"})->is_null())
    field.json = facts.text("json");
  // A field without a key has a better name in Go: "JSONSchemas", not "jSONSchemas".
  const bool by_go = facts.has("go") && (!field.json || !facts.has("name"));
  field.name = facts.text(by_go ? "go" : "name", true);
  facts.rename(type_where + ", field " + field.label());
  const std::int64_t number = facts.number("number");
  if (number < 0 || number > 65535)
    facts.fail("\"number\" " + std::to_string(number) + " is not a field number");
  field.number = static_cast<std::uint32_t>(number);
  field.type = facts.text("type", true);
  field.repeated = facts.flag("repeated");
  field.map = facts.flag("map");
  field.pointer = facts.flag("pointer");
  field.inline_ = facts.flag("inline");
  field.zero_json = static_cast<Zero>(facts.choice("zeroJson", {"omit", "null", "value"}));
  if (!facts.has("zeroJson") && !field.inline_) field.zero_json = Zero::Null;
  field.zero_proto = facts.choice("zeroProto", {"omit", "write"}) == 1;
  field.alias = facts.text("alias");
  field.patch_merge_key = facts.text("patchMergeKey");
  switch (
      facts.choice("patchStrategy", {"", "merge", "merge,retainKeys", "retainKeys", "replace"})) {
    case 1:
      field.patch_merge = true;
      break;
    case 2:
      field.patch_merge = field.patch_retain_keys = true;
      break;
    case 3:
      field.patch_retain_keys = true;
      break;
    default:
      break;
  }
  if (field.repeated && field.map) facts.fail("a field is \"repeated\" or a \"map\", not both");
  if (field.pointer && (field.repeated || field.map))
    facts.fail("a pointer to a list or map is not supported");
  if (field.inline_ && (field.repeated || field.map || field.pointer)) {
    facts.fail("an inlined field must hold one value");
  }
  if (facts.error()) return *facts.error();
  return field;
}

Form form_of(std::string_view word) {
  constexpr auto kForms = std::to_array<std::pair<std::string_view, Form>>(
      {{"", Form::Object},
       {"list", Form::List},
       {"raw", Form::Raw},
       {"schemaOrArray", Form::SchemaOrArray},
       {"schemaOrBool", Form::SchemaOrBool},
       {"schemaOrStringArray", Form::SchemaOrStringArray}});
  const auto found = std::ranges::find(kForms, word, &std::pair<std::string_view, Form>::first);
  return found == kForms.end() ? Form::Other : found->second;
}

// Checks the fields on which the engines rely for a form.
Result<void> check_form(Type& type, const std::string& form, const std::string& where) {
  std::vector<Field>& fields = type.fields;
  const auto expect = [&](bool good, std::string_view what) -> Result<void> {
    if (good) return {};
    return bad_facts(where, "\"jsonForm\" is \"" + form + "\", expected " + std::string(what));
  };
  switch (type.form) {
    case Form::List:
      return expect(fields.size() == 1 && fields.front().repeated, "one repeated field");
    case Form::Raw:
      return expect(fields.size() == 1 && fields.front().type == "bytes", "one field of bytes");
    case Form::SchemaOrArray:
    case Form::SchemaOrStringArray:
      // These forms do not distinguish null and empty.
      for (Field& field : fields) field.zero_json = Zero::Omit;
      return expect(fields.size() == 2 && fields[0].pointer && fields[1].repeated,
                    "a pointer and a repeated field");
    case Form::SchemaOrBool:
      return expect(fields.size() == 2 && fields[0].type == "bool" && fields[1].pointer,
                    "a bool and a pointer");
    case Form::Object:
    case Form::Other:
      break;
  }
  return {};
}

Result<Type> read_type(const Value& value, const std::string& file, const std::string& package,
                       std::size_t index) {
  Facts facts(value, file + ": type " + std::to_string(index));
  Type type;
  type.package = package;
  type.name = facts.text("name", true);
  facts.rename(file + ": type " + type.name);
  type.kind = facts.flag("kind");
  if (facts.flag("list")) type.item = split_reference(facts.text("item", true)).second;
  const std::string form = facts.text("jsonForm");
  type.form = form_of(form);
  const Array& fields = facts.list("fields", true);
  if (facts.error()) return *facts.error();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    auto field = read_field(fields[i], facts.where(), i);
    if (!field) return field.error();
    type.fields.push_back(*std::move(field));
  }
  if (auto fits = check_form(type, form, facts.where()); !fits) return fits.error();
  std::set<std::string> seen;
  for (const Field& field : type.fields) {
    if (!seen.insert(field.label()).second)
      return bad_facts(facts.where() + ", field " + field.label(), "occurs twice");
  }
  // Only a type that inlines TypeMeta has a kind on the wire.
  type.kind = type.kind && std::ranges::any_of(type.fields, [](const Field& field) {
                return field.inline_ && field.type == "meta.v1.TypeMeta";
              });
  return type;
}

Result<Package> read_package(const std::filesystem::path& path) {
  auto document = read_json_file(path);
  if (!document) return document.error();
  const std::string file = path.filename().string();
  Facts facts(*document, file);
  Package package;
  package.name = facts.text("package", true);
  package.group = facts.text("group", true);
  package.version = facts.text("version", true);
  const Array& types = facts.list("types", true);
  const Array& string_types = facts.list("stringTypes");
  const Array& constants = facts.list("constants");
  if (facts.error()) return *facts.error();
  for (std::size_t i = 0; i < types.size(); ++i) {
    auto type = read_type(types[i], file, package.name, i);
    if (!type) return type.error();
    package.types.push_back(*std::move(type));
  }
  for (const Value& value : string_types) {
    Facts type(value, file + ": string type");
    package.string_types.push_back({package.name, type.text("name", true), {}});
    if (type.error()) return *type.error();
  }
  for (const Value& value : constants) {
    Facts constant(value, file + ": constant");
    const std::string name = constant.text("name", true);
    const std::string type = constant.text("type");
    if (constant.error()) return *constant.error();
    const Value* held = value.at_path({"value"});
    if (held != nullptr && held->if_int() != nullptr) {
      package.constants.push_back({name, "", *held->if_int()});
      continue;
    }
    if (held == nullptr || held->if_string() == nullptr)
      return bad_facts(file + ": constant " + name, "\"value\" must be a string or an integer");
    // A type that is not found belongs to another package.
    const auto owner = std::ranges::find(package.string_types, type, &StringType::name);
    (owner == package.string_types.end() ? package.constants : owner->constants)
        .push_back({name, *held->if_string()});
  }
  return package;
}

Result<std::map<std::string, Resource>> read_resources(const std::filesystem::path& path) {
  auto document = read_json_file(path);
  if (!document) return document.error();
  Facts facts(*document, path.filename().string());
  std::map<std::string, Resource> resources;
  for (const Value& value : facts.list("resources", true)) {
    Facts entry(value, path.filename().string() + ": resource");
    const std::string type = entry.text("type", true);
    entry.rename(path.filename().string() + ": resource of " + type);
    resources[type] = {entry.text("plural", true), entry.text("singular", true),
                       entry.flag("namespaced")};
    if (entry.error()) return *entry.error();
  }
  if (facts.error()) return *facts.error();
  return resources;
}

}  // namespace

std::pair<std::string, std::string> split_reference(std::string_view reference) {
  const std::size_t dot = reference.rfind('.');
  if (dot == std::string_view::npos) return {"", std::string(reference)};
  return {std::string(reference.substr(0, dot)), std::string(reference.substr(dot + 1))};
}

Result<const Package*> Schema::package(const std::string& name) {
  if (const auto found = packages_.find(name); found != packages_.end()) return &found->second;
  const std::string file = name + ".json";
  const auto directory = std::ranges::find_if(
      directories_, [&](const std::filesystem::path& each) { return is_there(each / file); });
  if (directory == directories_.end())
    return bad_facts(file, "was not found in the schema directories");
  auto package = read_package(*directory / file);
  if (!package) return package.error();
  if (package->name != name)
    return bad_facts(file, "is package \"" + package->name + "\", expected \"" + name + "\"");
  return &packages_.emplace(name, *std::move(package)).first->second;
}

void Schema::add(Package package, std::map<std::string, Resource> resources) {
  std::string name = package.name;
  packages_.insert_or_assign(std::move(name), std::move(package));
  added_resources_.merge(std::move(resources));
}

Result<const Type*> Schema::find(const std::string& reference) {
  const auto [package_name, name] = split_reference(reference);
  auto in = package(package_name);
  if (!in) return in.error();
  const auto found = std::ranges::find((*in)->types, name, &Type::name);
  return found == (*in)->types.end() ? nullptr : &*found;
}

Result<const Resource*> Schema::resource(const std::string& reference) {
  if (const auto added = added_resources_.find(reference); added != added_resources_.end())
    return &added->second;
  if (!resources_) {
    std::map<std::string, Resource> all;
    for (const std::filesystem::path& directory : directories_) {
      const std::filesystem::path path = directory / "resources.json";
      if (!is_there(path)) continue;
      auto resources = read_resources(path);
      if (!resources) return resources.error();
      all.merge(*resources);
    }
    resources_ = std::move(all);
  }
  const auto found = resources_->find(reference);
  return found == resources_->end() ? nullptr : &found->second;
}

}  // namespace kube::gen
