// SPDX-License-Identifier: Apache-2.0
//
// The descriptor tables. For each struct T of a package: arrays of its fields, keys and hash slots,
// and descriptors::t, which T::descriptor() returns. An inlined type has its own tables, whose
// offsets are those in the struct around it.
//
// Tables are looked up where descriptors, and members of T, hide them. The names of those have no
// capitals, so that no property can take the name of a users' table: kT_fields, kT_keys, ...
#include <algorithm>
#include <set>
#include <sstream>

#include <kube/schema/perfect_hash.hpp>
#include "emit.hpp"
#include "names.hpp"

namespace kube::gen {
namespace {

// The names of the descriptors' enumerations in the tables. Users may have kinds named Kind or
// Zero, but no type that begins with a small letter.
struct Aliases {
  std::string_view cardinality;
  std::string_view kind;
  std::string_view zero;
};
Aliases aliases_in(const std::string& users_namespace) {
  return users_namespace.empty() ? Aliases{"Cardinality", "Kind", "Zero"}
                                 : Aliases{"cardinality", "value_kind", "zero_json"};
}

// Writes the tables of one struct.
class TableWriter {
 public:
  TableWriter(const Struct& made, std::string& out)
      : made_(made),
        out_(out),
        base_(made.type->namespace_.empty() ? snake_case(made.type->name) : "k" + made.type->name) {
  }

  /// Writes the field tables, inner ones first.
  void write_fields(const std::string& name, const std::vector<Member>& members) {
    for (const Member& member : members) {
      if (!member.field->inline_) continue;
      const std::string inner = name + "_" + snake_case(member.message->name);
      write_fields(inner, member.inlined);
      const std::string wire = write_numbers(inner, member.inlined);
      out_ += "constexpr meta::TypeDescriptor " + inner + "_part{\n    " +
              literal(member.message->reference()) +
              ", \"\", \"\", \"\", \"\", \"\", false, meta::JsonForm::Object, " + inner +
              "_fields, {}, " + wire + ", 0, nullptr, nullptr};\n";
    }
    if (members.empty()) return;
    out_ += "constexpr meta::FieldDescriptor " + name + "_fields[] = {\n";
    for (const Member& member : members) write_field(name, member);
    out_ += "};\n";
  }

  Result<std::string> write_keys() {
    std::vector<std::string> keys;
    std::string pointers;
    collect_keys(base_, made_.members, keys, pointers);
    if (keys.empty()) return std::string("{}");
    const auto hash = schema::find_perfect_hash(keys);
    if (!hash) {
      return Error(ErrorCode::Decode, made_.type->label() + ": found no perfect hash for its " +
                                          std::to_string(keys.size()) + " keys");
    }
    out_ += "constexpr const meta::FieldDescriptor* " + base_ + "_keys[] = {" + pointers + "};\n";
    out_ += "constexpr std::uint16_t " + base_ + "_slots[] = {";
    for (std::size_t i = 0; i < hash->slots.size(); ++i)
      out_ += (i == 0 ? "" : ", ") + std::to_string(hash->slots[i]);
    out_ += "};\n";
    std::ostringstream table;
    table << "{0x" << std::hex << hash->seed << "U, " << std::dec << hash->shift << ", " << base_
          << "_slots, " << base_ << "_keys}";
    return table.str();
  }

  /// Writes the tables of protobuf; returns their initializer. @pre write_fields() with the same
  /// arguments
  std::string write_numbers(const std::string& name, const std::vector<Member>& members) {
    std::map<std::uint32_t, std::size_t> places;
    for (const Member& member : members) {
      if (member.field->number != 0) places[member.field->number] = 0;
    }
    if (places.empty()) return "{}";
    std::size_t place = 0;
    for (auto& [number, at] : places) at = ++place;
    out_ += "constexpr auto " + name + "_wire = meta::detail::wire_fields<" +
            std::to_string(places.size()) + ">(" + name + "_fields);\n";
    out_ += "constexpr std::uint16_t " + name + "_numbers[] = {";
    for (std::uint32_t number = 0; number <= places.rbegin()->first; ++number) {
      const auto found = places.find(number);
      out_ += (number == 0 ? "" : ", ") + std::to_string(found == places.end() ? 0 : found->second);
    }
    out_ += "};\n";
    return "{" + name + "_wire, " + name + "_numbers}";
  }

  /// Writes the facts of the struct's fields; returns the function that returns them, or "".
  std::string write_facts() {
    if (std::ranges::none_of(made_.members,
                             [](const Member& member) { return member.field->facts.has_value(); }))
      return {};
    std::string rows;
    std::size_t arrays = 0;
    const auto array = [&](const std::vector<std::string>& texts) -> std::string {
      if (texts.empty()) return "{}";
      std::string name = base_ + "_texts_" + std::to_string(++arrays);
      out_ += "constexpr std::string_view " + name + "[] = {";
      for (std::size_t i = 0; i < texts.size(); ++i)
        out_ += (i == 0 ? "" : ", ") + literal(texts[i]);
      out_ += "};\n";
      return name;
    };
    for (const Member& member : made_.members) {
      const FieldFacts facts = member.field->facts.value_or(FieldFacts());
      rows += "    {" + literal(member.field->json.value_or("")) + ", " +
              std::string(boolean(facts.required)) + ", " + std::string(boolean(facts.nullable)) +
              ", " + literal(facts.default_json) + ", " + array(facts.values) + ", " +
              literal(facts.list_type) + ", " + array(facts.list_map_keys) + ", " +
              literal(facts.map_type) + "},\n";
    }
    out_ += "constexpr meta::FieldFacts " + base_ + "_facts[] = {\n" + rows + "};\n";
    return "std::span<const meta::FieldFacts> " + made_.type->name + "::field_facts() { return " +
           base_ + "_facts; }\n";
  }

  const std::string& base() const { return base_; }

 private:
  void write_field(const std::string& table, const Member& member) {
    const Field& field = *member.field;
    const std::string& owner = made_.type->name;
    std::string message = "nullptr";
    std::string ops = "nullptr";
    if (field.inline_) {
      message = "&" + table + "_" + snake_case(member.message->name) + "_part";
    } else if (member.message != nullptr) {
      message = "&" + descriptor_name(*member.message);
      if (member.cardinality != "Plain")
        ops = "meta::detail::kContainerOps<decltype(" + owner + "::" + member.name + ")>";
    }
    constexpr std::string_view kZero[] = {"Omit", "Null", "Value"};
    const Aliases aliases = aliases_in(made_.type->namespace_);
    out_ += "    {" + literal(field.inline_ ? "" : field.json.value_or("")) + ", ";
    out_ += field.inline_ ? "0" : "offsetof(" + owner + ", " + member.name + ")";
    out_ += ", " + std::to_string(field.number) + ", " + std::string(aliases.kind) +
            "::" + member.value_kind + ", " + std::string(aliases.cardinality) +
            "::" + member.cardinality;
    out_ += ", " + std::string(aliases.zero) +
            "::" + std::string(kZero[static_cast<std::size_t>(field.zero_json)]) + ", ";
    for (const bool each : {field.zero_proto, member.nullable, field.inline_, field.patch_merge,
                            field.patch_retain_keys})
      out_ += std::string(boolean(each)) + ", ";
    out_ += message + ", " + ops + ", " + literal(field.patch_merge_key) + ", " +
            (member.go_type.empty() ? "nullptr" : literal(member.go_type)) + "},\n";
  }

  static void collect_keys(const std::string& table, const std::vector<Member>& members,
                           std::vector<std::string>& keys, std::string& pointers) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      const Member& member = members[i];
      if (member.field->inline_) {
        collect_keys(table + "_" + snake_case(member.message->name), member.inlined, keys,
                     pointers);
      } else if (member.field->json && !member.field->json->empty()) {
        keys.push_back(*member.field->json);
        pointers += (pointers.empty() ? "&" : ", &") + table + "_fields[" + std::to_string(i) + "]";
      }
    }
  }

  const Struct& made_;
  std::string& out_;
  std::string base_;
};

Result<void> write_struct(const Struct& made, const Layout& layout, Schema& schema,
                          const Choices& choices, std::string& tables, std::string& definitions) {
  const Type& type = *made.type;
  constexpr std::string_view kForms[] = {"Object", "List", "SchemaOrArray", "SchemaOrBool",
                                         "SchemaOrStringArray"};
  tables += "// " + type.name + "\n";
  TableWriter writer(made, tables);
  writer.write_fields(writer.base(), made.members);
  auto keys = writer.write_keys();
  if (!keys) return keys.error();
  const std::string wire = writer.write_numbers(writer.base(), made.members);
  const std::string facts = writer.write_facts();
  tables += "\n";

  std::string group;
  std::string version;
  if (type.kind) std::tie(group, version) = api_version_of(type, *layout.package, choices);
  auto resource = schema.resource(type.reference());
  if (!resource) return resource.error();
  const Resource none;
  const Resource& names = *resource == nullptr ? none : **resource;
  const std::string object = member_name(type.name);
  definitions +=
      "constinit const meta::TypeDescriptor descriptors::" + object + "{\n    " +
      literal(type.reference()) + ", " + literal(group) + ", " + literal(version) + ", " +
      literal(type.kind ? type.name : "") + ", " + literal(names.plural) + ", " +
      literal(names.singular) + ", " + std::string(boolean(names.namespaced)) +
      ",\n    meta::JsonForm::" + std::string(kForms[static_cast<std::size_t>(type.form)]) + ", " +
      (made.members.empty() ? "{}" : writer.base() + "_fields") + ", " + *keys + ", " + wire +
      ",\n    sizeof(" + type.name + "), meta::detail::construct<" + type.name +
      ">, meta::detail::destroy<" + type.name + ">};\n" + facts;
  if (!layout.by_hand.contains(type.reference())) {
    definitions += "const meta::TypeDescriptor& " + type.name +
                   "::descriptor() { return descriptors::" + object + "; }\n";
  }
  definitions += "\n";
  return {};
}

void collect_messages(const std::vector<Member>& members, std::map<std::string, const Type*>& out) {
  for (const Member& member : members) {
    if (member.field->inline_) {
      collect_messages(member.inlined, out);
    } else if (member.message != nullptr) {
      out[member.message->reference()] = member.message;
    }
  }
}

}  // namespace

std::string descriptor_name(const Type& type) {
  return "::" + place_of(type).namespace_ + "::descriptors::" + member_name(type.name);
}

std::string declare_descriptors(const std::map<std::string, const Type*>& types) {
  std::map<std::string, std::string> by_namespace;
  for (const auto& [reference, type] : types) {
    by_namespace[place_of(*type).namespace_] +=
        "extern const " + std::string(kube_prefix(type->namespace_)) + "meta::TypeDescriptor " +
        member_name(type->name) + ";\n";
  }
  std::string out;
  for (const auto& [name, lines] : by_namespace) {
    out += "namespace " + name + "::descriptors {\n" + lines + "}  // namespace " + name +
           "::descriptors\n\n";
  }
  return out;
}

std::pair<std::string, std::string> api_version_of(const Type& type, const Package& package,
                                                   const Choices& choices) {
  const auto other = choices.api_versions.find(type.reference());
  if (other != choices.api_versions.end()) return other->second;
  return {package.group, package.version};
}

std::vector<std::string> source_names(const std::string& package, std::size_t shards) {
  std::string base = package;
  std::ranges::replace(base, '.', '_');
  if (shards == 1) return {base + ".cpp"};
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= shards; ++i)
    names.push_back(base + "_" + std::to_string(i) + ".cpp");
  return names;
}

Result<std::vector<File>> emit_sources(const Layout& layout, Schema& schema, const Choices& choices,
                                       std::size_t shards) {
  // Whole headers go to the shard with the least weight, so that each shard compiles few of them.
  struct Shard {
    std::size_t weight = 0;
    std::vector<const Header*> headers;
  };
  std::vector<Shard> parts(shards);
  std::vector<const Header*> largest_first;
  for (const Header& header : layout.headers) {
    if (!header.structs.empty()) largest_first.push_back(&header);
  }
  std::ranges::stable_sort(largest_first, std::greater<>(),
                           [](const Header* header) { return header->structs.size(); });
  for (const Header* header : largest_first) {
    Shard& least = *std::ranges::min_element(parts, {}, &Shard::weight);
    least.weight += header->structs.size();
    least.headers.push_back(header);
  }

  std::vector<File> files;
  const std::vector<std::string> names = source_names(layout.package->name, shards);
  for (std::size_t i = 0; i < shards; ++i) {
    std::string text = banner(layout);
    std::map<std::string, const Type*> messages;
    std::string tables;
    std::string definitions;
    std::ranges::sort(parts[i].headers, {}, &Header::path);
    std::set<std::string> includes;
    std::vector<const Struct*> structs;
    for (const Header* header : parts[i].headers) {
      includes.insert(header->path);
      structs.insert(structs.end(), header->structs.begin(), header->structs.end());
    }
    if (i == 0) {
      for (const auto& [reference, made] : layout.by_hand) {
        includes.insert(choices.by_hand.at(reference));
        structs.push_back(&made);
      }
    }
    for (const std::string& header : includes) text += "#include <" + header + ">\n";
    for (const Struct* made : structs) {
      messages[made->type->reference()] = made->type;
      collect_messages(made->members, messages);
      if (auto done = write_struct(*made, layout, schema, choices, tables, definitions); !done)
        return done.error();
    }
    text +=
        "\n#include <cstddef>\n#include <span>\n\n#include <kube/codec/descriptor.hpp>\n#include "
        "<kube/codec/detail/descriptor_support.hpp>\n" +
        std::string(
            layout.package->namespace_.empty() ? "" : "#include <kube/codec/field_facts.hpp>\n") +
        "\n";
    text +=
        "// Not all are standard-layout types, but without virtual bases GCC and Clang define "
        "offsetof.\n"
        "#pragma GCC diagnostic ignored \"-Winvalid-offsetof\"\n\n";
    text += declare_descriptors(messages);
    text += "namespace " + layout.place.namespace_ + " {\nnamespace {\n\n" +
            (layout.package->namespace_.empty()
                 ? "using meta::Cardinality;\nusing Kind = meta::ValueKind;\n"
                   "using Zero = meta::ZeroJson;\n\n"
                 : "namespace meta = ::kube::meta;\nusing cardinality = meta::Cardinality;\n"
                   "using value_kind = meta::ValueKind;\nusing zero_json = meta::ZeroJson;\n\n") +
            tables + "}  // namespace\n\n" + definitions + "}  // namespace " +
            layout.place.namespace_ + "\n";
    files.push_back({names[i], std::move(text)});
  }
  return files;
}

}  // namespace kube::gen
