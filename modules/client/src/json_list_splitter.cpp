// SPDX-License-Identifier: Apache-2.0
//
// Splits lists in JSON.
#include "json_list_splitter.hpp"

#include <kube/json/object_members.hpp>
#include <kube/json/text.hpp>
#include <kube/json/value.hpp>

namespace kube {
namespace {

// The length of "items" with every character escaped.
constexpr std::size_t kMaxKeyBytes = 32;

bool is_items(std::string_view key) {
  std::string storage;
  const auto name = json::string_value(key, storage);
  return name && *name == "items";
}

}  // namespace

Error JsonListSplitter::error(std::string_view what, std::string_view rest) const {
  return Error(ErrorCode::Decode, std::string(what) + " at byte " +
                                      std::to_string(received_ - rest.size()) + " of the list");
}

Result<void> JsonListSplitter::feed(std::string_view chunk) {
  received_ += chunk.size();
  while (!chunk.empty()) {
    Result<void> done;
    switch (phase_) {
      case Phase::Head:
        done = head(chunk);
        break;
      case Phase::BeforeItem:
      case Phase::AfterItem:
        done = between(chunk);
        break;
      case Phase::InItem:
        done = item(chunk);
        break;
      case Phase::Tail:
        done = tail(chunk);
        break;
    }
    if (!done) return done;
  }
  return {};
}

Result<void> JsonListSplitter::add_to_envelope(std::string_view text) {
  if (envelope_.size() + text.size() > kMaxListEnvelope) {
    return Error(ErrorCode::Decode, "expected a list with at most 1 MiB outside of its items");
  }
  envelope_ += text;
  return {};
}

Result<void> JsonListSplitter::head(std::string_view& chunk) {
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    const char c = chunk[i];
    if (in_string_) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        in_string_ = false;
      }
      if (depth_ == 1 && last_string_.size() < kMaxKeyBytes) last_string_ += c;
      continue;
    }
    if (json::is_space(c)) continue;
    if (c == '[' && depth_ == 1 && after_items_key_) {
      if (auto added = add_to_envelope(chunk.substr(0, i + 1)); !added) return added;
      chunk.remove_prefix(i + 1);
      phase_ = Phase::BeforeItem;
      return {};
    }
    if (c == '"') {
      in_string_ = true;
      last_string_ = c;
      after_items_key_ = false;
    } else if (c == ':') {
      after_items_key_ = depth_ == 1 && is_items(last_string_);
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if (c == '}' || c == ']') {
      if (depth_ == 0) return error("unexpected closing bracket", chunk.substr(i));
      --depth_;
    } else if (depth_ == 0) {
      return error("expected a JSON object", chunk.substr(i));
    }
  }
  auto added = add_to_envelope(chunk);
  chunk = {};
  return added;
}

Result<void> JsonListSplitter::between(std::string_view& chunk) {
  while (!chunk.empty() && json::is_space(chunk.front())) chunk.remove_prefix(1);
  if (chunk.empty()) return {};
  const char c = chunk.front();
  if (c == ']' && !expecting_item_) {
    phase_ = Phase::Tail;
    return {};
  }
  if (phase_ == Phase::AfterItem && c == ',') {
    phase_ = Phase::BeforeItem;
    expecting_item_ = true;
    chunk.remove_prefix(1);
    return {};
  }
  if (phase_ == Phase::BeforeItem && c == '{') {
    phase_ = Phase::InItem;
    expecting_item_ = false;
    object_.reset();
    return {};
  }
  return error(phase_ == Phase::BeforeItem ? "expected an object" : "expected ',' or ']'", chunk);
}

Result<void> JsonListSplitter::item(std::string_view& chunk) {
  const JsonObjectReader::State state = object_.feed(chunk);
  if (state == JsonObjectReader::State::More) return {};
  if (state == JsonObjectReader::State::TooDeep)
    return error("nested deeper than 512 levels", chunk);
  phase_ = Phase::AfterItem;
  on_item_({object_.text(), object_.size(), received_ - chunk.size()});
  return {};
}

Result<void> JsonListSplitter::tail(std::string_view& chunk) {
  auto added = add_to_envelope(chunk);
  chunk = {};
  return added;
}

Result<ListMetadata> JsonListSplitter::finish() {
  if (phase_ != Phase::Head && phase_ != Phase::Tail) {
    return Error(ErrorCode::Unreachable,
                 "the list ended early, after " + std::to_string(received_) + " bytes");
  }
  // Refuse repeated members: neither "items" may be lost.
  auto envelope = json::parse(envelope_, {.reject_duplicate_keys = true});
  if (!envelope) return envelope.error().with_context("the list without its items");
  const json::Object* object = envelope->if_object();
  if (object == nullptr)
    return Error(ErrorCode::Decode, "expected a list, found another JSON value");
  const std::string_view kind = envelope->string_at({"kind"});
  const json::Value* items = object->find("items");
  if (items != nullptr && !items->is_null() && !items->is_array()) {
    return Error(ErrorCode::Decode, "expected an array of items");
  }
  if (items == nullptr && !kind.ends_with("List")) {
    const std::string found =
        kind.empty() ? "an object without items and kind" : "kind \"" + std::string(kind) + '"';
    return Error(ErrorCode::Decode, "expected a list, found " + found);
  }

  ListMetadata facts{std::string(envelope->string_at({"apiVersion"})), std::string(kind), {}};
  facts.info.resource_version = envelope->string_at({"metadata", "resourceVersion"});
  facts.info.continue_ = envelope->string_at({"metadata", "continue"});
  facts.info.remaining_item_count = envelope->int_at({"metadata", "remainingItemCount"});
  return facts;
}

}  // namespace kube
