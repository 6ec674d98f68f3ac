// SPDX-License-Identifier: Apache-2.0
#include "requests/query.hpp"

#include <algorithm>
#include <charconv>

#include <kube/base/ascii.hpp>
#include <kube/meta/options_validation.hpp>

#include "documents/errors.hpp"

namespace kube::apiserver {
namespace {

// What stands in front of the separator, or all; `text` is what stands behind it.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text = end == text.npos ? std::string_view() : text.substr(end + 1);
  return part;
}

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<bool> parse_bool(std::string_view text) {
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) return true;
  }
  for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

Error unreadable(std::string_view name, std::string_view value, std::string_view expected) {
  std::string message = "unable to decode the query parameter ";
  message.append(name).append(" \"").append(value).append("\": expected ").append(expected);
  return meta::bad_request_error(std::move(message));
}

Result<DeleteOptions> read_delete_body(const json::Object& body) {
  DeleteOptions out;
  if (const json::Value* kind = body.find("kind");
      kind != nullptr && kind->is_string() && *kind->if_string() != "DeleteOptions") {
    return meta::bad_request_error(
        "the object provided is unrecognized (must be of type DeleteOptions): " +
        *kind->if_string());
  }
  const auto wrong = [](std::string_view field, std::string_view expected) {
    std::string message = "DeleteOptions: field ";
    message.append(field).append(": expected ").append(expected);
    return meta::bad_request_error(message);
  };
  for (const auto& [key, value] : body) {
    if (value.is_null()) continue;
    if (key == "gracePeriodSeconds") {
      if (!value.is_int()) return wrong(key, "an integer");
      out.grace_period_seconds = *value.if_int();
    } else if (key == "propagationPolicy") {
      if (!value.is_string()) return wrong(key, "a string");
      out.propagation_policy = *value.if_string();
    } else if (key == "orphanDependents") {
      if (!value.is_bool()) return wrong(key, "a boolean");
      out.orphan_dependents = *value.if_bool();
    } else if (key == "dryRun") {
      if (!value.is_array()) return wrong(key, "a list of strings");
      for (const json::Value& entry : *value.if_array()) {
        out.dry_run.emplace_back(entry.string_or_empty());
      }
    } else if (key == "preconditions") {
      if (!value.is_object()) return wrong(key, "an object");
      Preconditions preconditions;
      const auto read = [&given = *value.if_object()](std::string_view name,
                                                      std::optional<std::string>& into) {
        const json::Value* text = given.find(name);
        if (text != nullptr && !text->is_null()) into = text->string_or_empty();
      };
      read("uid", preconditions.uid);
      read("resourceVersion", preconditions.resource_version);
      out.preconditions = std::move(preconditions);
    }
  }
  return out;
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = ascii::hex_value(text[i + 1]);
      const int low = ascii::hex_value(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

Result<Query> Query::parse(std::string_view text) {
  Query query;
  while (!text.empty()) {
    const std::string_view pair = take_until(text, '&');
    if (pair.empty()) continue;
    std::string_view rest = pair;
    auto name = percent_decode(take_until(rest, '='), true);
    auto value = percent_decode(rest, true);
    if (!name || !value) {
      return meta::bad_request_error("the query has an invalid URL escape in \"" +
                                     std::string(pair) + "\"");
    }
    query.parameters_.emplace_back(std::move(*name), std::move(*value));
  }
  return query;
}

std::string_view Query::get(std::string_view name) const {
  for (const auto& [key, value] : parameters_) {
    if (key == name) return value;
  }
  return {};
}

bool Query::has(std::string_view name) const {
  return std::ranges::any_of(parameters_, [&](const auto& entry) { return entry.first == name; });
}

std::vector<std::string> Query::all(std::string_view name) const {
  std::vector<std::string> out;
  for (const auto& [key, value] : parameters_) {
    if (key == name) out.emplace_back(value);
  }
  return out;
}

bool is_true(const Query& query, std::string_view name) {
  if (!query.has(name)) return false;
  const std::string_view value = query.get(name);
  return parse_bool(value).value_or(true);
}

bool wants_pretty(const Query& query) {
  return parse_bool(query.get("pretty")).value_or(false);
}

Result<ListOptions> read_list_options(const Query& query, bool watch) {
  ListOptions out;
  out.label_selector = query.get("labelSelector");
  out.field_selector = query.get("fieldSelector");
  out.resource_version = query.get("resourceVersion");
  out.resource_version_match = query.get("resourceVersionMatch");
  out.continue_ = query.get("continue");
  if (const std::string_view limit = query.get("limit"); !limit.empty()) {
    const auto value = parse_number<std::int64_t>(limit);
    if (!value) return unreadable("limit", limit, "an integer");
    out.limit = std::max<std::int64_t>(*value, 0);
  }
  if (const std::string_view seconds = query.get("timeoutSeconds"); !seconds.empty()) {
    const auto value = parse_number<std::int64_t>(seconds);
    if (!value) return unreadable("timeoutSeconds", seconds, "an integer");
    if (*value > 0) out.timeout_seconds = *value;
  }
  out.allow_watch_bookmarks = is_true(query, "allowWatchBookmarks");
  if (const std::string_view initial = query.get("sendInitialEvents"); !initial.empty()) {
    out.send_initial_events = parse_bool(initial);
    if (!out.send_initial_events) return unreadable("sendInitialEvents", initial, "a boolean");
  }
  if (const auto errors = validate(out, watch); !errors.empty()) {
    return invalid_options("ListOptions", errors);
  }
  return out;
}

Result<PatchOptions> read_write_options(const Query& query, WriteKind kind) {
  PatchOptions out;
  out.dry_run = query.all("dryRun");
  out.field_manager = query.get("fieldManager");
  out.field_validation = query.get("fieldValidation");
  if (kind == WriteKind::Create || kind == WriteKind::Update) {
    const CreateOptions same{out.dry_run, out.field_manager, out.field_validation};
    if (const auto errors = validate(same); !errors.empty()) {
      return invalid_options(kind == WriteKind::Create ? "CreateOptions" : "UpdateOptions", errors);
    }
    return out;
  }
  if (const std::string_view force = query.get("force"); !force.empty()) {
    out.force = parse_bool(force);
    if (!out.force) return unreadable("force", force, "a boolean");
  }
  const auto type = kind == WriteKind::Apply ? Patch::Type::Apply : Patch::Type::Merge;
  if (const auto errors = validate(out, type); !errors.empty()) {
    return invalid_options("PatchOptions", errors);
  }
  return out;
}

Result<DeleteOptions> read_delete_options(const Query& query, const json::Value& body) {
  DeleteOptions out;
  if (!body.is_null()) {
    if (!body.is_object()) return meta::bad_request_error("DeleteOptions: expected an object");
    auto read = read_delete_body(*body.if_object());
    if (!read) return read;
    out = *std::move(read);
  } else {
    out.propagation_policy = query.get("propagationPolicy");
    if (const std::string_view grace = query.get("gracePeriodSeconds"); !grace.empty()) {
      out.grace_period_seconds = parse_number<std::int64_t>(grace);
      if (!out.grace_period_seconds) return unreadable("gracePeriodSeconds", grace, "an integer");
    }
    if (const std::string_view orphan = query.get("orphanDependents"); !orphan.empty()) {
      out.orphan_dependents = parse_bool(orphan);
      if (!out.orphan_dependents) return unreadable("orphanDependents", orphan, "a boolean");
    }
    out.dry_run = query.all("dryRun");
  }
  if (const auto errors = validate(out); !errors.empty()) {
    return invalid_options("DeleteOptions", errors);
  }
  if (out.grace_period_seconds && *out.grace_period_seconds < 0) out.grace_period_seconds = 1;
  return out;
}

std::optional<std::uint64_t> parse_revision(std::string_view text) {
  if (text.empty()) return 0;
  return parse_number<std::uint64_t>(text);
}

bool is_go_duration(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return true;
  if (text.empty()) return false;
  while (!text.empty()) {
    std::size_t digits = 0;
    std::size_t dots = 0;
    std::size_t at = 0;
    for (; at < text.size() && (text[at] == '.' || ascii::is_digit(text[at])); ++at) {
      if (text[at] == '.') {
        ++dots;
      } else {
        ++digits;
      }
    }
    if (digits == 0 || dots > 1) return false;
    text.remove_prefix(at);
    std::size_t unit = 0;
    for (const std::string_view name :
         {"ns", "us", "\xc2\xb5s", "\xce\xbcs", "ms", "s", "m", "h"}) {
      if (text.starts_with(name)) unit = std::max(unit, name.size());
    }
    if (unit == 0) return false;
    text.remove_prefix(unit);
  }
  return true;
}

}  // namespace kube::apiserver
