// SPDX-License-Identifier: Apache-2.0
#include "resources/table_columns.hpp"

#include <algorithm>
#include <utility>

#include <kube/base/printable.hpp>
#include <kube/json/writer.hpp>
#include <kube/names/time.hpp>

#include "documents/metadata.hpp"
#include "kinds/cells.hpp"

namespace kube::serving {
namespace {

/// Returns the value of an absent field.
json::Value zero_of(const meta::TypeDescriptor* type, const std::vector<std::string>& path) {
  const meta::FieldDescriptor* field = nullptr;
  for (const std::string& step : path) {
    if (field != nullptr && field->cardinality == meta::Cardinality::Map) break;  // a key
    if (type == nullptr) return "";
    const auto at =
        std::ranges::find(type->keys.fields, std::string_view(step), &meta::FieldDescriptor::json);
    if (at == type->keys.fields.end()) return "";
    field = *at;
    type = field->kind == meta::ValueKind::Message ? field->message : nullptr;
  }
  if (field == nullptr) return "";
  switch (field->kind) {
    case meta::ValueKind::Int32:
    case meta::ValueKind::Int64:
    case meta::ValueKind::Double:
      return 0;
    case meta::ValueKind::Bool:
      return false;
    case meta::ValueKind::Quantity:
      return "0";
    default:
      return "";
  }
}

// Limits far above what a table shows. Without them a cell could hold the whole object, and a row
// one such cell for each column.
constexpr std::size_t kMaxCellText = std::size_t{64} << 10U;
constexpr std::size_t kMaxRowText = std::size_t{256} << 10U;

// Returns at most `max` bytes, and "..." for the rest.
std::string cut(std::string_view text, std::size_t max) {
  return std::string(whole_characters(text, max)) + "...";
}

// Writes like json::dump_to(), but may stop after `max` bytes.
void write_start(const json::Value& value, std::size_t max, std::string& out) {
  // Four bytes more, because an incomplete character would be replaced.
  const auto start = [&](std::string_view text) { return text.substr(0, max + 4); };
  bool first = true;
  if (const json::Object* members = value.if_object()) {
    out += '{';
    for (const auto& [name, member] : *members) {
      if (out.size() > max) return;
      if (!std::exchange(first, false)) out += ',';
      json::write_string(start(name), out);
      out += ':';
      write_start(member, max, out);
    }
    out += '}';
  } else if (const json::Array* items = value.if_array()) {
    out += '[';
    for (const json::Value& item : *items) {
      if (out.size() > max) return;
      if (!std::exchange(first, false)) out += ',';
      write_start(item, max, out);
    }
    out += ']';
  } else if (const std::string* text = value.if_string()) {
    json::write_string(start(*text), out);
  } else {
    json::dump_to(value, out);
  }
}

// Structured values are printed as JSON.
std::string printed(const json::Value& value, std::size_t max) {
  std::string out;
  if (value.is_object() || value.is_array()) {
    write_start(value, max, out);
  } else if (const std::string* text = value.if_string()) {
    out = text->substr(0, max + 1);
  } else {
    out = cell_text(value);
  }
  return out;
}

// As JsonPath::kMaxLooks, but in kubectl's words for all that a path can say.
constexpr json::JsonPathOptions kLooks{.allow_missing_keys = true,
                                       .max_values = json::JsonPath::kMaxLooks};

/// Returns the first value of the first expression of a custom column, null when there is none: a
/// path may have braces of its own.
const json::Value* first_found(const json::JsonPathTemplate& path, const json::Value& object) {
  const auto found = path.find(object, kLooks);
  return !found || found->empty() || found->front().empty() ? nullptr : found->front().front();
}

/// Returns a value of a custom resource as a cell of a column type; null when it does not fit.
json::Value custom_cell(std::string_view type, const json::Value& value, WallTime now,
                        std::size_t max) {
  if (type == "string") return value.is_null() ? json::Value("<no value>") : printed(value, max);
  if (type == "boolean") return value.is_bool() ? value : json::Value{};
  if (type == "number") return value.is_number() ? value : json::Value{};
  if (type == "integer") {
    if (const double* number = value.if_double()) return static_cast<std::int64_t>(*number);
    return value.is_int() ? value : json::Value{};
  }
  if (type == "date" && value.is_string()) {
    return meta::Time::from_query(*value.if_string()) ? since(*value.if_string(), now)
                                                      : std::string("<invalid>");
  }
  return {};
}

}  // namespace

std::shared_ptr<const TableColumns> TableColumns::of_builtin(
    const KindRules& kind, std::span<const api::PrinterColumn> columns,
    const meta::TypeDescriptor* type) {
  // The columns of kinds that have none.
  static constexpr api::PrinterColumn kPlain[] = {
      {"Name", "string", "name", 0, ".metadata.name", ""},
      {"Created At", "date", "", 0, ".metadata.creationTimestamp", ""}};
  if (columns.empty()) columns = kPlain;
  auto out = std::make_shared<TableColumns>();
  for (const api::PrinterColumn& facts : columns) {
    Column column;
    column.name = facts.name;
    column.type = facts.type;
    column.cell = find_cell(kind, facts.name);
    if (!facts.path.empty()) {
      if (auto path = json::JsonPath::compile(facts.path)) {
        column.unset = zero_of(type, path->leading_names());
        column.path = *std::move(path);
      }
    }
    out->add(std::move(column), facts.format, "", facts.priority);
  }
  if (kind.unnamed_age) {
    Column& age = out->columns_.emplace_back();
    age.cell = find_cell(kind, "Age");
    age.path = *json::JsonPath::compile(".metadata.creationTimestamp");
  }
  return out;
}

std::shared_ptr<const TableColumns> TableColumns::of_definition(const json::Value& version) {
  auto out = std::make_shared<TableColumns>();
  const auto at = [](std::string_view path) {
    return json::JsonPathTemplate::parse("{" + std::string(path) + "}");
  };
  const auto add = [&](std::string_view name, std::string_view type, std::string_view path) {
    Column column;
    column.name = name;
    column.type = type;
    column.custom = *at(path);
    return column;
  };
  out->add(add("Name", "string", ".metadata.name"), "name", "", 0);
  const json::Array& columns = version.array_at({"additionalPrinterColumns"});
  for (const json::Value& each : columns) {
    const std::string_view path = each.string_at({"jsonPath"});
    // As on the reference server, the first path that can't be read ends the columns.
    if (!at(path)) break;
    std::string description(each.string_at({"description"}));
    if (description.empty()) {
      description = "Custom resource definition column (in JSONPath format): " + std::string(path);
    }
    out->add(add(each.string_at({"name"}), each.string_at({"type"}), path),
             each.string_at({"format"}), description, each.int_at({"priority"}).value_or(0));
  }
  if (columns.empty()) {
    out->add(add("Age", "date", ".metadata.creationTimestamp"), "", "When the object was created.",
             0);
  }
  return out;
}

void TableColumns::add(Column column, std::string_view format, std::string_view description,
                       std::int64_t priority) {
  definitions_.emplace_back(json::Object{{"name", column.name},
                                         {"type", column.type},
                                         {"format", format},
                                         {"description", description},
                                         {"priority", priority}});
  columns_.push_back(std::move(column));
}

json::Value TableColumns::cell(const Column& column, const json::Value& object, WallTime now,
                               std::size_t max) {
  if (column.custom) {
    const json::Value* value = first_found(*column.custom, object);
    return value == nullptr ? json::Value{} : custom_cell(column.type, *value, now, max);
  }
  CellInput input{object, now};
  if (column.path) input.found = column.path->find(object);
  std::erase_if(input.found, [](const json::Value* value) { return value->is_null(); });
  if (column.cell != nullptr) {
    input.argument = column.cell->argument;
    return column.cell->rule(input);
  }
  if (input.found.empty()) return column.unset;
  const json::Value& value = *input.found.front();
  if (value.is_bool() || value.is_number()) return value;
  return printed(value, max);
}

json::Object TableColumns::times(const json::Value& object) const {
  json::Object out;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string_view time = time_of(columns_[i], object);
    if (!time.empty() && meta::Time::parse(time)) out.set(std::to_string(i), std::string(time));
  }
  return out;
}

std::string_view TableColumns::time_of(const Column& column, const json::Value& object) {
  if (column.cell != nullptr && column.cell->time != nullptr) return column.cell->time(object);
  const bool is_elapsed = column.custom
                              ? column.type == "date"
                              : column.cell != nullptr && column.cell->rule == &cells::elapsed;
  if (!is_elapsed || (!column.custom && !column.path)) return {};
  const json::Value* value =
      column.custom ? first_found(*column.custom, object) : column.path->find_first(object);
  const std::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string_view() : *text;
}

json::Array TableColumns::cells(const json::Value& object, WallTime now) const {
  json::Array out;
  out.reserve(columns_.size());
  std::size_t left = kMaxRowText;
  for (const Column& column : columns_) {
    const std::size_t max = std::min(kMaxCellText, left);
    json::Value value = cell(column, object, now, max);
    if (const std::string* text = value.if_string()) {
      left -= std::min(left, text->size());
      if (text->size() > max) value = cut(*text, max);
    }
    out.push_back(std::move(value));
  }
  return out;
}

}  // namespace kube::serving
