// SPDX-License-Identifier: Apache-2.0
#include <kube/validation/runtime_schema.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <string>
#include <tuple>

#include <kube/codec/json_check.hpp>
#include <kube/codec/strict_fields.hpp>
#include <kube/meta/list_meta.hpp>
#include <kube/meta/object_meta.hpp>
#include <kube/schema/documents.hpp>
#include <kube/schema/perfect_hash.hpp>
#include <kube/validation/schema_validator.hpp>

namespace kube::meta {
namespace {

// By schema::ValueType.
constexpr auto kKinds = std::to_array<ValueKind>(
    {ValueKind::Bool, ValueKind::Int32, ValueKind::Int64, ValueKind::Double, ValueKind::String,
     ValueKind::Bytes, ValueKind::Time, ValueKind::MicroTime, ValueKind::Duration,
     ValueKind::Quantity, ValueKind::IntOrString, ValueKind::RawJson, ValueKind::Message});

// The field for all unknown fields of an object that preserves them.
constexpr FieldDescriptor kOthers{.json = "",
                                  .offset = 0,
                                  .number = 0,
                                  .kind = ValueKind::RawJson,
                                  .cardinality = Cardinality::Map,
                                  .zero_json = ZeroJson::Omit,
                                  .zero_proto = false,
                                  .nullable = false,
                                  .inline_ = false,
                                  .patch_merge = false,
                                  .patch_retain_keys = false,
                                  .message = nullptr,
                                  .ops = nullptr,
                                  .patch_merge_key = "",
                                  .go_type = nullptr};

}  // namespace

// The packages own the texts that the tables refer to.
class RuntimeSchema::Arena {
 public:
  explicit Arena(std::vector<schema::Package> packages) : packages_(std::move(packages)) {}

  Result<void> build() {
    for (const schema::Package& package : packages_) {
      const std::string prefix = package.name() + ".";
      for (const schema::Type& type : package.types) {
        Entry& entry = entries_.emplace_back();
        entry.name = prefix + type.name;
        by_name_[entry.name] = &entry;
      }
    }
    for (const schema::Package& package : packages_) {
      for (const schema::Type& type : package.types) {
        if (auto done = fill(package, type); !done) return done;
      }
    }
    return {};
  }

  const TypeDescriptor* find(const GroupVersionKind& kind) const {
    const auto found = kinds_.find({kind.group, kind.version, kind.kind});
    return found == kinds_.end() ? nullptr : found->second;
  }
  std::vector<const TypeDescriptor*> kinds() const {
    std::vector<const TypeDescriptor*> all;
    for (const auto& entry : kinds_) all.push_back(entry.second);
    return all;
  }
  std::span<const FieldFacts> facts(const TypeDescriptor& type) const {
    const auto found = by_name_.find(type.name);
    if (found == by_name_.end() || &found->second->type != &type) return {};
    return found->second->facts;
  }

  // Compiles the validators of a definition's versions.
  Result<void> add_definition(const json::Value& definition) {
    const json::Value* versions = definition.at_path({"spec", "versions"});
    const json::Array* array = versions != nullptr ? versions->if_array() : nullptr;
    if (array == nullptr) return {};
    const auto text = [&](std::initializer_list<std::string_view> path) {
      return std::string(definition.string_at(path));
    };
    for (const json::Value& version : *array) {
      const json::Value* name = version.at_path({"name"});
      const json::Value* schema = version.at_path({"schema", "openAPIV3Schema"});
      if (name == nullptr || schema == nullptr) continue;
      if (auto added = add_validator({text({"spec", "group"}), std::string(name->string_or_empty()),
                                      text({"spec", "names", "kind"})},
                                     *schema, nullptr);
          !added) {
        return added;
      }
    }
    return {};
  }
  // Compiles the validators of an OpenAPI document's kinds.
  Result<void> add_document(const json::Value& document) {
    const json::Value* components = document.at_path({"components", "schemas"});
    const json::Object* schemas = components != nullptr ? components->if_object() : nullptr;
    if (schemas == nullptr) return {};
    for (const auto& [name, schema] : *schemas) {
      const json::Value* kinds = schema.at_path({"x-kubernetes-group-version-kind"});
      const json::Array* array = kinds != nullptr ? kinds->if_array() : nullptr;
      if (array == nullptr) continue;
      for (const json::Value& kind : *array) {
        const auto text = [&](std::string_view key) { return std::string(kind.string_at({key})); };
        if (auto added =
                add_validator({text("group"), text("version"), text("kind")}, schema, components);
            !added) {
          return added.error().with_context("component " + name);
        }
      }
    }
    return {};
  }
  const SchemaValidator* validator(const TypeDescriptor& kind) const {
    const auto found = validators_.find(&kind);
    return found == validators_.end() ? nullptr : &found->second;
  }

 private:
  struct Entry {
    std::string name{};
    std::vector<FieldDescriptor> fields{};
    std::vector<const FieldDescriptor*> keys{};
    schema::PerfectHash hash{};
    std::vector<FieldFacts> facts{};
    TypeDescriptor type{};
  };

  std::span<const std::string_view> texts(const std::vector<std::string>& from) {
    return texts_.emplace_back(from.begin(), from.end());
  }

  const TypeDescriptor* message_of(const schema::Package& package, const schema::Field& field) {
    if (field.external) {
      return field.object == "meta.v1.ListMeta" ? &ListMeta::descriptor()
                                                : &ObjectMeta::descriptor();
    }
    return &by_name_.find(package.name() + "." + field.object)->second->type;
  }

  Result<void> fill(const schema::Package& package, const schema::Type& type) {
    Entry& entry = *by_name_.find(package.name() + "." + type.name)->second;
    std::vector<std::string> keys;
    for (const schema::Field& field : type.fields) {
      FieldDescriptor made = kOthers;
      made.json = field.key;
      made.kind = kKinds[static_cast<std::size_t>(field.type)];
      made.cardinality = field.holder == schema::Holder::List  ? Cardinality::List
                         : field.holder == schema::Holder::Map ? Cardinality::Map
                         : field.required && !field.nullable   ? Cardinality::Plain
                                                               : Cardinality::Optional;
      if (made.kind == ValueKind::Message) made.message = message_of(package, field);
      entry.fields.push_back(made);
      entry.facts.push_back({field.key, field.required, field.nullable, field.default_value,
                             texts(field.values), field.list_type, texts(field.list_map_keys),
                             field.map_type});
      if (!field.key.empty()) keys.push_back(field.key);
    }
    if (type.keeps_unknown) entry.fields.push_back(kOthers);
    for (const FieldDescriptor& field : entry.fields) {
      if (!field.json.empty()) entry.keys.push_back(&field);
    }
    auto hash = schema::find_perfect_hash(keys);
    if (!hash) {
      return Error(ErrorCode::Decode, type.where + ": type " + type.name + ": no hash tells its " +
                                          std::to_string(keys.size()) + " keys apart");
    }
    entry.hash = *std::move(hash);

    TypeDescriptor& made = entry.type;
    made.name = entry.name;
    made.json_form = type.wraps ? JsonForm::List : JsonForm::Object;
    made.fields = entry.fields;
    made.keys = {entry.hash.seed, entry.hash.shift, entry.hash.slots, entry.keys};
    if (!type.kind) return {};
    made.group = package.group;
    made.version = package.version;
    made.kind = type.name;
    for (const schema::Resource& resource : package.resources) {
      if (resource.kind != type.name) continue;
      made.plural = resource.plural;
      made.singular = resource.singular;
      made.namespaced = resource.namespaced;
    }
    kinds_[{package.group, package.version, type.name}] = &made;
    return {};
  }

  Result<void> add_validator(const GroupVersionKind& name, const json::Value& schema,
                             const json::Value* components) {
    const TypeDescriptor* kind = find(name);
    if (kind == nullptr) return {};
    auto validator = SchemaValidator::create(schema, {.components = components});
    if (!validator) return validator.error();
    validators_.insert_or_assign(kind, *std::move(validator));
    return {};
  }

  std::map<const TypeDescriptor*, SchemaValidator> validators_;
  std::vector<schema::Package> packages_;
  std::deque<Entry> entries_;
  std::deque<std::vector<std::string_view>> texts_;
  std::map<std::string, Entry*, std::less<>> by_name_;
  std::map<std::tuple<std::string, std::string, std::string>, const TypeDescriptor*> kinds_;
};

RuntimeSchema::RuntimeSchema(std::unique_ptr<const Arena> arena) : arena_(std::move(arena)) {}
RuntimeSchema::RuntimeSchema(RuntimeSchema&&) noexcept = default;
RuntimeSchema& RuntimeSchema::operator=(RuntimeSchema&&) noexcept = default;
RuntimeSchema::~RuntimeSchema() = default;

namespace {

// The arena is private, so the function that makes one is a template.
template <class Arena, class Add>
Result<std::unique_ptr<const Arena>> build(std::vector<schema::Package> packages,
                                           Add add_validators) {
  auto arena = std::make_unique<Arena>(std::move(packages));
  if (auto built = arena->build(); !built) return built.error();
  if (Result<void> added = add_validators(*arena); !added) return added.error();
  return std::unique_ptr<const Arena>(std::move(arena));
}

}  // namespace

Result<RuntimeSchema> RuntimeSchema::from_crd(const json::Value& definition) {
  std::vector<schema::Package> packages;
  if (auto read = schema::read_crd(definition, "definition", packages); !read) return read.error();
  auto arena = build<Arena>(std::move(packages),
                            [&](Arena& made) { return made.add_definition(definition); });
  if (!arena) return arena.error();
  return RuntimeSchema(*std::move(arena));
}

Result<RuntimeSchema> RuntimeSchema::from_crds(std::string_view text) {
  std::vector<schema::Package> packages;
  const auto definitions = schema::find_crds(text, "definitions");
  if (!definitions) return definitions.error();
  for (const schema::Definition& each : *definitions) {
    if (auto read = schema::read_crd(each.value, each.where, packages); !read) return read.error();
  }
  auto arena = build<Arena>(std::move(packages), [&](Arena& made) -> Result<void> {
    for (const schema::Definition& each : *definitions) {
      if (auto added = made.add_definition(each.value); !added) return added;
    }
    return {};
  });
  if (!arena) return arena.error();
  return RuntimeSchema(*std::move(arena));
}

Result<RuntimeSchema> RuntimeSchema::from_openapi(const json::Value& document) {
  auto package = schema::read_openapi(document, "OpenAPI document", nullptr);
  if (!package) return package.error();
  std::vector<schema::Package> packages;
  packages.push_back(*std::move(package));
  auto arena =
      build<Arena>(std::move(packages), [&](Arena& made) { return made.add_document(document); });
  if (!arena) return arena.error();
  return RuntimeSchema(*std::move(arena));
}

const TypeDescriptor* RuntimeSchema::find(const GroupVersionKind& kind) const& {
  return arena_->find(kind);
}
std::vector<const TypeDescriptor*> RuntimeSchema::kinds() const& {
  return arena_->kinds();
}
std::span<const FieldFacts> RuntimeSchema::field_facts(const TypeDescriptor& type) const& {
  return arena_->facts(type);
}

FieldErrors RuntimeSchema::validate(const TypeDescriptor& kind, const json::Value& object) const {
  const SchemaValidator* validator = arena_->validator(kind);
  return validator != nullptr ? validator->validate(object) : FieldErrors();
}

namespace {

// Strict reading of values whose type only the schema describes: a server also finds duplicate
// fields in the parts that may hold any value.
Result<void> check_fields(std::string_view text, const TypeDescriptor& kind,
                          const ReadOptions& options) {
  if (!options.strict && options.problems == nullptr) return check_json(text, kind);
  std::vector<std::string> problems;
  if (auto checked = check_json(text, kind, {.problems = &problems}); !checked) return checked;
  for (std::string& repeated : duplicate_fields(text)) {
    if (problems.size() < kMaxProblems && std::ranges::find(problems, repeated) == problems.end())
      problems.push_back(std::move(repeated));
  }
  return report_problems(std::move(problems), options);
}

}  // namespace

Result<void> RuntimeSchema::check(std::string_view text, const TypeDescriptor& kind,
                                  const ReadOptions& options) const {
  if (auto checked = check_fields(text, kind, options); !checked) return checked;
  if (arena_->validator(kind) == nullptr) return {};
  const auto object = json::parse(text);
  if (!object) return object.error();
  const FieldErrors errors = validate(kind, *object);
  if (!errors.empty()) return to_error(errors);
  return {};
}

std::vector<std::string> RuntimeSchema::unchecked(const TypeDescriptor& kind) const {
  const SchemaValidator* validator = arena_->validator(kind);
  return validator != nullptr ? validator->unchecked() : std::vector<std::string>();
}

}  // namespace kube::meta
