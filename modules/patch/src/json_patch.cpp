// SPDX-License-Identifier: Apache-2.0
//
// JSON patches: RFC 6902, and what kube-apiserver's library makes of it.
#include <algorithm>

#include <kube/json/text.hpp>
#include <kube/names/go_text.hpp>
#include <kube/patch/json_pointer.hpp>
#include <kube/patch/patch.hpp>

namespace kube::meta {

namespace {

using detail::Pointer;

constexpr std::size_t kMaxCopiedBytes = std::size_t{3} << 20;
constexpr std::size_t kMaxDepth = json::kMaxDepth;
// The maximum number of elements of lists and objects that are moved, or visited to measure their
// depth; they take about a tenth of a second.
constexpr std::size_t kMaxSteps = std::size_t{1} << 24;
// Erasing a member of an object moves the others and updates the index.
constexpr std::size_t kStepsOfErased = 3;

struct Operation {
  std::string op;
  std::string path_text;
  Pointer path;
  Pointer from;
  const json::Value* value = nullptr;  ///< In the patch document; null if the operation has none.
};

const json::Value kNoValue;

Error failed(std::string what) {
  return Error(ErrorCode::InvalidArgument, std::move(what));
}

Result<Pointer> read_pointer(const json::Value& operation, std::string_view name,
                             JsonPatchRules rules) {
  const json::Value* member = operation.at_path({name});
  const std::string* text = member != nullptr ? member->if_string() : nullptr;
  if (text == nullptr) return failed("expected a JSON pointer as \"" + std::string(name) + '"');
  return rules == JsonPatchRules::ApiServer ? detail::parse_loose_pointer(*text)
                                            : detail::parse_pointer(*text);
}

// The API server changes members and elements alone, and replaces its document by another
// container.
Result<void> check_whole(const Operation& operation) {
  const bool on_whole = operation.op == "replace" || operation.op == "test";
  const bool moves = operation.op == "move" || operation.op == "copy";
  if ((operation.path.empty() && !on_whole) || (moves && operation.from.empty()))
    return failed("the path has no \"/\"");
  const bool scalar = operation.op == "replace" && operation.path.empty() &&
                      !operation.value->is_object() && !operation.value->is_array();
  if (scalar) return failed("the document can't become a scalar");
  return {};
}

Result<Operation> read_operation(const json::Value& document, JsonPatchRules rules) {
  if (!document.is_object()) {
    return failed("expected an object, but found " + std::string(document.type_name()));
  }
  Operation operation;
  const json::Value* op = document.at_path({"op"});
  operation.op = op != nullptr ? op->string_or_empty() : std::string_view{};
  constexpr std::string_view kKnown[] = {"add", "remove", "replace", "move", "copy", "test"};
  if (std::find(std::begin(kKnown), std::end(kKnown), operation.op) == std::end(kKnown)) {
    return failed("expected add, remove, replace, move, copy or test as \"op\", but found " +
                  (op != nullptr ? json::dump(*op) : std::string("none")));
  }
  Result<Pointer> path = read_pointer(document, "path", rules);
  if (!path) return path.error();
  operation.path = *std::move(path);
  operation.path_text = document.at_path({"path"})->string_or_empty();
  if (operation.op == "move" || operation.op == "copy") {
    Result<Pointer> from = read_pointer(document, "from", rules);
    if (!from) return from.error();
    operation.from = *std::move(from);
  } else if (operation.op != "remove") {
    operation.value = document.at_path({"value"});
    if (operation.value == nullptr && rules == JsonPatchRules::Rfc6902)
      return failed("expected a \"value\"");
    if (operation.value == nullptr) operation.value = &kNoValue;
  }
  if (rules == JsonPatchRules::ApiServer) {
    if (auto whole = check_whole(operation); !whole) return whole.error();
  }
  return operation;
}

std::size_t depth_of(const json::Value& value, std::size_t& seen) {
  ++seen;
  std::size_t deepest = 0;
  if (const json::Object* object = value.if_object()) {
    for (const auto& [name, member] : *object) deepest = std::max(deepest, depth_of(member, seen));
    return deepest + 1;
  }
  if (const json::Array* array = value.if_array()) {
    for (const json::Value& item : *array) deepest = std::max(deepest, depth_of(item, seen));
    return deepest + 1;
  }
  return 0;
}

class Patcher {
 public:
  Patcher(const json::Value& document, JsonPatchRules rules)
      : document_(document), loose_(rules == JsonPatchRules::ApiServer) {}

  Result<void> apply(const Operation& operation) {
    if (operation.op == "add") return add(operation.path, *operation.value);
    if (operation.op == "remove") return remove(operation.path);
    if (operation.op == "replace") return replace(operation.path, *operation.value);
    if (operation.op == "move") return move(operation.from, operation.path);
    if (operation.op == "copy") return copy(operation.from, operation.path);
    return test(operation.path, *operation.value);
  }

  json::Value take() { return std::move(document_); }

 private:
  Result<void> add(const Pointer& path, json::Value value) {
    if (auto fits = check_depth(path, value); !fits) return fits;
    if (path.empty()) {
      document_ = std::move(value);
      return {};
    }
    json::Value* parent = detail::resolve(document_, path, path.size() - 1);
    if (parent == nullptr) return failed("the parent does not exist");
    if (json::Object* object = parent->if_object()) {
      object->set(path.back(), std::move(value));
      return {};
    }
    json::Array* array = parent->if_array();
    if (array == nullptr) return failed("can't add to a " + std::string(parent->type_name()));
    const std::optional<std::size_t> index =
        path.back() == "-" ? array->size() : detail::parse_index(path.back(), array->size() + 1);
    if (!index) {
      return failed("expected \"-\" or an index of at most " + std::to_string(array->size()));
    }
    if (auto moved = take_steps(array->size() - *index); !moved) return moved;
    array->insert(array->begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
    return {};
  }

  Result<void> remove(const Pointer& path) {
    if (path.empty()) {
      document_ = nullptr;
      return {};
    }
    json::Value* parent = detail::resolve(document_, path, path.size() - 1);
    if (json::Object* object = parent != nullptr ? parent->if_object() : nullptr) {
      if (auto moved = take_steps(kStepsOfErased * object->size()); !moved) return moved;
      if (object->erase(path.back())) return {};
    } else if (json::Array* array = parent != nullptr ? parent->if_array() : nullptr) {
      const std::optional<std::size_t> index = detail::parse_index(path.back(), array->size());
      if (index) {
        if (auto moved = take_steps(array->size() - *index); !moved) return moved;
        array->erase(array->begin() + static_cast<std::ptrdiff_t>(*index));
        return {};
      }
    }
    return failed("the value to remove does not exist");
  }

  Result<void> replace(const Pointer& path, const json::Value& value) {
    json::Value* target = detail::resolve(document_, path, path.size());
    if (target == nullptr && lacks_member(path)) return add(path, value);
    if (target == nullptr) return failed("the value to replace does not exist");
    if (auto fits = check_depth(path, value); !fits) return fits;
    *target = value;
    return {};
  }

  Result<void> move(const Pointer& from, const Pointer& path) {
    json::Value* source = detail::resolve(document_, from, from.size());
    if (source == nullptr) return failed("the value at \"from\" does not exist");
    if (from == path) return {};
    if (from.size() < path.size() && std::equal(from.begin(), from.end(), path.begin())) {
      return failed("can't move a value into itself");
    }
    json::Value value = std::move(*source);
    if (auto removed = remove(from); !removed) return removed;
    return add(path, std::move(value));
  }

  Result<void> copy(const Pointer& from, const Pointer& path) {
    const json::Value* source = detail::resolve(document_, from, from.size());
    if (source == nullptr && lacks_member(from)) source = &kNoValue;
    if (source == nullptr) return failed("the value at \"from\" does not exist");
    // Each copy can double the document.
    copied_bytes_ += json::dump(*source).size();
    if (copied_bytes_ > kMaxCopiedBytes) {
      return failed("the copies have more than " + std::to_string(kMaxCopiedBytes) +
                    " bytes together");
    }
    return add(path, *source);
  }

  Result<void> test(const Pointer& path, const json::Value& value) {
    const json::Value* target = detail::resolve(document_, path, path.size());
    if (target == nullptr) {
      if (value.is_null() && in_object(path)) return {};
      return failed("testing failed: the value does not exist");
    }
    if (!(*target == value)) return failed("testing failed: the value is different");
    return {};
  }

  // Whether the path, which leads to nothing, is a member's that the API server takes for a null.
  bool lacks_member(const Pointer& path) { return loose_ && in_object(path); }
  bool in_object(const Pointer& path) {
    if (path.empty()) return false;
    const json::Value* parent = detail::resolve(document_, path, path.size() - 1);
    return parent != nullptr && parent->is_object();
  }

  // Operations can nest a document ever deeper, and functions recurse into it.
  Result<void> check_depth(const Pointer& path, const json::Value& value) {
    std::size_t seen = 0;
    if (path.size() + depth_of(value, seen) > kMaxDepth)
      return failed("the result would be nested deeper than " + std::to_string(kMaxDepth));
    return take_steps(seen);
  }

  Result<void> take_steps(std::size_t count) {
    steps_ += count;
    if (steps_ <= kMaxSteps) return {};
    return failed("the operations move more than " + std::to_string(kMaxSteps) +
                  " elements of lists and objects in total");
  }

  json::Value document_;
  bool loose_;
  std::size_t copied_bytes_ = 0;
  std::size_t steps_ = 0;
};

}  // namespace

Result<json::Value> apply_json_patch(const json::Value& document, const json::Value& operations,
                                     JsonPatchRules rules) {
  const json::Array* list = operations.if_array();
  if (list == nullptr) {
    return failed("invalid JSON patch: expected an array of operations, but found " +
                  std::string(operations.type_name()));
  }
  Patcher patcher(document, rules);
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Result<Operation> operation = read_operation((*list)[i], rules);
    if (!operation) {
      return failed("operation " + std::to_string(i) + ": " + operation.error().message());
    }
    if (const Result<void> applied = patcher.apply(*operation); !applied) {
      return failed("operation " + std::to_string(i) + " (" + operation->op + ' ' +
                    go::quote(operation->path_text) + "): " + applied.error().message());
    }
  }
  return patcher.take();
}

}  // namespace kube::meta
