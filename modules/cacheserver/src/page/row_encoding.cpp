// SPDX-License-Identifier: Apache-2.0
#include "page/row_encoding.hpp"

#include <chrono>
#include <string>
#include <utility>

#include <kube/json/writer.hpp>

#include "resources/table_columns.hpp"

namespace kube::cacheserver {
namespace {

using serving::EventType;
using serving::Resource;
using serving::StoredObject;

json::Array column_names(const Resource& resource) {
  json::Array out;
  for (const json::Value& each : resource.columns->definitions()) {
    out.emplace_back(each.string_at({"name"}));
  }
  return out;
}

void append_line(json::Object event, const Resource& resource, bool first, WallTime now,
                 std::string& out) {
  if (first) {
    event.set("columns", column_names(resource));
    event.set("now", std::chrono::floor<std::chrono::milliseconds>(now.time_since_epoch()).count());
  }
  json::dump_to(json::Value(std::move(event)), out);
  out += '\n';
}

class RowEncoding final : public serving::Encoding {
 public:
  explicit RowEncoding(std::shared_ptr<Clock> clock)
      : Encoding(serving::MediaType::Json), clock_(std::move(clock)) {}

  // Only watches have rows.
  void object(const Resource&, const StoredObject&, std::string&) const override {}
  void list_head(const Resource&, const serving::ListFacts&, std::string&) const override {}
  void list_item(const Resource&, const StoredObject&, bool, std::string&) const override {}
  void list_tail(std::string&) const override {}

  // Ages depend on the time.
  bool encodes_alike() const override { return false; }
  void event(const Resource& resource, EventType type, const StoredObject& object, std::uint64_t,
             bool first, std::string& out) const override {
    json::Object labels;
    for (const auto& [key, value] : object.labels) labels.set(key, value);
    json::Object row{{"type", serving::event_name(type)},
                     {"key", object.key()},
                     {"namespace", object.namespace_},
                     {"name", object.name},
                     {"labels", std::move(labels)}};
    const auto content = serving::decode_object(object, resource);
    const WallTime now = clock_->wall_now();
    row.set("cells", content ? resource.columns->cells(*content, now) : json::Array{});
    row.set("times", content ? resource.columns->times(*content) : json::Object{});
    append_line(std::move(row), resource, first, now, out);
  }
  void bookmark(const Resource& resource, std::uint64_t, bool initial_end, bool first,
                std::string& out) const override {
    append_line({{"type", initial_end ? "SYNCED" : "BOOKMARK"}}, resource, first,
                clock_->wall_now(), out);
  }
  void error_event(const json::Value& status, std::string& out) const override {
    json::dump_to(json::Object{{"type", "ERROR"}, {"message", status.string_at({"message"})}}, out);
    out += '\n';
  }

 private:
  const std::shared_ptr<Clock> clock_;
};

}  // namespace

serving::EncodingPtr make_row_encoding(std::shared_ptr<Clock> clock) {
  return std::make_shared<const RowEncoding>(std::move(clock));
}

}  // namespace kube::cacheserver
