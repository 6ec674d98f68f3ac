// SPDX-License-Identifier: Apache-2.0
//
// read_json: fills any described type from JSON text, by its descriptor.
#include <kube/json/base64.hpp>
#include <kube/json/key_hash.hpp>
#include <kube/json/reader.hpp>
#include <kube/meta/codec.hpp>

#include <charconv>
#include <limits>

#include "strict_fields.hpp"
#include "type_facts.hpp"
#include "value_kinds.hpp"

namespace kube::meta {
namespace {

// The place of the field in `keys.fields` plus one; 0 for none.
std::size_t find_place(const KeyTable& keys, std::string_view key) {
  if (key.empty() || keys.fields.empty()) return 0;
  const std::uint16_t slot = keys.slots[json::key_hash(key, keys.seed, keys.shift)];
  return slot != 0 && keys.fields[slot - 1]->json == key ? slot : 0;
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

// Reads one document. Functions answer false for failure: either `in_` failed, and the text isn't
// JSON, or `message_` says what was expected, `offset_` where, and `path_` is put together on the
// way out.
class Decoder {
 public:
  Decoder(std::string_view text, const TypeDescriptor& type, StrictFields* strict)
      : text_(text), type_(type), in_(text), strict_(strict) {}

  Result<void> read(void* object) {
    if (!in_.failed() && read_message(type_, object, 0) && in_.at_end()) return {};
    return error();
  }

 private:
  Error error() const {
    const std::string_view name = label_of(type_);
    if (message_.empty()) {
      auto syntax = json::find_syntax_error(text_);
      if (!syntax) syntax = json::SyntaxError{0, "exceeded max depth"};
      return syntax->to_error().with_context("read " + std::string(name));
    }
    std::string text = path_.empty() ? message_ : path_ + ": " + message_;
    return Error(ErrorCode::Decode, text + " at offset " + std::to_string(offset_))
        .with_context("read " + std::string(name));
  }

  bool mismatch(std::size_t offset, std::string message) {
    if (in_.failed()) return false;
    offset_ = offset;
    message_ = std::move(message);
    return false;
  }

  std::string_view found() const {
    switch (in_.peek()) {
      case '{':
        return "an object";
      case '[':
        return "an array";
      case '"':
        return "a string";
      case 't':
      case 'f':
        return "a boolean";
      case 'n':
        return "null";
      default:
        return "a number";
    }
  }

  // The value in front is of another type; or there is none.
  bool wrong_type(std::string_view expected) {
    if (std::string_view("{[\"tfn-0123456789").find(in_.peek()) == std::string_view::npos)
      return in_.fail();
    return mismatch(in_.offset(),
                    "expected " + std::string(expected) + ", found " + std::string(found()));
  }

  bool within_field(std::string_view name, bool good) {
    if (!good && !message_.empty()) {
      const bool joined = path_.empty() || path_.starts_with('[');
      path_ = std::string(name) + (joined ? "" : ".") + path_;
    }
    return good;
  }
  bool within_element(std::size_t index, bool good) {
    if (!good) within_field("[" + std::to_string(index) + "]", good);
    return good;
  }
  bool within_member(bool good) {
    if (!good)
      within_field(
          "[" + std::string(in_.failed() ? std::string_view() : std::string_view(key_text_)) + "]",
          good);
    return good;
  }

  bool read_message(const TypeDescriptor& type, void* object, int depth) {
    if (type.json_form != JsonForm::Object) return read_form(type, object, depth);
    if (in_.peek() != '{') return wrong_type("an object");
    if (++depth > json::max_depth) return in_.fail();
    StrictFields::Seen seen;
    for (bool more = in_.begin_object(); more; more = in_.next_member()) {
      std::size_t place = find_place(type.keys, in_.key());
      if (place == 0 && !unusual_key(type, depth, place, seen)) return false;
      if (place == 0) continue;
      const FieldDescriptor& field = *type.keys.fields[place - 1];
      if (strict_ != nullptr) strict_->meet(seen, place + 1, field.json);
      if (in_.peek() == 'n') {
        if (!in_.read_null()) return false;
        continue;
      }
      if (strict_ != nullptr) strict_->enter(field.json);
      if (!within_field(field.json,
                        read_field(field, static_cast<char*>(object) + field.offset, depth))) {
        return false;
      }
      if (strict_ != nullptr) strict_->leave();
    }
    return !in_.failed();
  }

  // A type that is not the object of its fields.
  bool read_form(const TypeDescriptor& type, void* object, int depth) {
    const auto read = [&](std::size_t place) {
      const FieldDescriptor& field = type.fields[place];
      return read_field(field, static_cast<char*>(object) + field.offset, depth);
    };
    if (type.json_form == JsonForm::List) return read(0);
    const char c = in_.peek();
    const bool is_bool = type.json_form == JsonForm::SchemaOrBool;
    const FieldDescriptor& schema = type.fields[is_bool ? 1 : 0];
    // Nothing stays of an earlier value under the same key.
    schema.ops->clear(static_cast<char*>(object) + schema.offset);
    if (is_bool) {
      if (c == 't' || c == 'f') return read(0);
      if (c != '{') return wrong_type("a boolean or an object");
      *reinterpret_cast<bool*>(static_cast<char*>(object) + type.fields[0].offset) = true;
      return read(1);
    }
    const FieldDescriptor& list = type.fields[1];
    void* const elements = static_cast<char*>(object) + list.offset;
    if (list.ops != nullptr) {
      list.ops->clear(elements);
    } else {
      static_cast<HeldList<ValueKind::String>*>(elements)->clear();
    }
    if (c == '[') return read(1);
    return c == '{' ? read(0) : wrong_type("an object or an array");
  }

  // A key that isn't found as it stands: written with escapes, one of the two that say the type, or
  // unknown. The value is read unless `place` is found.
  bool unusual_key(const TypeDescriptor& type, int depth, std::size_t& place,
                   StrictFields::Seen& seen) {
    std::string_view key = in_.key();
    if (key.find('\\') != std::string_view::npos) {
      key_text_.clear();
      if (!in_.read_key_text(key_text_)) return false;
      key = key_text_;
      place = find_place(type.keys, key);
      if (place != 0) return true;
    }
    const bool names_type = !type.kind.empty() && (key == "kind" || key == "apiVersion");
    if (strict_ != nullptr) {
      if (names_type) {
        strict_->meet(seen, key == "kind" ? 0 : 1, key);
      } else {
        strict_->report("unknown field", key);
      }
    }
    if (names_type && depth == 1 && in_.peek() == '"') {
      return key == "kind" ? check_type("kind", type.kind)
                           : check_type("apiVersion", api_version_of(type));
    }
    return in_.skip();
  }

  bool check_type(std::string_view key, std::string_view expected) {
    const std::size_t offset = in_.offset();
    std::string found;
    if (!in_.read_string(found)) return false;
    if (found == expected || found.empty()) return true;
    return within_field(key, mismatch(offset, "expected \"" + std::string(expected) +
                                                  "\", found \"" + found + "\""));
  }

  bool read_field(const FieldDescriptor& field, void* member, int depth) {
    if (field.kind == ValueKind::Message) return read_messages(field, member, depth);
    // The two most frequent ones without a detour.
    if (field.kind == ValueKind::String && field.cardinality == Cardinality::Plain) {
      return read_scalar(KindConstant<ValueKind::String>(), *static_cast<std::string*>(member));
    }
    return with_kind(field.kind, [&](auto kind) { return read_scalars(kind, field, member); });
  }

  bool read_messages(const FieldDescriptor& field, void* member, int depth) {
    switch (field.cardinality) {
      case Cardinality::Plain:
        return read_message(*field.message, member, depth);
      case Cardinality::Optional:
        return read_message(*field.message, field.ops->make(member, {}), depth);
      case Cardinality::List: {
        if (in_.peek() != '[') return wrong_type("an array");
        field.ops->clear(member);
        if (const std::size_t count = in_.count_elements(); count != 0) {
          field.ops->reserve(member, count);
        } else if (field.nullable) {
          field.ops->set_empty(member);
        }
        std::size_t index = 0;
        for (bool more = in_.begin_array(); more; more = in_.next_element(), ++index) {
          void* element = field.ops->make(member, {});
          if (strict_ != nullptr) strict_->enter(index);
          if (in_.peek() == 'n'
                  ? !in_.read_null()
                  : !within_element(index, read_message(*field.message, element, depth))) {
            return false;
          }
          if (strict_ != nullptr) strict_->leave();
        }
        return !in_.failed();
      }
      case Cardinality::Map: {
        if (in_.peek() != '{') return wrong_type("an object");
        if (field.nullable) field.ops->set_empty(member);
        StrictFields::SeenKeys seen;
        for (bool more = in_.begin_object(); more; more = in_.next_member()) {
          if (!take_key()) return false;
          void* element = field.ops->make(member, key_text_);
          const std::string key = key_text_;
          if (strict_ != nullptr) {
            strict_->meet(seen, key);
            strict_->enter(key);
          }
          const bool good =
              in_.peek() == 'n' ? in_.read_null() : read_message(*field.message, element, depth);
          if (!good) {
            key_text_ = key;
            return within_member(false);
          }
          if (strict_ != nullptr) strict_->leave();
        }
        return !in_.failed();
      }
    }
    return in_.fail();
  }

  // The key of a map's member, into key_text_.
  bool take_key() {
    key_text_.clear();
    if (in_.key().find('\\') != std::string_view::npos) return in_.read_key_text(key_text_);
    key_text_.assign(in_.key());
    return true;
  }

  template <ValueKind kind>
  bool read_scalars(KindConstant<kind> tag, const FieldDescriptor& field, void* member) {
    switch (field.cardinality) {
      case Cardinality::Plain:
        if (kind == ValueKind::Bytes && field.nullable) return read_nullable_bytes(member);
        return read_scalar(tag, *static_cast<Held<kind>*>(member));
      case Cardinality::Optional:
        return read_scalar(tag, static_cast<std::optional<Held<kind>>*>(member)->emplace());
      case Cardinality::List:
        if (!field.nullable) return read_list(tag, *static_cast<HeldList<kind>*>(member));
        return read_nullable(*static_cast<Nullable<HeldList<kind>>*>(member),
                             [&](auto& list) { return read_list(tag, list); });
      case Cardinality::Map:
        if (!field.nullable) return read_map(tag, *static_cast<HeldMap<kind>*>(member));
        return read_nullable(*static_cast<Nullable<HeldMap<kind>>*>(member),
                             [&](auto& map) { return read_map(tag, map); });
    }
    return in_.fail();
  }

  template <class Container, class Read>
  bool read_nullable(Nullable<Container>& nullable, Read read) {
    nullable.set_empty();
    return read(static_cast<Container&>(nullable));
  }
  bool read_nullable_bytes(void* member) {
    return read_nullable(*static_cast<Nullable<std::string>*>(member), [&](std::string& bytes) {
      return read_scalar(KindConstant<ValueKind::Bytes>(), bytes);
    });
  }

  template <ValueKind kind>
  bool read_list(KindConstant<kind> tag, HeldList<kind>& list) {
    if (in_.peek() != '[') return wrong_type("an array");
    list.clear();
    list.reserve(in_.count_elements());
    for (bool more = in_.begin_array(); more; more = in_.next_element()) {
      Held<kind> element{};
      if (in_.peek() == 'n') {
        if (!in_.read_null()) return false;
      } else if (!within_element(list.size(), read_scalar(tag, element))) {
        return false;
      }
      list.push_back(std::move(element));
    }
    return !in_.failed();
  }

  template <ValueKind kind>
  bool read_map(KindConstant<kind> tag, HeldMap<kind>& map) {
    if (in_.peek() != '{') return wrong_type("an object");
    StrictFields::SeenKeys seen;
    for (bool more = in_.begin_object(); more; more = in_.next_member()) {
      if (!take_key()) return false;
      if (strict_ != nullptr) strict_->meet(seen, key_text_);
      // Keys mostly come sorted.
      Held<kind>& value = map.try_emplace(map.end(), key_text_)->second;
      value = Held<kind>{};
      const bool good = in_.peek() == 'n' ? in_.read_null() : read_scalar(tag, value);
      if (!good) return within_member(false);
    }
    return !in_.failed();
  }

  bool read_scalar(KindConstant<ValueKind::Bool>, bool& out) {
    if (in_.peek() != 't' && in_.peek() != 'f') return wrong_type("a boolean");
    return in_.read_bool(out);
  }

  bool read_integer(std::int64_t least, std::int64_t most, std::string_view expected,
                    std::int64_t& out) {
    const char c = in_.peek();
    if (c != '-' && (c < '0' || c > '9')) return wrong_type(expected);
    const std::size_t offset = in_.offset();
    std::string_view text;
    if (!in_.read_number(text)) return false;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (code == std::errc{} && end == text.data() + text.size() && out >= least && out <= most)
      return true;
    return mismatch(offset, "expected " + std::string(expected) + ", found " + std::string(text));
  }
  bool read_scalar(KindConstant<ValueKind::Int32>, std::int32_t& out) {
    std::int64_t value = 0;
    using Limits = std::numeric_limits<std::int32_t>;
    if (!read_integer(Limits::min(), Limits::max(), "an integer of 32 bits", value)) return false;
    out = static_cast<std::int32_t>(value);
    return true;
  }
  bool read_scalar(KindConstant<ValueKind::Int64>, std::int64_t& out) {
    using Limits = std::numeric_limits<std::int64_t>;
    return read_integer(Limits::min(), Limits::max(), "an integer of 64 bits", out);
  }
  bool read_scalar(KindConstant<ValueKind::Double>, double& out) {
    const char c = in_.peek();
    if (c != '-' && (c < '0' || c > '9')) return wrong_type("a number");
    const std::size_t offset = in_.offset();
    std::string_view text;
    if (!in_.read_number(text)) return false;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (code == std::errc{}) return true;
    return mismatch(offset, "expected a number that a double holds, found " + std::string(text));
  }
  bool read_scalar(KindConstant<ValueKind::String>, std::string& out) {
    if (in_.peek() != '"') return wrong_type("a string");
    out.clear();
    return in_.read_string(out);
  }
  bool read_scalar(KindConstant<ValueKind::Bytes>, std::string& out) {
    if (in_.peek() != '"') return wrong_type("a base64 string");
    const std::size_t offset = in_.offset();
    std::string text;
    if (!in_.read_string(text)) return false;
    auto bytes = json::read_base64(text);
    if (!bytes) return mismatch(offset, "expected base64 with padding");
    out = *std::move(bytes);
    return true;
  }

  // A string that `parse` understands.
  template <class T>
  bool read_parsed(std::string_view expected, T& out) {
    if (in_.peek() != '"') return wrong_type(expected);
    const std::size_t offset = in_.offset();
    scratch_.clear();
    if (!in_.read_string(scratch_)) return false;
    auto value = T::parse(scratch_);
    if (!value) return mismatch(offset, value.error().message());
    out = *std::move(value);
    return true;
  }
  bool read_scalar(KindConstant<ValueKind::Time>, Time& out) { return read_parsed("a time", out); }
  bool read_scalar(KindConstant<ValueKind::MicroTime>, MicroTime& out) {
    return read_parsed("a time", out);
  }
  bool read_scalar(KindConstant<ValueKind::Duration>, Duration& out) {
    return read_parsed("a duration", out);
  }

  bool read_scalar(KindConstant<ValueKind::Quantity>, Quantity& out) {
    const char c = in_.peek();
    const std::size_t offset = in_.offset();
    std::string_view text;
    if (c == '"') {
      scratch_.clear();
      if (!in_.read_string(scratch_)) return false;
      text = trim(scratch_);
    } else if (c == '-' || (c >= '0' && c <= '9')) {
      if (!in_.read_number(text)) return false;
    } else {
      return wrong_type("a quantity");
    }
    auto value = Quantity::parse(text);
    if (!value) return mismatch(offset, value.error().message());
    out = *std::move(value);
    return true;
  }

  bool read_scalar(KindConstant<ValueKind::IntOrString>, IntOrString& out) {
    if (in_.peek() == '"') {
      std::string text;
      if (!in_.read_string(text)) return false;
      out = std::move(text);
      return true;
    }
    std::int64_t value = 0;
    using Limits = std::numeric_limits<std::int32_t>;
    if (!read_integer(Limits::min(), Limits::max(), "an integer of 32 bits or a string", value))
      return false;
    out = static_cast<std::int32_t>(value);
    return true;
  }

  bool read_scalar(KindConstant<ValueKind::RawJson>, RawExtension& out) {
    std::string_view text;
    if (!in_.skip(text)) return false;
    out.raw.assign(text);
    return true;
  }

  std::string_view text_;
  const TypeDescriptor& type_;
  json::Reader in_;
  StrictFields* strict_;  // null: unknown and duplicate fields are of no interest
  std::size_t offset_ = 0;
  std::string message_;
  std::string path_;
  std::string key_text_;  // of the member that is being read
  std::string scratch_;
};

}  // namespace

Result<void> read_json(std::string_view text, const TypeDescriptor& type, void* object,
                       const ReadOptions& options) {
  if (!options.strict && options.problems == nullptr)
    return Decoder(text, type, nullptr).read(object);
  StrictFields fields;
  auto read = Decoder(text, type, &fields).read(object);
  if (!read) return read;
  return std::move(fields).finish(options);
}

}  // namespace kube::meta
