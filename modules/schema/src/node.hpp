// SPDX-License-Identifier: Apache-2.0
//
// A node of a document together with its path, for errors.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>

namespace kube::schema {

/// Collects the errors of a document. The first one counts; later values are ignored.
class Problem {
 public:
  explicit Problem(std::string where) : where_(std::move(where)) {}

  void set(const std::string& path, const std::string& what) {
    if (error_) return;
    error_.emplace(ErrorCode::Decode, where_ + ": " + path + (path.empty() ? "" : ": ") + what);
  }
  const std::string& where() const { return where_; }
  /// The same for a broken rule of the API. All of these are kept, until there are enough.
  void set(meta::FieldError error) {
    if (!error_) set(error.field, error.body());
    if (!has_enough()) field_errors_.push_back(std::move(error));
  }
  const std::optional<Error>& error() const { return error_; }
  bool has_enough() const { return meta::has_enough(field_errors_); }
  const meta::FieldErrors& field_errors() const { return field_errors_; }

 private:
  std::string where_;
  std::optional<Error> error_;
  meta::FieldErrors field_errors_;
};

/// An object of the document that is read member by member. Absent members are empty; a member of
/// another type is an error of the document.
class Node {
 public:
  Node(const json::Value& value, std::string path, Problem& problem);

  const json::Value& value() const { return *value_; }
  const std::string& path() const { return path_; }
  /// Returns the path with the document before it, as errors have it.
  std::string where() const { return problem_->where() + ": " + path_; }
  std::string path_of(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  }
  Problem& problem() const { return *problem_; }
  void fail(const std::string& what) const { problem_->set(path_, what); }
  void fail(std::string_view key, const std::string& what) const {
    problem_->set(path_of(key), what);
  }

  /// Fails with the last of a name's problems, if there are any: with both, that is the one about
  /// its form, not about its length.
  void fail_for(std::string_view key, const std::vector<std::string>& problems) const;

  const json::Value* find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }
  std::string text(std::string_view key) const;
  /// text(), which must exist and not be empty.
  std::string required_text(std::string_view key) const;
  bool flag(std::string_view key) const;
  std::int64_t number(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;
  const json::Array& list(std::string_view key) const;
  const json::Object& object(std::string_view key) const;
  /// Returns a member that is an object; nullopt when it is absent.
  std::optional<Node> child(std::string_view key) const;
  /// Returns the elements of a list of objects: path "key[0]".
  std::vector<Node> children(std::string_view key) const;
  /// Returns the members of an object of objects: path "key[name]".
  std::vector<std::pair<std::string, Node>> members(std::string_view key) const;
  /// Returns a member of such an object; nullopt when it is absent.
  std::optional<Node> member(std::string_view key, std::string_view name) const;
  /// The same, one member at a time: for foreign documents, whose paths together may be much longer
  /// than the document.
  void each_member(std::string_view key,
                   const std::function<void(const std::string& name, const Node&)>& visit) const;
  void each_element(std::string_view key, const std::function<void(const Node&)>& visit) const;

 private:
  void wrong(std::string_view key, std::string_view expected, const json::Value& found) const;

  const json::Value* value_;
  const json::Object* object_;
  std::string path_;
  Problem* problem_;
};

}  // namespace kube::schema
