// SPDX-License-Identifier: Apache-2.0
#include "object_parts.hpp"

#include <limits>

#include "json_scan.hpp"
#include "protobuf_scan.hpp"

#include <kube/base/joined.hpp>
#include <kube/json/writer.hpp>
#include <kube/meta/validation.hpp>

namespace kube::cache {
namespace {

constexpr std::size_t kMaxPart = std::numeric_limits<std::uint16_t>::max();

Error bad_part(std::string_view key) {
  return Error(ErrorCode::Decode,
               "expected a string of at most 65535 bytes in metadata." + std::string(key));
}

Error no_metadata() {
  return Error(ErrorCode::Decode, "expected an object with metadata");
}

// Every client has to be able to ask for an object by its path, and no two may have the same key.
Result<void> check_path_segment(std::string_view member, std::string_view text) {
  if (meta::is_path_segment_name(text)) return {};
  constexpr std::size_t shown = 253;  // bytes, the longest name that most kinds may have
  std::string message = "metadata." + std::string(member) + " ";
  json::write_string(text.substr(0, shown), message);
  if (text.size() > shown) message += "...";
  return Error(ErrorCode::InvalidArgument,
               message + " " + joined(meta::validate_path_segment_name(text), ", "));
}

struct Member {
  std::string_view key;
  std::uint32_t number;  // in protobuf
  std::string_view Cell::Parts::*part;
};
constexpr Member kMembers[] = {{"name", 1, &Cell::Parts::name},
                               {"namespace", 3, &Cell::Parts::namespace_},
                               {"uid", 5, &Cell::Parts::uid},
                               {"resourceVersion", 6, &Cell::Parts::resource_version}};

}  // namespace

CellMaker::CellMaker(const CellType& type, StoragePolicy policy,
                     std::optional<ObjectDefaults> defaults)
    : type_(&type), policy_(policy), defaults_(std::move(defaults)) {}

Result<CellRef> CellMaker::make(std::string_view object, bool nameless) {
  Cell::Parts parts;
  bool has_kind = false;
  bool has_metadata = false;
  std::optional<Error> problem;

  const auto read_metadata = [&](const JsonMember& member) {
    unsigned found = 0;
    for (std::size_t i = 0; i < std::size(kMembers); ++i) {
      if (!(parts.*kMembers[i].part).empty()) ++found;
      if (member.key != kMembers[i].key) continue;
      if (member.value == "null") break;
      auto text = string_value(member.value, storage_[i]);
      if (!text || text->size() > kMaxPart) {
        problem = bad_part(kMembers[i].key);
        return false;
      }
      parts.*kMembers[i].part = *text;
      ++found;
    }
    return found < std::size(kMembers);
  };
  const auto walked = for_each_member(object, [&](const JsonMember& member) {
    if (member.key == "kind") has_kind = true;
    if (member.key == "metadata" && member.value.starts_with('{')) {
      has_metadata = true;
      auto inner = for_each_member(member.value, read_metadata);
      if (!inner) problem = inner.error().with_context("metadata");
    }
    // Only a missing kind makes it worth to look behind the metadata.
    return !problem && !(has_metadata && (has_kind || !defaults_));
  });
  if (problem) return *problem;
  if (!walked) return walked.error();
  if (!has_metadata) return no_metadata();
  parts.body = object;
  if (defaults_ && !has_kind) {
    spliced_ = "{\"apiVersion\":";
    json::write_string(defaults_->api_version, spliced_);
    spliced_ += ",\"kind\":";
    json::write_string(defaults_->kind, spliced_);
    spliced_ += ',';
    spliced_ += object.substr(object.find('{') + 1);
    parts.body = spliced_;
  }
  return make(parts, nameless);
}

Result<CellRef> CellMaker::make_from_message(std::string_view message, bool nameless) {
  Cell::Parts parts;
  parts.encoding = Encoding::Protobuf;
  parts.body = message;
  bool has_metadata = false;
  std::optional<Error> problem;
  const auto read_metadata = [&](std::uint32_t number, std::string_view text) {
    for (const Member& member : kMembers) {
      if (member.number != number) continue;
      if (text.size() > kMaxPart) problem = bad_part(member.key);
      parts.*member.part = text;
    }
    return !problem;
  };
  const auto walked = for_each_field(message, [&](std::uint32_t number, std::string_view value) {
    if (number != field::metadata) return true;
    has_metadata = true;
    const auto inner = for_each_field(value, read_metadata);
    if (!inner) problem = inner.error().with_context("metadata");
    return !problem;
  });
  if (problem) return *problem;
  if (!walked) return walked.error();
  if (!has_metadata) return no_metadata();
  return make(parts, nameless);
}

Result<CellRef> CellMaker::make(const Cell::Parts& parts, bool nameless) const {
  if (!nameless) {
    if (parts.name.empty()) {
      return Error(ErrorCode::Decode, "expected an object with metadata.name");
    }
    if (auto ok = check_path_segment("name", parts.name); !ok) return ok.error();
    if (auto ok = check_path_segment("namespace", parts.namespace_); !ok) return ok.error();
  }
  if (parts.body.size() > std::numeric_limits<std::uint32_t>::max()) {
    return Error(ErrorCode::Decode, "expected an object of less than 4 GiB");
  }
  if (policy_ == StoragePolicy::Wire || nameless) return Cell::make(*type_, parts);

  // One that can't be decoded stays bytes, so that whoever looks at it hears why.
  auto decoded = type_->decode(parts.encoding, parts.body);
  return decoded ? Cell::make_decoded(*type_, parts, *decoded) : Cell::make(*type_, parts);
}

}  // namespace kube::cache
