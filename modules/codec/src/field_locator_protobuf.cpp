// SPDX-License-Identifier: Apache-2.0
//
// Finds the field of a FieldLocator in a protobuf message.
#include <memory>
#include <string>

#include <kube/codec/field_view.hpp>
#include <kube/codec/wire.hpp>

#include "wire_search.hpp"

namespace kube::meta {
namespace {

// The functions return false for an invalid message.

// Finds the first and the last field with the number; their tags are 0 if there is no such field.
bool find_fields(std::string_view message, std::uint32_t number, wire::Fault& fault,
                 wire::Field& first, wire::Field& last) {
  wire::Fields fields(message);
  for (const wire::Field& field : fields) {
    if (field.number() != number) continue;
    if (first.tag == 0) first = field;
    last = field;
  }
  return wire::is_whole(fields, fault);
}

// Finds one element of a list; its tag is 0 if the list is shorter.
bool find_element(std::string_view message, std::uint32_t number, std::size_t index,
                  wire::Fault& fault, wire::Field& out) {
  wire::Fields fields(message);
  for (const wire::Field& field : fields) {
    if (field.number() != number || index-- != 0) continue;
    out = field;
    break;
  }
  return wire::is_whole(fields, fault);
}

// Finds the value of the last entry with the key.
bool find_entry(std::string_view message, std::uint32_t number, std::string_view key,
                wire::Fault& fault, bool& exists, wire::Field& out) {
  wire::Fields fields(message);
  for (const wire::Field& field : fields) {
    if (field.number() != number || !fields.expect_bytes(field)) continue;
    std::string_view found;
    wire::Field value;
    if (!wire::read_map_entry(field.value, fault, found, value)) return false;
    if (found != key) continue;
    exists = true;
    out = value;
  }
  return wire::is_whole(fields, fault);
}

}  // namespace

// Follows the steps of a locator into a message.
class FieldLocator::MessageSearch {
 public:
  MessageSearch(const FieldLocator& locator, std::string_view message)
      : locator_(locator), message_(message), in_(message), view_(locator.start(false)) {}

  Result<FieldView> run() {
    const std::vector<Step>& steps = locator_.steps_;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      if (step.number == 0) return std::move(view_);  // JSON has it, protobuf does not
      const Step* member = step.repeated && i + 1 < steps.size() ? &steps[++i] : nullptr;
      if (!find(step, member)) return wrong();
      const bool ends = i + 1 == steps.size();
      if (first_.tag == 0) {
        view_.exists_ = view_.exists_ && ends;
        return std::move(view_);
      }
      if (ends) {
        view_.exists_ = true;
        view_.number_ = member != nullptr ? member->number : step.number;
        view_.bytes_ =
            wire::view(first_.begin, wire::begin_of(last_.whole()) + last_.whole().size());
        return std::move(view_);
      }
      view_.exists_ = false;
      if (!enter(step.number)) return wrong();
    }
    return std::move(view_);
  }

 private:
  // Finds the field of a step, or a member of the list or map in that field.
  bool find(const Step& step, const Step* member) {
    first_ = {};
    last_ = {};
    if (member == nullptr) return find_fields(in_, step.number, fault_, first_, last_);
    const bool valid =
        member->kind == Step::Kind::Element
            ? find_element(in_, step.number, member->index, fault_, first_)
            // An entry without a value exists and has the zero value.
            : find_entry(in_, step.number, member->key, fault_, view_.exists_, first_);
    last_ = first_;
    return valid;
  }

  // Continues in the message that is the value of the field.
  bool enter(std::uint32_t number) {
    if (first_.begin == last_.begin)
      return wire::find_bytes(first_.whole(), first_.number(), fault_, in_);
    // The pieces of a message are merged. A later step may find its field in any of them.
    auto merged = std::make_shared<std::string>();
    wire::Fields fields(in_);
    for (const wire::Field& field : fields) {
      if (field.number() == number && fields.expect_bytes(field)) *merged += field.value;
    }
    if (!wire::is_whole(fields, fault_)) return false;
    in_ = *merged;
    view_.merged_ = std::move(merged);
    return true;
  }

  Error wrong() const {
    const std::string where =
        view_.merged_
            ? ""
            : " at offset " +
                  std::to_string(static_cast<std::size_t>(fault_.at - wire::begin_of(message_)));
    return Error(ErrorCode::Decode, locator_.text_ + ": " + fault_.message + where)
        .with_context("read " + std::string(locator_.type_));
  }

  const FieldLocator& locator_;
  std::string_view message_;
  std::string_view in_;  // the message that the next step looks at
  FieldView view_;
  wire::Fault fault_;
  wire::Field first_;
  wire::Field last_;
};

Result<FieldView> FieldLocator::find_in_message(std::string_view message) const {
  return MessageSearch(*this, message).run();
}

}  // namespace kube::meta
