// SPDX-License-Identifier: Apache-2.0
//
// How stored objects become answers: documents, lists, watch events. One encoding stands for one
// media type and transformation.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

#include "forms/negotiation.hpp"
#include "storage/event_log.hpp"
#include "storage/stored_object.hpp"

namespace kube::apiserver {

/// What stands in a list beside its items.
struct ListFacts {
  std::uint64_t revision = 0;
  std::string continue_{};
  std::size_t remaining = 0;   ///< 0: not told.
  std::size_t items_size = 0;  ///< Sum of item_size(), for encodings that need it.
};

/// Appends to `out`. Immutable; safe from any thread.
class Encoding {
 public:
  explicit Encoding(MediaType media) : media_(media) {}
  virtual ~Encoding() = default;
  Encoding(const Encoding&) = delete;
  Encoding& operator=(const Encoding&) = delete;

  MediaType media() const { return media_; }
  virtual std::string_view watch_content_type() const { return to_string(media_); }

  virtual void object(const Resource& resource, const StoredObject& object,
                      std::string& out) const = 0;

  /// Whether list_head() has to know how long the items are.
  virtual bool needs_sizes() const { return false; }
  /// What list_item() appends, in bytes.
  virtual std::size_t item_size(const Resource&, const StoredObject&) const { return 0; }
  virtual void list_head(const Resource& resource, const ListFacts& facts,
                         std::string& out) const = 0;
  virtual void list_item(const Resource& resource, const StoredObject& object, bool first,
                         std::string& out) const = 0;
  virtual void list_tail(std::string& out) const = 0;

  /// Whether an event always has the same bytes, so that watches may share them. The encodings of
  /// which this is true are one object for each form.
  virtual bool encodes_alike() const { return true; }
  /// One event, with the object shown at `revision`. `first`: of its stream.
  virtual void event(const Resource& resource, EventType type, const StoredObject& object,
                     std::uint64_t revision, bool first, std::string& out) const = 0;
  /// `initial_end`: the marker behind the initial events.
  virtual void bookmark(const Resource& resource, std::uint64_t revision, bool initial_end,
                        bool first, std::string& out) const = 0;
  virtual void error_event(const json::Value& status, std::string& out) const = 0;

 private:
  const MediaType media_;
};

using EncodingPtr = std::shared_ptr<const Encoding>;

/// What stands in the rows of tables beside the cells.
enum class IncludeObject : std::uint8_t { Metadata, None, Object };

/// `clock` tells the ages in tables, the encoding of which is an object of its own.
EncodingPtr make_encoding(const Accepted& accepted, IncludeObject include,
                          std::shared_ptr<Clock> clock);

/// "ADDED", "MODIFIED", "DELETED".
std::string_view event_name(EventType type);

/// A JSON document in YAML or JSON, ended by a newline.
std::string to_media(std::string json, MediaType media);

}  // namespace kube::apiserver
