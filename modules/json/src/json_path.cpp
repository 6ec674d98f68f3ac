// SPDX-License-Identifier: Apache-2.0
#include <kube/json/json_path.hpp>

#include <algorithm>
#include <utility>

#include "json_path_parser.hpp"
#include "json_path_walk.hpp"

namespace kube::json {

struct JsonPath::Steps {
  path::Nodes nodes;
};

Result<JsonPath> JsonPath::compile(std::string_view text) {
  auto nodes = path::Parser(text).parse_path();
  if (!nodes) return nodes.error();
  JsonPath compiled;
  compiled.steps_ = std::make_shared<const Steps>(Steps{*std::move(nodes)});
  return compiled;
}

std::vector<const Value*> JsonPath::find(const Value& root) const {
  auto found = path::Walk(path::Walk::Mode::Bounded, kMaxLooks).follow(steps_->nodes, root);
  return found ? *std::move(found) : std::vector<const Value*>();
}

const Value* JsonPath::find_first(const Value& root) const {
  const auto found = find(root);
  const auto first =
      std::ranges::find_if(found, [](const Value* each) { return !each->is_null(); });
  return first == found.end() ? nullptr : *first;
}

std::vector<std::string> JsonPath::leading_names() const {
  std::vector<std::string> names;
  for (const path::Node& node : steps_->nodes) {
    if (node.kind != path::Node::Kind::Field) break;
    names.push_back(node.name);
  }
  return names;
}

}  // namespace kube::json
