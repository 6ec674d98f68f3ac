// SPDX-License-Identifier: Apache-2.0
//
// Makes the tree of paths, and drops fields of JSON. field_dropper_protobuf.cpp drops those of
// protobuf.
#include <kube/codec/field_dropper.hpp>

#include <optional>
#include <utility>

#include <kube/codec/field_view.hpp>
#include <kube/json/cursor.hpp>
#include <kube/names/go_text.hpp>

#include "field_dropper_nodes.hpp"
#include "field_path.hpp"

namespace kube::meta {

// Adds paths to a tree, one by one.
class FieldDropper::Builder {
 public:
  // A path from the root to what is dropped. `path` has no children.
  static void add(Node& root, std::vector<Node> path) {
    Node* at = &root;
    for (Node& node : path) {
      const auto same = std::find_if(at->children.begin(), at->children.end(),
                                     [&](const Node& child) { return child.is_same(node); });
      at = same == at->children.end() ? &at->children.emplace_back(std::move(node)) : &*same;
    }
    at->dropped = true;
  }

  static std::shared_ptr<const Node> finish(Node root) {
    merge(root);
    return std::make_shared<const Node>(std::move(root));
  }

  static Result<FieldLocator> compile(const TypeDescriptor& type, std::string_view path) {
    auto compiled = FieldLocator::compile(type, path, FieldLocator::Members::Every);
    if (!compiled) return compiled.error();
    const Step::Kind last = compiled->steps_.back().kind;
    if (last == Step::Kind::EveryElement || last == Step::Kind::EveryMember)
      return ends_in_every(path);
    return compiled;
  }

  static Error ends_in_every(std::string_view path) {
    return Error(ErrorCode::InvalidArgument,
                 "path " + go::quote(path) + ": nothing follows [*]; name the list or map itself");
  }

  static Error not_quoted(std::string_view path, std::string_view text) {
    return Error(ErrorCode::InvalidArgument,
                 "path " + go::quote(path) + ": [" + std::string(text) +
                     "] is not [*]; a key of a map that is a number is in quotes, " +
                     "and an element of a list can't be dropped");
  }

  static std::vector<Node> in_json(const FieldLocator& locator) {
    std::vector<Node> path;
    for (const Step& step : locator.steps_) {
      if (step.kind == Step::Kind::Nested) continue;
      const bool every =
          step.kind == Step::Kind::EveryElement || step.kind == Step::Kind::EveryMember;
      path.push_back({every ? Node::Kind::Every : Node::Kind::Key, 0, step.key});
    }
    return path;
  }

  // Returns no path for a field that protobuf does not have.
  static std::vector<Node> in_message(const FieldLocator& locator) {
    std::vector<Node> path;
    const std::vector<Step>& steps = locator.steps_;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      switch (step.kind) {
        case Step::Kind::Member:
        case Step::Kind::Nested:
          if (step.number == 0) return {};
          path.push_back({Node::Kind::Number, step.number});
          break;
        case Step::Kind::Element:
        case Step::Kind::EveryElement:
          break;  // each element is a field with the number of the list
        case Step::Kind::Key:
        case Step::Kind::EveryMember:
          path.push_back(
              {step.kind == Step::Kind::Key ? Node::Kind::Key : Node::Kind::Every, 0, step.key});
          if (i + 1 < steps.size()) path.push_back({Node::Kind::Number, step.number});
          break;
      }
    }
    return path;
  }

 private:
  using Step = FieldLocator::Step;

  // Gives each child with a key what is below its sibling [*], so that one child is enough to walk.
  static void merge(Node& node) {
    const auto every = std::find_if(node.children.begin(), node.children.end(),
                                    [](const Node& n) { return n.kind == Node::Kind::Every; });
    if (every != node.children.end()) {
      for (Node& child : node.children) {
        if (child.kind == Node::Kind::Key) overlay(child, *every);
      }
    }
    for (Node& child : node.children) merge(child);
  }
  static void overlay(Node& node, const Node& other) {
    node.dropped = node.dropped || other.dropped;
    for (const Node& child : other.children) {
      const auto same = std::find_if(node.children.begin(), node.children.end(),
                                     [&](const Node& mine) { return mine.is_same(child); });
      if (same == node.children.end()) {
        node.children.push_back(child);
      } else {
        overlay(*same, child);
      }
    }
  }
};

Result<FieldDropper> FieldDropper::compile(const TypeDescriptor& type,
                                           std::span<const std::string> paths) {
  Node json;
  Node wire;
  for (const std::string& path : paths) {
    const auto compiled = Builder::compile(type, path);
    if (!compiled) return compiled.error();
    Builder::add(json, Builder::in_json(*compiled));
    if (auto numbers = Builder::in_message(*compiled); !numbers.empty())
      Builder::add(wire, std::move(numbers));
  }
  FieldDropper made;
  made.json_ = Builder::finish(std::move(json));
  made.wire_ = Builder::finish(std::move(wire));
  return made;
}

Result<FieldDropper> FieldDropper::compile_untyped(std::span<const std::string> paths) {
  Node json;
  for (const std::string& path : paths) {
    std::vector<PathPart> parts;
    if (!split_path(path, parts)) {
      return Error(ErrorCode::InvalidArgument,
                   "path " + go::quote(path) + ": " + std::string(kPathSyntax));
    }
    if (parts.back().is_every()) return Builder::ends_in_every(path);
    for (const PathPart& part : parts) {
      // Without a type, [0] may be an element, which can't be dropped, or a key.
      if (part.bracket && !part.quoted &&
          part.text.find_first_not_of("-0123456789") == part.text.npos)
        return Builder::not_quoted(path, part.text);
    }
    std::vector<Node> nodes;
    for (PathPart& part : parts) {
      const bool every = part.is_every();
      nodes.push_back({every ? Node::Kind::Every : Node::Kind::Key, 0,
                       every ? std::string() : std::move(part.text)});
    }
    Builder::add(json, std::move(nodes));
  }
  FieldDropper made;
  made.json_ = Builder::finish(std::move(json));
  made.wire_ = std::make_shared<const Node>();
  return made;
}

// Collects what to drop from a text.
class FieldDropper::JsonWalk {
 public:
  explicit JsonWalk(std::string_view text) : text_(text), at_(text) {}

  Result<void> run(const Node& root) {
    if (walk(root)) return {};
    return Error(ErrorCode::Decode, "expected JSON at offset " + std::to_string(at_.offset()))
        .with_context("drop fields");
  }
  std::vector<DroppedRange> ranges;

 private:
  using More = json::Cursor::More;

  // These read one value. They return false when it is invalid.
  bool walk(const Node& node) {
    const char next = at_.peek();
    if (next == '{') return walk_object(node);
    if (next == '[') {
      for (const Node& child : node.children) {
        if (child.kind == Node::Kind::Every) return walk_array(child);
      }
    }
    return skip();
  }

  // A range begins at a member that is dropped and ends where the next one begins; at the end of
  // the object it has the comma before it instead of the one after it.
  bool walk_object(const Node& node) {
    at_.enter('{');
    std::optional<std::size_t> dropped;  // where the members before this one began to be dropped
    std::optional<std::size_t> kept;     // where the last member that stays ends
    for (;;) {
      const std::size_t end = at_.offset();
      std::string_view key;
      const More more = at_.next_member(key);
      if (more == More::Wrong) return false;
      if (more == More::No) {
        if (dropped) ranges.push_back({kept.value_or(*dropped), end});
        return at_.leave('}');
      }
      const std::size_t begin = static_cast<std::size_t>(key.data() - text_.data()) - 1;
      const Node* child = find(node, key);
      if (child != nullptr && child->dropped) {
        if (!dropped) dropped = begin;
        if (!skip()) return false;
        continue;
      }
      if (dropped) ranges.push_back({*std::exchange(dropped, {}), begin});
      if (!(child == nullptr ? skip() : walk(*child))) return false;
      kept = at_.offset();
    }
  }

  bool walk_array(const Node& element) {
    at_.enter('[');
    for (;;) {
      const More more = at_.next_element();
      if (more == More::Wrong) return false;
      if (more == More::No) return at_.leave(']');
      if (!walk(element)) return false;
    }
  }

  static const Node* find(const Node& node, std::string_view key) {
    const Node* every = nullptr;
    for (const Node& child : node.children) {
      if (child.kind == Node::Kind::Every) every = &child;
      if (child.kind == Node::Kind::Key && json::is_key(key, child.key)) return &child;
    }
    return every;
  }

  bool skip() {
    std::string_view value;
    return at_.skip(value);
  }

  std::string_view text_;
  json::Cursor at_;
};

Result<std::string_view> FieldDropper::drop_in_json(std::string_view object,
                                                    std::string& scratch) const {
  JsonWalk walk(object);
  if (auto walked = walk.run(*json_); !walked) return walked.error();
  if (walk.ranges.empty()) return object;
  return copy_rest(object, walk.ranges, scratch);
}

}  // namespace kube::meta
