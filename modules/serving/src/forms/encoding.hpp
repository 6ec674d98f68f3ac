// SPDX-License-Identifier: Apache-2.0
//
// How stored objects become responses: documents, lists, watch events. There is one encoding for
// each media type and transformation.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

#include "forms/negotiation.hpp"
#include "storage/event_log.hpp"
#include "storage/stored_object.hpp"

namespace kube::serving {

/// The members of a list other than its items.
struct ListFacts {
  std::uint64_t revision = 0;
  std::string continue_{};
  std::size_t remaining = 0;   ///< 0: not known.
  std::size_t items_size = 0;  ///< Sum of item_size(), for encodings that need it.
};

/// Bytes of an object as they are held, and what comes before and after them in its form.
struct Around {
  std::string before{};
  std::string_view bytes{};
  std::string_view after{};  ///< A constant.
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

  /// Whether list_head() needs the size of the items.
  virtual bool needs_sizes() const { return false; }
  /// The number of bytes that list_item() appends.
  virtual std::size_t item_size(const Resource&, const StoredObject&) const { return 0; }
  virtual void list_head(const Resource& resource, const ListFacts& facts,
                         std::string& out) const = 0;
  virtual void list_item(const Resource& resource, const StoredObject& object, bool first,
                         std::string& out) const = 0;
  virtual void list_tail(std::string& out) const = 0;

  // Instead of object(), list_item() and event(), for borrowed objects that are held in this form
  // and large enough to be sent from where they lie; empty for the others.
  virtual std::optional<Around> around_object(const Resource&, const StoredObject&) const {
    return std::nullopt;
  }
  virtual std::optional<Around> around_item(const Resource&, const StoredObject&, bool) const {
    return std::nullopt;
  }
  virtual std::optional<Around> around_event(const Resource&, EventType, const StoredObject&,
                                             std::uint64_t) const {
    return std::nullopt;
  }

  /// Whether an event always has the same bytes, so that watches can share them. Such an encoding
  /// is one object for each form.
  virtual bool encodes_alike() const { return true; }
  /// Appends one event, with the object shown at `revision`. `first`: the first event of its
  /// stream.
  virtual void event(const Resource& resource, EventType type, const StoredObject& object,
                     std::uint64_t revision, bool first, std::string& out) const = 0;
  /// `initial_end`: the marker after the initial events.
  virtual void bookmark(const Resource& resource, std::uint64_t revision, bool initial_end,
                        bool first, std::string& out) const = 0;
  virtual void error_event(const json::Value& status, std::string& out) const = 0;

 private:
  const MediaType media_;
};

using EncodingPtr = std::shared_ptr<const Encoding>;

/// What the rows of tables have besides the cells.
enum class IncludeObject : std::uint8_t { Metadata, None, Object };

/// `clock` is for the ages in tables; each table encoding is an object of its own.
EncodingPtr make_encoding(const Accepted& accepted, IncludeObject include,
                          std::shared_ptr<Clock> clock);

/// "ADDED", "MODIFIED", "DELETED".
std::string_view event_name(EventType type);

/// Returns a JSON document as YAML, with the members of objects in order, or as JSON, with a
/// newline at the end.
std::string to_media(std::string json, MediaType media);

}  // namespace kube::serving
