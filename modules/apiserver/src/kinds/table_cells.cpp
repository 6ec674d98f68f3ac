// SPDX-License-Identifier: Apache-2.0
//
// The rules that many columns share.
#include "kinds/table_cells.hpp"

#include <algorithm>

#include <kube/base/ascii.hpp>
#include <kube/base/joined.hpp>
#include <kube/meta/label_selector.hpp>
#include <kube/meta/time.hpp>

#include "documents/human_duration.hpp"
#include "documents/metadata.hpp"

namespace kube::apiserver {
namespace {

std::string first_text(const CellInput& input) {
  return input.found.empty() ? std::string{} : cell_text(*input.found.front());
}

std::string text_or(const CellInput& input, std::string_view otherwise) {
  std::string text = first_text(input);
  return text.empty() ? std::string(otherwise) : text;
}

json::Value bool_or(const CellInput& input, bool otherwise) {
  const bool* found = input.found.empty() ? nullptr : input.found.front()->if_bool();
  return found == nullptr ? otherwise : *found;
}

/// The texts found, those of lists one by one.
std::vector<std::string> texts(const CellInput& input) {
  std::vector<std::string> out;
  for (const json::Value* value : input.found) {
    if (const json::Array* items = value->if_array()) {
      for (const json::Value& item : *items) out.push_back(cell_text(item));
    } else {
      out.push_back(cell_text(*value));
    }
  }
  return out;
}

std::string or_text(std::string text, std::string_view otherwise) {
  if (text.empty()) return std::string(otherwise);
  return text;
}

json::Value elapsed(const CellInput& input) {
  return since(first_text(input), input.now);
}

json::Value count(const CellInput& input) {
  if (input.found.empty()) return 0;
  const json::Value& value = *input.found.front();
  const std::size_t size = value.is_array()    ? value.if_array()->size()
                           : value.is_object() ? value.if_object()->size()
                                               : 0;
  return static_cast<std::int64_t>(size);
}

json::Value label_format(const CellInput& input) {
  const json::Object* labels = input.found.empty() ? nullptr : input.found.front()->if_object();
  if (labels == nullptr || labels->empty()) return "<none>";
  std::vector<std::string> parts;
  for (const auto& [key, value] : *labels) parts.push_back(key + "=" + cell_text(value));
  std::ranges::sort(parts);
  return joined(parts, ",");
}

json::Value selector_format(const CellInput& input) {
  if (input.found.empty()) return "<none>";
  const auto selector = labels::from_label_selector(*input.found.front());
  return selector ? or_text(selector->to_string(), "<none>") : std::string("<error>");
}

json::Value access_modes(const CellInput& input) {
  const std::vector<std::string> modes = texts(input);
  std::vector<std::string> out;
  constexpr std::string_view order[] = {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany",
                                        "ReadWriteOncePod"};
  constexpr std::string_view shorts[] = {"RWO", "ROX", "RWX", "RWOP"};
  for (std::size_t i = 0; i < std::size(order); ++i) {
    if (std::ranges::find(modes, order[i]) != modes.end()) out.emplace_back(shorts[i]);
  }
  return joined(out, ",");
}

bool has_volume(const CellInput& input) {
  return !input.object.string_at({"spec", "volumeName"}).empty();
}

constexpr NamedRule rules[] = {
    {"elapsed", elapsed},
    {"elapsed, <none> when unset",
     [](const CellInput& in) -> json::Value {
       return in.found.empty() ? json::Value("<none>") : elapsed(in);
     }},
    {"RFC 3339", [](const CellInput& in) -> json::Value { return first_text(in); }},
    {"count", count},
    {"label format", label_format},
    {"label format, cell only when wide", label_format},
    {"label selector format", selector_format},
    {"joined by comma", [](const CellInput& in) -> json::Value { return joined(texts(in), ","); }},
    {"joined by comma, <unset> when unset",
     [](const CellInput& in) -> json::Value { return or_text(joined(texts(in), ","), "<unset>"); }},
    {"joined by comma, <none> when empty",
     [](const CellInput& in) -> json::Value { return or_text(joined(texts(in), ","), "<none>"); }},
    {"joined by \", \"",
     [](const CellInput& in) -> json::Value { return joined(texts(in), ", "); }},
    {"first, <none> when none",
     [](const CellInput& in) -> json::Value { return text_or(in, "<none>"); }},
    {"<none> when empty", [](const CellInput& in) -> json::Value { return text_or(in, "<none>"); }},
    {"<none> when unset", [](const CellInput& in) -> json::Value { return text_or(in, "<none>"); }},
    {"<unset> when unset",
     [](const CellInput& in) -> json::Value { return text_or(in, "<unset>"); }},
    {"<unknown> when empty",
     [](const CellInput& in) -> json::Value { return text_or(in, "<unknown>"); }},
    {"N/A when unset", [](const CellInput& in) -> json::Value { return text_or(in, "N/A"); }},
    {"? when none", [](const CellInput& in) -> json::Value { return text_or(in, "?"); }},
    {"Delete when unset", [](const CellInput& in) -> json::Value { return text_or(in, "Delete"); }},
    {"Immediate when unset",
     [](const CellInput& in) -> json::Value { return text_or(in, "Immediate"); }},
    {"true when unset", [](const CellInput& in) { return bool_or(in, true); }},
    {"false when unset", [](const CellInput& in) { return bool_or(in, false); }},
    {"cell only when wide", [](const CellInput& in) -> json::Value { return first_text(in); }},
    {"RWO,ROX,RWX,RWOP joined by comma", access_modes},
    {"RWO,ROX,RWX,RWOP joined by comma, empty without a volume",
     [](const CellInput& in) -> json::Value {
       return has_volume(in) ? access_modes(in) : json::Value("");
     }},
    {"empty without a volume",
     [](const CellInput& in) -> json::Value { return has_volume(in) ? first_text(in) : ""; }},
    {"True, False or <unset>",
     [](const CellInput& in) -> json::Value {
       if (in.found.empty() || !in.found.front()->is_bool()) return "<unset>";
       return *in.found.front()->if_bool() ? "True" : "False";
     }},
    {"Terminating when being deleted",
     [](const CellInput& in) -> json::Value {
       return metadata_text(in.object, "deletionTimestamp").empty() ? first_text(in)
                                                                    : "Terminating";
     }},
    {"or the beta annotation",
     [](const CellInput& in) -> json::Value {
       const json::Value* annotation = in.object.at_path(
           {"metadata", "annotations", "volume.beta.kubernetes.io/storage-class"});
       return annotation != nullptr ? cell_text(*annotation) : first_text(in);
     }},
    {"trimmed",
     [](const CellInput& in) -> json::Value { return ascii::trim_space(first_text(in)); }},
};

}  // namespace

CellRule find_general_rule(std::string_view rule) {
  return find_rule(rules, rule);
}

CellRule find_cell_rule(std::string_view rule) {
  for (const auto find : {find_general_rule, find_pod_rule, find_workload_rule, find_network_rule,
                          find_cluster_rule}) {
    if (const CellRule found = find(rule)) return found;
  }
  return nullptr;
}

std::string since(std::string_view time, WallTime now) {
  if (time.empty()) return "<unknown>";
  const auto parsed = meta::Time::parse(time);
  if (!parsed || parsed->is_zero()) return "<unknown>";
  return human_duration(std::chrono::duration_cast<Duration>(now - parsed->to_wall_time()));
}

std::string cell_text(const json::Value& value) {
  if (const std::string* text = value.if_string()) return *text;
  if (value.is_bool() || value.is_number()) return json::dump(value);
  return {};
}

std::string first_of(const std::vector<std::string>& parts, std::size_t most,
                     std::string_view separator) {
  if (parts.size() <= most) return joined(parts, separator);
  const std::vector<std::string> first(parts.begin(),
                                       parts.begin() + static_cast<std::ptrdiff_t>(most));
  return joined(first, separator) + " + " + std::to_string(parts.size() - most) + " more...";
}

const json::Value* find_condition(const json::Value& object, std::string_view type) {
  for (const json::Value& condition : list_at(object, {"status", "conditions"})) {
    if (condition.string_at({"type"}) == type) return &condition;
  }
  return nullptr;
}

bool is_condition_true(const json::Value& object, std::string_view type) {
  const json::Value* condition = find_condition(object, type);
  return condition != nullptr && condition->string_at({"status"}) == "True";
}

}  // namespace kube::apiserver
