// SPDX-License-Identifier: Apache-2.0
//
// check_json: walks over an object by its descriptor.
#include <kube/codec/json_check.hpp>

#include "json_walk.hpp"

namespace kube::meta {
namespace {

// The place of a value in a walk that stores nothing.
struct NoPlace {};

class Checker : private JsonWalk<Checker, NoPlace> {
 public:
  using JsonWalk::JsonWalk;

  Result<void> check() {
    if (!in_.failed() && message(type_, {}, 0) && in_.at_end()) return {};
    return error();
  }

 private:
  friend class JsonWalk<Checker, NoPlace>;

  bool field(const TypeDescriptor& type, const FieldDescriptor& field, NoPlace, int depth) {
    whole_numbers_ = is_of_run_time(type);
    return value(field, {}, depth);
  }

  // Servers that know a type only by its schema read integers as numbers. Such types have no
  // struct.
  static bool is_of_run_time(const TypeDescriptor& type) { return type.size == 0; }

  NoPlace begin_form(const TypeDescriptor& type, NoPlace, std::size_t) {
    whole_numbers_ = is_of_run_time(type);
    return {};
  }

  static NoPlace optional(const FieldDescriptor&, NoPlace) { return {}; }
  static NoPlace begin_list(const FieldDescriptor&, NoPlace) { return {}; }
  bool element(const FieldDescriptor& field, NoPlace, NoPlace, std::size_t, int depth) {
    return item(*field.message, {}, depth);
  }
  static void begin_map(const FieldDescriptor&, NoPlace) {}
  bool member(const FieldDescriptor& field, NoPlace, const std::string&, int depth) {
    return item(*field.message, {}, depth);
  }
  static bool end(NoPlace) { return true; }

  bool scalars(const FieldDescriptor& field, NoPlace) {
    const auto one = [&] { return scalar(field.kind); };
    const auto one_or_null = [&] { return in_.peek() == 'n' ? in_.read_null() : one(); };
    switch (field.cardinality) {
      case Cardinality::List:
        if (in_.peek() != '[') return wrong_type("an array");
        return elements([&](std::size_t) { return one_or_null(); });
      case Cardinality::Map:
        if (in_.peek() != '{') return wrong_type("an object");
        return members(key_text_, one_or_null);
      default:
        return one();
    }
  }

  bool scalar(ValueKind kind) {
    return with_kind(kind, [&](auto tag) {
      if constexpr (tag == ValueKind::RawJson) {
        return in_.skip();
      } else {
        Held<tag> value{};
        return read_scalar(tag, value);
      }
    });
  }
};

}  // namespace

Result<void> check_json(std::string_view text, const TypeDescriptor& type,
                        const ReadOptions& options) {
  if (!options.strict && options.problems == nullptr) return Checker(text, type, nullptr).check();
  StrictFields fields;
  auto checked = Checker(text, type, &fields).check();
  if (!checked) return checked;
  return report_problems(std::move(fields).problems(), options);
}

}  // namespace kube::meta
