// SPDX-License-Identifier: Apache-2.0
#include <kube/json/json_path_template.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <utility>

#include "json_path_parser.hpp"
#include "json_path_walk.hpp"

namespace kube::json {
namespace {

using path::Found;
using path::Part;
using path::Walk;

// Calls `sink` for each expression and each text, in the order of the output.
Result<void> run_parts(const std::vector<Part>& parts, const Value& current, Walk& walk,
                       const std::function<void(Found)>& sink) {
  for (const Part& part : parts) {
    auto found = walk.follow(part.nodes, current);
    if (!found) return found.error();
    if (part.kind != Part::Kind::Range) {
      sink(*std::move(found));
      continue;
    }
    for (const Value* each : *found) {
      if (auto done = run_parts(part.parts, *each, walk, sink); !done) return done;
    }
  }
  return {};
}

// As Go prints a float64: 1e-05, where JSON has 0.00001.
std::string number_text(double value) {
  const double size = std::fabs(value);
  const bool scientific = size != 0 && (size < 1e-4 || size >= 1e21);
  std::array<char, 64> buffer{};
  const auto written =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                    scientific ? std::chars_format::scientific : std::chars_format::fixed);
  return {buffer.data(), written.ptr};
}

}  // namespace

struct JsonPathTemplate::Parts {
  std::vector<Part> parts;
};

Result<JsonPathTemplate> JsonPathTemplate::parse(std::string_view text) {
  auto parts = path::Parser(text).parse_template();
  if (!parts) return parts.error();
  JsonPathTemplate parsed;
  parsed.parts_ = std::make_shared<const Parts>(Parts{*std::move(parts)});
  return parsed;
}

Result<std::string> JsonPathTemplate::to_text(const Value& root,
                                              const JsonPathOptions& options) const {
  Walk walk(options.allow_missing_keys ? Walk::Mode::Lenient : Walk::Mode::Strict,
            options.max_values);
  std::string out;
  const auto print = [&out](const Found& found) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (i != 0) out += ' ';
      out += json_path_text(*found[i]);
    }
  };
  if (auto done = run_parts(parts_->parts, root, walk, print); !done) return done.error();
  return out;
}

Result<std::vector<std::vector<const Value*>>> JsonPathTemplate::find(
    const Value& root, const JsonPathOptions& options) const& {
  Walk walk(options.allow_missing_keys ? Walk::Mode::Lenient : Walk::Mode::Strict,
            options.max_values);
  std::vector<Found> all;
  const auto keep = [&all](Found found) { all.push_back(std::move(found)); };
  if (auto done = run_parts(parts_->parts, root, walk, keep); !done) return done.error();
  return all;
}

std::string json_path_text(const Value& value) {
  if (const std::string* text = value.if_string()) return *text;
  if (const double* number = value.if_double()) return number_text(*number);
  return dump(sorted_members(value));
}

Result<std::string> relaxed_json_path(std::string_view text) {
  std::string_view path = text;
  if (path.starts_with('{') && path.ends_with('}') && path.size() > 1)
    path = path.substr(1, path.size() - 2);
  if (path.starts_with('.')) path.remove_prefix(1);
  if (path.empty() || path.find_first_of("{}") != std::string_view::npos) {
    return Error(ErrorCode::InvalidArgument,
                 "unexpected path string, expected a 'name1.name2' or '.name1.name2' or "
                 "'{name1.name2}' or '{.name1.name2}', found \"" +
                     std::string(text) + "\"");
  }
  return "{." + std::string(path) + "}";
}

}  // namespace kube::json
