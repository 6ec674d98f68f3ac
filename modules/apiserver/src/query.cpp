// SPDX-License-Identifier: Apache-2.0
#include "query.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "errors.hpp"

namespace kube::apiserver {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
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
  return bad_request(std::move(message));
}

using meta::FieldError;
using meta::FieldErrors;
using meta::FieldPath;

constexpr std::string_view match_not_older = "NotOlderThan";
constexpr std::string_view match_exact = "Exact";

void validate_watch(const ListRequest& options, FieldErrors& errors) {
  const FieldPath match("resourceVersionMatch");
  if (options.send_initial_events) {
    if (options.match != match_not_older) {
      errors.push_back(FieldError::forbidden(
          match, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
    }
  } else if (!options.match.empty()) {
    errors.push_back(FieldError::forbidden(
        match,
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
  }
  if (options.match.empty()) return;
  if (options.match != match_not_older) {
    errors.push_back(
        FieldError::not_supported(match, options.match, {std::string(match_not_older)}));
  }
  if (!options.continue_.empty()) {
    errors.push_back(
        FieldError::forbidden(match, "resourceVersionMatch is forbidden when continue is provided"));
  }
}

void validate_list(const ListRequest& options, FieldErrors& errors) {
  const FieldPath match("resourceVersionMatch");
  if (options.send_initial_events) {
    errors.push_back(FieldError::forbidden(FieldPath("sendInitialEvents"),
                                           "sendInitialEvents is forbidden for list"));
  }
  if (options.match.empty()) return;
  if (options.resource_version.empty()) {
    errors.push_back(FieldError::forbidden(
        match, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
  }
  if (!options.continue_.empty()) {
    errors.push_back(
        FieldError::forbidden(match, "resourceVersionMatch is forbidden when continue is provided"));
  }
  if (options.match != match_exact && options.match != match_not_older) {
    errors.push_back(
        FieldError::not_supported(match, options.match,
                                  {std::string(match_exact), std::string(match_not_older)}));
  }
  if (options.match == match_exact && options.resource_version == "0") {
    errors.push_back(FieldError::forbidden(
        match, "resourceVersionMatch \"Exact\" is forbidden for resourceVersion \"0\""));
  }
}

constexpr std::array<std::string_view, 3> policies = {"Orphan", "Background", "Foreground"};

FieldErrors validate_dry_run(const std::vector<std::string_view>& values) {
  FieldErrors errors;
  for (const std::string_view value : values) {
    if (value == "All") continue;
    errors.push_back(FieldError::not_supported(FieldPath("dryRun"),
                                               json::Array{std::string(value)}, {"All"}));
  }
  return errors;
}

std::string_view options_kind(WriteKind kind) {
  switch (kind) {
    case WriteKind::Create: return "CreateOptions";
    case WriteKind::Update: return "UpdateOptions";
    default: return "PatchOptions";
  }
}

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; });
}

Result<DeleteRequest> read_delete_body(const json::Object& body,
                                       std::vector<std::string_view>& dry_run) {
  DeleteRequest out;
  if (const json::Value* kind = body.find("kind");
      kind != nullptr && kind->is_string() && *kind->if_string() != "DeleteOptions") {
    return bad_request("the object provided is unrecognized (must be of type DeleteOptions): " +
                       *kind->if_string());
  }
  const auto wrong = [](std::string_view field, std::string_view expected) {
    std::string message = "DeleteOptions: field ";
    message.append(field).append(": expected ").append(expected);
    return bad_request(std::move(message));
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
      for (const json::Value& entry : *value.if_array()) dry_run.push_back(entry.string_or_empty());
    } else if (key == "preconditions") {
      if (!value.is_object()) return wrong(key, "an object");
      if (const json::Value* uid = value.if_object()->find("uid"); uid != nullptr && !uid->is_null()) {
        out.uid = uid->string_or_empty();
      }
      if (const json::Value* version = value.if_object()->find("resourceVersion");
          version != nullptr && !version->is_null()) {
        out.resource_version = version->string_or_empty();
      }
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
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
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
    const std::size_t end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    auto name = percent_decode(pair.substr(0, equals), true);
    auto value = percent_decode(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!name || !value) {
      return bad_request("the query has an invalid URL escape in \"" + std::string(pair) + "\"");
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

std::vector<std::string_view> Query::all(std::string_view name) const {
  std::vector<std::string_view> out;
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

Result<ListRequest> read_list_options(const Query& query, bool watch) {
  ListRequest out;
  out.label_selector = query.get("labelSelector");
  out.field_selector = query.get("fieldSelector");
  out.resource_version = query.get("resourceVersion");
  out.match = query.get("resourceVersionMatch");
  out.continue_ = query.get("continue");
  if (const std::string_view limit = query.get("limit"); !limit.empty()) {
    const auto value = parse_number<std::int64_t>(limit);
    if (!value) return unreadable("limit", limit, "an integer");
    out.limit = *value > 0 ? static_cast<std::uint64_t>(*value) : 0;
  }
  if (const std::string_view seconds = query.get("timeoutSeconds"); !seconds.empty()) {
    const auto value = parse_number<std::int64_t>(seconds);
    if (!value) return unreadable("timeoutSeconds", seconds, "an integer");
    if (*value > 0) out.timeout_seconds = static_cast<std::uint64_t>(*value);
  }
  if (query.has("allowWatchBookmarks")) {
    const auto value = parse_bool(query.get("allowWatchBookmarks"));
    out.bookmarks = value.value_or(true);
  }
  if (const std::string_view initial = query.get("sendInitialEvents"); !initial.empty()) {
    const auto value = parse_bool(initial);
    if (!value) return unreadable("sendInitialEvents", initial, "a boolean");
    out.send_initial_events = *value;
  }
  FieldErrors errors;
  if (watch) {
    validate_watch(out, errors);
  } else {
    validate_list(out, errors);
  }
  if (!errors.empty()) return invalid_options("ListOptions", errors);
  return out;
}

Result<WriteRequest> read_write_options(const Query& query, WriteKind kind) {
  WriteRequest out;
  FieldErrors errors = validate_dry_run(query.all("dryRun"));
  out.dry_run = !query.all("dryRun").empty();
  out.field_manager = query.get("fieldManager");
  if (out.field_manager.size() > 128) {
    errors.push_back(FieldError::too_long(FieldPath("fieldManager"), 128));
  }
  if (!is_printable(out.field_manager)) {
    errors.push_back(FieldError::invalid(FieldPath("fieldManager"), out.field_manager,
                                         "should only contain printable characters"));
  }
  if (kind == WriteKind::Apply && out.field_manager.empty()) {
    errors.push_back(
        FieldError::required(FieldPath("fieldManager"), "is required for apply patch"));
  }
  if (const std::string_view validation = query.get("fieldValidation"); !validation.empty()) {
    out.field_validation = validation;
    if (validation != "Ignore" && validation != "Warn" && validation != "Strict") {
      errors.push_back(FieldError::not_supported(FieldPath("fieldValidation"), validation,
                                                 {"Ignore", "Warn", "Strict"}));
    }
  }
  if (query.has("force")) {
    const auto force = parse_bool(query.get("force"));
    if (!force) return unreadable("force", query.get("force"), "a boolean");
    out.force = *force;
    if (kind == WriteKind::Patch) {
      errors.push_back(
          FieldError::forbidden(FieldPath("force"), "may not be specified for non-apply patch"));
    }
  }
  if (!errors.empty()) return invalid_options(options_kind(kind), errors);
  return out;
}

Result<DeleteRequest> read_delete_options(const Query& query, const json::Value& body) {
  DeleteRequest out;
  std::vector<std::string_view> dry_run;
  if (!body.is_null()) {
    if (!body.is_object()) return bad_request("DeleteOptions: expected an object");
    auto read = read_delete_body(*body.if_object(), dry_run);
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
    dry_run = query.all("dryRun");
  }
  FieldErrors errors = validate_dry_run(dry_run);
  out.dry_run = !dry_run.empty();
  const FieldPath policy("propagationPolicy");
  if (!out.propagation_policy.empty()) {
    if (std::ranges::find(policies, out.propagation_policy) == policies.end()) {
      errors.push_back(FieldError::not_supported(policy, out.propagation_policy,
                                                 {policies.begin(), policies.end()}));
    }
    if (out.orphan_dependents) {
      errors.push_back(FieldError::invalid(
          policy, out.propagation_policy,
          "orphanDependents and deletionPropagation cannot be both set"));
    }
  }
  if (!errors.empty()) return invalid_options("DeleteOptions", errors);
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
    for (; at < text.size() && (text[at] == '.' || (text[at] >= '0' && text[at] <= '9')); ++at) {
      if (text[at] == '.') {
        ++dots;
      } else {
        ++digits;
      }
    }
    if (digits == 0 || dots > 1) return false;
    text.remove_prefix(at);
    std::size_t unit = 0;
    for (const std::string_view name : {"ns", "us", "\xc2\xb5s", "\xce\xbcs", "ms", "s", "m", "h"}) {
      if (text.starts_with(name)) unit = std::max(unit, name.size());
    }
    if (unit == 0) return false;
    text.remove_prefix(unit);
  }
  return true;
}

}  // namespace kube::apiserver
