// SPDX-License-Identifier: Apache-2.0
#include "yaml_outline.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <utility>

namespace kube::yaml {
namespace {

// A key that is a list or a map, which only an exception can report from yaml-cpp's callbacks.
struct UnusualKey {};

class OutlineBuilder : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override { root_.reset(); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    add(node(mark, OutlineNode::Kind::Null));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    add(node(mark, OutlineNode::Kind::Alias));
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string& value) override {
    if (!open_.empty() && expects_key()) {
      Open& map = open_.back();
      map.key = {.key = value, .key_line = line(mark), .key_column = column(mark)};
      map.has_key = true;
      return;
    }
    add(node(mark, OutlineNode::Kind::Scalar));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value style) override {
    begin(mark, OutlineNode::Kind::List, style);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value style) override {
    begin(mark, OutlineNode::Kind::Map, style);
  }
  void OnMapEnd() override { end(); }

  bool has_content() const { return root_ && root_->kind != OutlineNode::Kind::Null; }
  std::optional<OutlineNode> take() && { return std::move(root_); }

 private:
  struct Open {
    OutlineNode node{};
    OutlineNode key{};  // its key with its place alone
    bool has_key = false;
  };

  static std::size_t line(const YAML::Mark& mark) {
    return static_cast<std::size_t>(std::max(mark.line, 0));
  }
  static std::size_t column(const YAML::Mark& mark) {
    return static_cast<std::size_t>(std::max(mark.column, 0));
  }
  static OutlineNode node(const YAML::Mark& mark, OutlineNode::Kind kind) {
    return {.kind = kind, .line = line(mark), .column = column(mark)};
  }
  bool expects_key() const {
    return open_.back().node.kind == OutlineNode::Kind::Map && !open_.back().has_key;
  }

  void begin(const YAML::Mark& mark, OutlineNode::Kind kind, YAML::EmitterStyle::value style) {
    if (!open_.empty() && expects_key()) throw UnusualKey{};
    open_.push_back({.node = node(mark, kind)});
    open_.back().node.in_block = style == YAML::EmitterStyle::Block;
  }
  void end() {
    OutlineNode done = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(done));
  }
  void add(OutlineNode value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    if (expects_key()) throw UnusualKey{};
    Open& parent = open_.back();
    value.key_line = parent.has_key ? parent.key.key_line : value.line;
    value.key_column = parent.has_key ? parent.key.key_column : value.column;
    if (parent.has_key) value.key = std::move(parent.key.key);
    parent.has_key = false;
    parent.node.children.push_back(std::move(value));
  }

  std::vector<Open> open_;
  std::optional<OutlineNode> root_;
};

}  // namespace

std::optional<OutlineNode> outline_of(const std::string& text) {
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    OutlineBuilder builder;
    while (!builder.has_content() && parser.HandleNextDocument(builder)) {
    }
    if (builder.has_content()) return std::move(builder).take();
  } catch (const UnusualKey&) {
  } catch (const YAML::Exception&) {
  }
  return std::nullopt;
}

}  // namespace kube::yaml
