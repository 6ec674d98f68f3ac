// SPDX-License-Identifier: Apache-2.0
#include "wait_condition.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/ascii.hpp>
#include <kube/client/condition_is.hpp>
#include <kube/json/json_path_template.hpp>
#include <kube/names/go_text.hpp>

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::Unstructured;
namespace json = kube::json;

constexpr std::string_view kCondition = "condition=";
constexpr std::string_view kJsonPath = "jsonpath=";

Error wrong_condition(const std::string& text) {
  return {ErrorCode::InvalidArgument, text};
}

WaitCondition status_condition(std::string type) {
  std::string status = "true";
  if (const std::size_t equals = type.find('='); equals != std::string::npos) {
    status = type.substr(equals + 1);
    type.resize(equals);
  }
  return {.is_met = kube::condition_is(std::move(type), std::move(status))};
}

// Splits at single "=" signs; "==" belongs to the expression.
std::vector<std::string> split_path(std::string_view text) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("==")) {
      parts.back() += "==";
      ++i;
    } else if (text[i] == '=') {
      parts.emplace_back();
    } else {
      parts.back() += text[i];
    }
  }
  return parts;
}

std::string_view without(std::string_view text, std::string_view ends) {
  while (!text.empty() && ends.find(text.front()) != std::string_view::npos) text.remove_prefix(1);
  while (!text.empty() && ends.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  return text;
}

Result<bool> path_is_met(const json::JsonPathTemplate& path, const std::string& wanted,
                         const Unstructured& object) {
  const auto found = path.find(object.content, {.allow_missing_keys = true});
  if (!found) return found.error();
  if (found->empty() || found->front().empty()) return false;
  if (found->size() > 1)
    return wrong_condition("given jsonpath expression matches more than one list");
  if (found->front().size() > 1)
    return wrong_condition("given jsonpath expression matches more than one value");
  if (wanted.empty()) return true;
  const json::Value& value = *found->front().front();
  if (value.is_object() || value.is_array())
    return wrong_condition("jsonpath leads to a nested object or list which is not supported");
  // As Go prints it.
  const std::string text = value.is_null() ? "<nil>" : json::json_path_text(value);
  constexpr std::string_view kSpace = " \t\n\r\v\f";
  return without(text, kSpace) == without(wanted, kSpace);
}

Result<WaitCondition> path_condition(std::string_view text) {
  const std::vector<std::string> parts = split_path(text);
  if (parts.size() > 2) {
    return wrong_condition(
        "jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or "
        "--for=jsonpath='{.status.readyReplicas}'");
  }
  const auto relaxed = json::relaxed_json_path(parts.front());
  if (!relaxed) return relaxed.error();
  if (relaxed->empty()) return wrong_condition("jsonpath expression cannot be empty");
  std::string wanted;
  if (parts.size() == 2) {
    wanted = without(parts.back(), "'\"");
    if (wanted.empty()) {
      return wrong_condition(
          "jsonpath wait has to have a value after equal sign, like "
          "--for=jsonpath='{.status.readyReplicas}'=3");
    }
  }
  auto path = json::JsonPathTemplate::parse(*relaxed);
  if (!path) return path.error();
  return WaitCondition{
      .is_met = [path = *std::move(path), wanted = std::move(wanted)](const Unstructured& object) {
        return path_is_met(path, wanted, object);
      }};
}

}  // namespace

Result<WaitCondition> parse_wait_condition(const std::string& text) {
  const std::string lower = kube::ascii::to_lower(text);
  if (lower == "delete") return WaitCondition{.kind = WaitCondition::Kind::Delete};
  if (lower == "create") return WaitCondition{.kind = WaitCondition::Kind::Create};
  if (text.starts_with(kCondition)) return status_condition(text.substr(kCondition.size()));
  if (text.starts_with(kJsonPath)) return path_condition(text.substr(kJsonPath.size()));
  return wrong_condition("unrecognized condition: " + kube::go::quote(text));
}

}  // namespace kubecpp
