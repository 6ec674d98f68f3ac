// SPDX-License-Identifier: Apache-2.0
//
// How stored objects become answers: documents, lists, watch events. One encoding stands for one
// media type and transformation; a further one (protobuf, Table) is a further class.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <kube/json/value.hpp>

#include "event_log.hpp"
#include "negotiation.hpp"
#include "stored_object.hpp"

namespace kube::apiserver {

/// What stands in a list beside its items.
struct ListFacts {
  std::uint64_t revision = 0;
  std::string continue_{};
  std::size_t remaining = 0;  ///< 0: not told.
};

/// Appends to `out`. Immutable; safe from any thread.
class Encoding {
 public:
  virtual ~Encoding() = default;
  virtual std::string_view content_type() const = 0;
  virtual std::string_view watch_content_type() const = 0;

  virtual void object(const Resource& resource, const StoredObject& object,
                      std::string& out) const = 0;
  virtual void list_head(const Resource& resource, const ListFacts& facts,
                         std::string& out) const = 0;
  virtual void list_item(const Resource& resource, const StoredObject& object, bool first,
                         std::string& out) const = 0;
  virtual void list_tail(std::string& out) const = 0;
  /// One event, with the object shown at `revision`.
  virtual void event(const Resource& resource, EventType type, const StoredObject& object,
                     std::uint64_t revision, std::string& out) const = 0;
  /// `initial_end`: the marker behind the initial events.
  virtual void bookmark(const Resource& resource, std::uint64_t revision, bool initial_end,
                        std::string& out) const = 0;
  virtual void error_event(const json::Value& status, std::string& out) const = 0;
};

/// JSON, with or without a transformation.
const Encoding& json_encoding(Transform transform);

/// A JSON document in another media type, ended by a newline.
std::string to_media(std::string json, MediaType media);

}  // namespace kube::apiserver
