// SPDX-License-Identifier: Apache-2.0
//
// Reads the names and the version of an object from its bytes and makes its cell.
#include "object_parts.hpp"

#include <array>
#include <limits>

#include "metadata_map.hpp"

#include <kube/base/join.hpp>
#include <kube/json/writer.hpp>
#include <kube/names/validation.hpp>

namespace kube::cache {
namespace {

// The maximum size of scratch that is kept for the next object.
constexpr std::size_t kMaxKept = std::size_t{1} << 20;
constexpr std::size_t kMaxPart = std::numeric_limits<std::uint16_t>::max();

Error bad_part(std::string_view key) {
  return Error(ErrorCode::Decode,
               "expected a string of at most 65535 bytes in metadata." + std::string(key));
}

// Clients request objects by path, and two objects must not have the same key.
Result<void> check_path_segment(std::string_view member, std::string_view text) {
  if (meta::is_path_segment_name(text)) return {};
  constexpr std::size_t kShown = 253;  // bytes, the longest name that most kinds may have
  std::string message = "metadata." + std::string(member) + " ";
  json::write_string(text.substr(0, kShown), message);
  if (text.size() > kShown) message += "...";
  return Error(ErrorCode::InvalidArgument,
               message + " " + join(meta::validate_path_segment_name(text), ", "));
}

struct Member {
  std::string_view key;
  std::uint32_t number;  // the field's number in protobuf
  std::string_view Cell::Parts::*part;
};
constexpr Member kMembers[] = {{"name", 1, &Cell::Parts::name},
                               {"namespace", 3, &Cell::Parts::namespace_},
                               {"uid", 5, &Cell::Parts::uid},
                               {"resourceVersion", 6, &Cell::Parts::resource_version}};
constexpr auto kMembersByNumber = [] {
  std::array<const Member*, 7> members{};
  for (const Member& member : kMembers) members[member.number] = &member;
  return members;
}();

/// Returns the apiVersion of meta.k8s.io that a JSON object has; "" for those of other groups.
std::string meta_version_of(std::string_view object) {
  std::string version;
  const auto walked = json::for_each_member(object, [&](const json::Member& member) {
    if (member.key != "apiVersion") return true;
    std::string storage;
    if (const auto text = json::string_value(member.value, storage)) version = *text;
    return false;
  });
  return walked && version.starts_with("meta.k8s.io/") ? version : "";
}

}  // namespace

CellMaker::CellMaker(const CellType& type, StoragePolicy policy, ObjectChanges changes,
                     std::size_t max_object_bytes)
    : type_(&type),
      policy_(policy),
      changes_(std::move(changes)),
      max_object_bytes_(max_object_bytes) {}

CellMaker::Found CellMaker::find_parts(Encoding encoding, std::string_view object,
                                       json::Extent extent) {
  if (encoding == Encoding::Protobuf) return find_parts_in_message(object);
  Found found;
  std::optional<Error> problem;
  const auto read_metadata = [&](const json::Member& member) {
    unsigned have = 0;
    for (std::size_t i = 0; i < std::size(kMembers); ++i) {
      std::string_view& part = found.parts.*kMembers[i].part;
      if (member.key == kMembers[i].key && member.value != "null") {
        auto text = json::string_value(member.value, storage_[i]);
        if (!text || text->size() > kMaxPart) {
          problem = bad_part(kMembers[i].key);
          return false;
        }
        part = *text;
      }
      if (!part.empty()) ++have;
    }
    // Duplicates of these members are found when the object is decoded: Cell::decode().
    return have < std::size(kMembers);
  };
  const auto walked = json::for_each_member(
      object,
      [&](const json::Member& member) {
        if (member.key == "kind") {
          found.has_kind = true;
          found.is_table = member.value == R"("Table")";
        }
        if (member.key == "metadata" && member.value.starts_with('{')) {
          found.has_metadata = true;
          auto inner = json::for_each_member(member.value, read_metadata, extent);
          if (!inner && extent == json::Extent::Whole)
            problem = inner.error().with_context("metadata");
        }
        // The members after metadata matter only when kind is missing.
        return !problem && !(found.has_metadata && (found.has_kind || !changes_.defaults));
      },
      extent);
  if (!walked && extent == json::Extent::Whole) found.read = walked;
  if (problem) found.read = *problem;
  return found;
}

CellMaker::Found CellMaker::find_parts_in_message(std::string_view message) {
  Found found;
  found.parts.encoding = Encoding::Protobuf;
  meta::wire::Fields fields(message);
  for (const meta::wire::Field& top : fields) {
    if (top.number() != field::kMetadata || !top.is_bytes()) continue;
    found.has_metadata = true;
    meta::wire::Fields metadata(top.value);
    std::uint32_t last = 0;
    found.parts.metadata_in_order = true;
    for (const meta::wire::Field& part : metadata) {
      found.parts.metadata_in_order &= part.number() >= std::exchange(last, part.number());
      if (part.number() >= kMembersByNumber.size() || !part.is_bytes()) continue;
      const Member* member = kMembersByNumber[part.number()];
      if (member == nullptr) continue;
      if (part.value.size() > kMaxPart) {
        found.read = bad_part(member->key);
        return found;
      }
      found.parts.*member->part = part.value;
    }
    if (metadata.fault()) {
      found.read = metadata.error().with_context("metadata");
      return found;
    }
  }
  if (fields.fault()) found.read = fields.error();
  return found;
}

Result<void> CellMaker::check(const Found& found, bool nameless) {
  if (!found.read) return found.read;
  if (!found.has_metadata) return Error(ErrorCode::Decode, "expected an object with metadata");
  if (nameless) return {};
  if (found.parts.name.empty()) {
    return Error(ErrorCode::Decode, "expected an object with metadata.name");
  }
  if (auto ok = check_path_segment("name", found.parts.name); !ok) return ok;
  return check_path_segment("namespace", found.parts.namespace_);
}

// Keeps the server's version, whatever happens to the object.
Error CellMaker::refuse(const Found& found, const Error& why) {
  refused_version_ = found.read ? found.parts.resource_version : std::string_view();
  return why;
}

Result<CellRef> CellMaker::make(Encoding encoding, std::string_view object, bool nameless) {
  Found found = find_parts(encoding, object, json::Extent::Whole);
  // A cache of any kind would take it for an object. Types with a descriptor read their own fields.
  if (found.is_table && type_->descriptor == nullptr) {
    if (const std::string version = meta_version_of(object); !version.empty()) {
      return refuse(found, Error(ErrorCode::Decode,
                                 "expected an object, found a Table of " + version +
                                     ", which is a form of the response and not the object"));
    }
  }
  if (auto ok = check(found, nameless); !ok) return refuse(found, ok.error());
  if (nameless) {
    found.parts.body = object;
  } else if (auto set = set_body(object, found.has_kind, found.parts); !set) {
    return refuse(found, set.error());
  }
  return make(found.parts, nameless);
}

Result<void> CellMaker::set_body(std::string_view object, bool has_kind, Cell::Parts& parts) {
  parts.body = object;
  if (changes_.drop_fields) {
    if (dropped_.capacity() > kMaxKept) dropped_ = {};
    const meta::FieldDropper& dropper = *changes_.drop_fields;
    const auto rest = parts.encoding == Encoding::Protobuf
                          ? dropper.drop_in_message(object, dropped_)
                          : dropper.drop_in_json(object, dropped_);
    if (!rest) return rest.error();
    parts.body = *rest;
  }
  if (changes_.defaults && parts.encoding == Encoding::Json && !has_kind) {
    if (spliced_.capacity() > kMaxKept) spliced_ = {};
    spliced_ = "{\"apiVersion\":";
    json::write_string(changes_.defaults->api_version, spliced_);
    spliced_ += ",\"kind\":";
    json::write_string(changes_.defaults->kind, spliced_);
    spliced_ += ',';
    spliced_ += parts.body.substr(parts.body.find('{') + 1);
    parts.body = spliced_;
  }
  return {};
}

Arrived CellMaker::too_large(DeltaType type, Encoding encoding, std::string_view beginning,
                             std::uint64_t size) {
  const Error error(ErrorCode::Decode, "expected at most " + std::to_string(max_object_bytes_) +
                                           " bytes, found " + std::to_string(size));
  Found found = find_parts(encoding, beginning, json::Extent::Beginning);
  found.read = {};  // that it is cut off is already known
  if (!check(found, false)) {
    return {{.type = type}, Refusal{error.with_context("object without a name so far")}};
  }
  CellRef whose = Cell::make(*type_, found.parts);
  return {{.type = type, .cell = whose},
          Refusal{error.with_context("object " + std::string(whose->key()))}};
}

Result<CellRef> CellMaker::make(const Cell::Parts& parts, bool nameless) const {
  if (policy_ == StoragePolicy::Wire || nameless) return Cell::make(*type_, parts);

  // An object that can't be decoded is stored as bytes, so that its readers get the error.
  auto decoded = Cell::decode(*type_, parts);
  return decoded ? Cell::make_decoded(*type_, parts, *decoded) : Cell::make(*type_, parts);
}

}  // namespace kube::cache
