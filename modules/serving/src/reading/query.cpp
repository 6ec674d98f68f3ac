// SPDX-License-Identifier: Apache-2.0
#include "reading/query.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <initializer_list>

#include <kube/base/percent.hpp>
#include <kube/codec/converter.hpp>
#include <kube/codec/normalize.hpp>
#include <kube/codec/query.hpp>
#include <kube/names/go_text.hpp>
#include <kube/validation/options_validation.hpp>

#include "documents/errors.hpp"

namespace kube::serving {
namespace {

// Returns the text before the separator, or all of it; `text` becomes the rest after it.
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

// Reads options whose integers are told apart in the words of the reference server.
template <class Options>
Result<Options> read_options(const Query& query,
                             std::initializer_list<std::string_view> integers = {}) {
  for (const std::string_view name : integers) {
    if (query.has(name) && !parse_number<std::int64_t>(query.get(name)))
      return meta::bad_request_error(go::integer_problem("ParseInt", query.get(name)));
  }
  auto options = meta::from_query<Options>(query.parameters());
  if (!options) return meta::bad_request_error(options.error().message());
  return options;
}

Result<DeleteOptions> read_delete_body(const json::Value& body) {
  const std::string_view kind = body.string_at({"kind"});
  if (!kind.empty() && kind != "DeleteOptions") {
    const std::string_view given = body.string_at({"apiVersion"});
    return meta::bad_request_error("no kind " + go::quote(kind) + " is registered for version " +
                                   go::quote(given.empty() ? "meta.k8s.io/v1" : given) +
                                   " in scheme \"pkg/runtime/scheme.go:111\"");
  }
  // Every group has a DeleteOptions, and all are equal.
  json::Value without_version = body;
  if (json::Object* members = without_version.if_object()) members->erase("apiVersion");
  json::Value fitted = without_version;
  if (auto fits = meta::normalize_to_type(DeleteOptions::descriptor(), fitted); !fits)
    return meta::bad_request_error(fits.error().message());
  auto options = meta::from_value<DeleteOptions>(without_version);
  if (!options) return meta::bad_request_error(options.error().message());
  return options;
}

}  // namespace

Result<Query> Query::parse(std::string_view text) {
  Query query;
  while (!text.empty()) {
    const std::string_view pair = take_until(text, '&');
    if (pair.empty()) continue;
    std::string_view rest = pair;
    auto name = percent_decoded(take_until(rest, '='), Plus::IsSpace);
    auto value = percent_decoded(rest, Plus::IsSpace);
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
  return meta::query_flag(query.parameters(), name);
}

bool wants_pretty(const Query& query) {
  return parse_bool(query.get("pretty")).value_or(false);
}

Result<ListOptions> read_list_options(const Query& query, bool watch) {
  auto out = read_options<ListOptions>(query, {"limit", "timeoutSeconds"});
  if (!out) return out;
  out->limit = std::max<std::int64_t>(out->limit, 0);
  if (out->timeout_seconds.value_or(1) <= 0) out->timeout_seconds.reset();
  if (const auto errors = validate(*out, watch); !errors.empty())
    return invalid_options("ListOptions", errors);
  return out;
}

Result<PatchOptions> read_write_options(const Query& query, WriteKind kind) {
  auto out = read_options<PatchOptions>(query);
  if (!out) return out;
  if (kind == WriteKind::Create || kind == WriteKind::Update) {
    out->force.reset();
    const CreateOptions same{out->dry_run, out->field_manager, out->field_validation};
    if (const auto errors = validate(same); !errors.empty()) {
      return invalid_options(kind == WriteKind::Create ? "CreateOptions" : "UpdateOptions", errors);
    }
    return out;
  }
  const auto type = kind == WriteKind::Apply ? Patch::Type::Apply : Patch::Type::Merge;
  if (const auto errors = validate(*out, type); !errors.empty())
    return invalid_options("PatchOptions", errors);
  return out;
}

Result<DeleteOptions> read_delete_options(const Query& query, const json::Value& body) {
  auto out = body.is_null() ? read_options<DeleteOptions>(query, {"gracePeriodSeconds"})
                            : read_delete_body(body);
  if (!out) return out;
  if (const auto errors = validate(*out); !errors.empty())
    return invalid_options("DeleteOptions", errors);
  if (out->grace_period_seconds.value_or(0) < 0) out->grace_period_seconds = 1;
  return out;
}

std::optional<std::uint64_t> parse_revision(std::string_view text) {
  if (text.empty()) return 0;
  return parse_number<std::uint64_t>(text);
}

}  // namespace kube::serving
