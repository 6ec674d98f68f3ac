// SPDX-License-Identifier: Apache-2.0
//
// The text of generated headers.
#include <algorithm>

#include "emit.hpp"
#include "names.hpp"

namespace kube::gen {
namespace {

// Adds the standard headers for a member's type.
void add_standard_headers(const std::string& type, std::set<std::string>& headers) {
  const auto uses = [&](std::string_view word) { return type.find(word) != std::string::npos; };
  if (uses("std::int")) headers.emplace("cstdint");
  if (uses("std::map")) headers.emplace("map");  // and with it std::less
  if (uses("std::optional")) headers.emplace("optional");
  if (uses("std::string")) headers.emplace("string");
  if (uses("std::vector")) headers.emplace("vector");
}

std::string include(const std::string& header) {
  return "#include <" + header + ">\n";
}

// Returns the comment after a member: "  ///< PodPhase".
std::string remark(const Member& member) {
  if (member.field->alias.empty() || member.value_kind != "String") return {};
  return "  ///< " + split_reference(member.field->alias).second;
}

// The types that a header has declared but not yet defined, while it is written.
class Undefined {
 public:
  Undefined(const Header& header, const Layout& layout) : layout_(layout) {
    for (const Struct* made : header.declared_first) types_.insert(made->type);
  }

  void define(const Type* type) { types_.erase(type); }

  /// Whether a member's lists and maps contain such a type, at any depth.
  bool within(const Member& member) const {
    std::set<const Type*> seen;
    return !types_.empty() && within(member, seen);
  }

 private:
  bool within(const Member& member, std::set<const Type*>& seen) const {
    if (member.message == nullptr || member.cardinality == "Optional") return false;
    if (types_.contains(member.message)) return true;
    const auto made = layout_.structs.find(member.message->reference());
    if (made == layout_.structs.end() || !seen.insert(member.message).second) return false;
    return std::ranges::any_of(made->second.members,
                               [&](const Member& each) { return within(each, seen); });
  }

  const Layout& layout_;
  std::set<const Type*> types_;
};

void emit_members(const std::vector<Member>& members, const Undefined& undefined,
                  std::set<std::string>& standard, std::string& out) {
  for (const Member& member : members) {
    if (member.field->inline_) {
      emit_members(member.inlined, undefined, standard, out);
      continue;
    }
    add_standard_headers(member.type, standard);
    // With an initializer clang would need the destructors of vectors, and with them those of the
    // elements.
    const bool bare = member.cardinality != "Map" && undefined.within(member);
    out += "  " + member.type + " " + member.name + (bare ? "" : member.initializer) + ";" +
           remark(member) + "\n";
  }
}

bool has_facts(const Struct& made) {
  return std::ranges::any_of(made.members,
                             [](const Member& member) { return member.field->facts.has_value(); });
}

// "a == theOther.a && b == theOther.b": no member has capitals in its name.
void add_comparisons(const std::vector<Member>& members, std::string& out) {
  for (const Member& member : members) {
    if (member.field->inline_) {
      add_comparisons(member.inlined, out);
    } else {
      out += (out.empty() ? "" : " && ") + member.name + " == theOther." + member.name;
    }
  }
}

// Text that must follow the definitions of all structs goes to `later_text`.
void emit_struct(const Struct& made, const Undefined& undefined, std::set<std::string>& standard,
                 std::string& out, std::string& later_text) {
  const std::string& name = made.type->name;
  out += "/// " + made.type->reference() + (made.type->kind ? ", a kind.\n" : ".\n");
  out += "struct " + name + " {\n";
  emit_members(made.members, undefined, standard, out);
  out += std::string(made.members.empty() ? "" : "\n") + "  static const " +
         std::string(kube_prefix(made.type->namespace_)) + "meta::TypeDescriptor& descriptor();\n";
  if (has_facts(made)) {
    standard.emplace("span");
    out += "  static std::span<const kube::meta::FieldFacts> field_facts();\n";
  }
  // Clang resolves a comparison where it is defaulted, and crashes on one that leads back to
  // itself.
  const bool later = std::ranges::any_of(
      made.members, [&](const Member& member) { return undefined.within(member); });
  out += "  bool operator==(const " + name + "&) const" + (later ? "" : " = default") + ";\n};\n\n";
  if (!later) return;
  std::string same;
  add_comparisons(made.members, same);
  later_text += "inline bool " + name + "::operator==(const " + name +
                "& theOther) const {\n  return " + same + ";\n}\n\n";
}

void emit_string_type(const StringType& type, std::string& out) {
  out += "/// Known values of " + type.package + "." + type.name + "; fields hold any text.\n";
  out += "struct " + type.name + " {\n";
  std::set<std::string> seen;
  for (const Constant& constant : type.constants) {
    std::string name = constant.member.empty() ? enumerator_name(constant.value) : constant.member;
    // The empty value, and values that differ only in signs, get their Go names.
    if (name.empty() || name == type.name || seen.contains(name)) {
      name = constant.name.starts_with(type.name) ? constant.name.substr(type.name.size())
                                                  : constant.name;
    }
    if (!seen.insert(name).second) continue;
    out += "  static constexpr std::string_view " + name + " = " + literal(constant.value) + ";\n";
  }
  out += "};\n\n";
}

void collect_inlined(const std::vector<Member>& members, std::set<std::string>& references) {
  for (const Member& member : members) {
    if (member.field->inline_) {
      collect_inlined(member.inlined, references);
    } else if (member.message != nullptr) {
      references.insert(member.message->reference());
    }
  }
}

// Returns the headers, of this package and others, that define the types in a header's structs.
Result<std::set<std::string>> needed_headers(const Header& header, const Layout& layout,
                                             Planner& planner) {
  std::set<std::string> paths;
  for (const Struct* made : header.structs) {
    std::set<std::string> references = made->needs;
    collect_inlined(made->members, references);
    for (const std::string& reference : references) {
      const std::string package = split_reference(reference).first;
      const Layout* in = &layout;
      if (package != layout.package->name) {
        auto other = planner.layout(package);
        if (!other) return other.error();
        in = *other;
      }
      const auto found = in->header_of.find(reference);
      if (found != in->header_of.end() && found->second != header.path) paths.insert(found->second);
    }
    paths.insert(made->headers.begin(), made->headers.end());
  }
  return paths;
}

Result<File> emit_header(const Header& header, const Layout& layout, Planner& planner) {
  auto project = needed_headers(header, layout, planner);
  if (!project) return project.error();
  std::set<std::string> standard;
  std::string body;
  for (const Struct* made : header.declared_first) body += "struct " + made->type->name + ";\n";
  if (!body.empty()) body += "\n";
  for (const StringType* type : header.string_types) {
    standard.emplace("string_view");
    emit_string_type(*type, body);
  }
  Undefined undefined(header, layout);
  std::string later_text;
  for (const Struct* made : header.structs) {
    undefined.define(made->type);  // complete for its own members
    emit_struct(*made, undefined, standard, body, later_text);
  }
  body += later_text;

  std::string text = banner(layout) + "#pragma once\n\n";
  for (const std::string& each : standard) text += include(each);
  if (!standard.empty()) text += "\n";
  for (const std::string& each : *project) text += include(each);
  if (!project->empty()) text += "\n";
  if (!header.structs.empty()) {
    text += layout.place.namespace_ == "kube::meta"
                ? "namespace kube::meta {\n\nstruct TypeDescriptor;\n\n"
                : std::string("namespace kube::meta {\n") +
                      (std::ranges::any_of(header.structs,
                                           [](const Struct* made) { return has_facts(*made); })
                           ? "struct FieldFacts;\n"
                           : "") +
                      "struct TypeDescriptor;\n}\n\nnamespace " + layout.place.namespace_ +
                      " {\n\n";
  } else {
    text += "namespace " + layout.place.namespace_ + " {\n\n";
  }
  text += body + "}  // namespace " + layout.place.namespace_ + "\n";
  return File{header.path, std::move(text)};
}

// Returns the constants that belong to no type, under their Go names.
std::string emit_constants(const Layout& layout, const Choices& choices) {
  std::string text = banner(layout) +
                     "#pragma once\n\n#include <cstdint>\n#include <string_view>\n\nnamespace " +
                     layout.place.namespace_ + " {\n\n";
  for (const Constant& constant : layout.package->constants) {
    const std::string reference = layout.package->name + "." + constant.name;
    if (constant.name == "GroupName" || layout.structs.contains(reference) ||
        layout.header_of.contains(reference))
      continue;
    if (constant.number) {
      text += "inline constexpr std::int64_t " + constant.name + " = " +
              (choices.octal.contains(reference) ? "0" : "") + std::to_string(*constant.number) +
              ";\n";
    } else {
      text += "inline constexpr std::string_view " + constant.name + " = " +
              literal(constant.value) + ";\n";
    }
  }
  return text + "\n}  // namespace " + layout.place.namespace_ + "\n";
}

}  // namespace

std::string_view boolean(bool value) {
  return value ? "true" : "false";
}

std::string literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      // Three digits, so that the escape can't include the next character.
      for (const char digit :
           {'\\', static_cast<char>('0' + byte / 64), static_cast<char>('0' + byte / 8 % 8),
            static_cast<char>('0' + byte % 8)}) {
        out += digit;
      }
      continue;
    }
    const bool trigraph = c == '?' && out.back() == '?';
    if (c == '"' || c == '\\' || trigraph) out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string banner(const Layout& layout) {
  const Package& package = *layout.package;
  const std::string source = package.source.empty() ? package.name + ".json" : package.source;
  return "// SPDX-License-Identifier: Apache-2.0\n//\n// Made by kube-gen from " + source +
         " during the build; changes belong there.\n";
}

Result<std::vector<File>> emit_headers(const Layout& layout, Planner& planner) {
  std::vector<File> files;
  for (const Header& header : layout.headers) {
    auto file = emit_header(header, layout, planner);
    if (!file) return file.error();
    files.push_back(*std::move(file));
  }
  if (!layout.package->constants.empty()) {
    files.push_back(
        {layout.place.directory + "/constants.hpp", emit_constants(layout, planner.choices())});
  }
  std::ranges::sort(files, {}, &File::path);
  for (std::size_t i = 1; i < files.size(); ++i) {
    if (files[i].path == files[i - 1].path) {
      const Package& package = *layout.package;
      return Error(ErrorCode::Decode,
                   (package.source.empty() ? package.name + ".json" : package.source) +
                       ": two types need the header " + files[i].path);
    }
  }
  if (layout.place.namespace_ == "kube::meta") return files;
  std::string all = banner(layout) + "#pragma once\n\n";
  for (const File& file : files) all += include(file.path);
  files.push_back({layout.place.directory + ".hpp", std::move(all)});
  return files;
}

}  // namespace kube::gen
