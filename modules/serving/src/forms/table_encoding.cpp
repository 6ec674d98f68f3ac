// SPDX-License-Identifier: Apache-2.0
#include "forms/table_encoding.hpp"

#include <utility>

#include <kube/json/writer.hpp>

#include "documents/metadata.hpp"
#include "forms/json_encoding.hpp"
#include "resources/table_columns.hpp"

namespace kube::serving {
namespace {

class TableEncoding final : public Encoding {
 public:
  TableEncoding(const Accepted& accepted, IncludeObject include, std::shared_ptr<Clock> clock)
      : Encoding(accepted.media),
        api_version_("meta.k8s.io/" + std::string(accepted.meta_version)),
        include_(include),
        clock_(std::move(clock)) {}

  void object(const Resource& resource, const StoredObject& object,
              std::string& out) const override {
    table(resource, object, object.revision, true, out);
  }

  void list_head(const Resource& resource, const ListFacts& facts,
                 std::string& out) const override {
    std::string metadata;
    append_list_metadata(facts, metadata);
    begin(resource, metadata, true, out);
  }
  void list_item(const Resource& resource, const StoredObject& object, bool first,
                 std::string& out) const override {
    if (!first) out += ',';
    row(resource, object, object.revision, out);
  }
  void list_tail(std::string& out) const override { out += "]}\n"; }

  // Ages depend on the time, and only the first event of a stream has the columns.
  bool encodes_alike() const override { return false; }

  void event(const Resource& resource, EventType type, const StoredObject& object,
             std::uint64_t revision, bool first, std::string& out) const override {
    out += "{\"type\":\"";
    out += event_name(type);
    out += "\",\"object\":";
    table(resource, object, revision, first, out);
    out += "}\n";
  }

  void bookmark(const Resource& resource, std::uint64_t revision, bool initial_end, bool first,
                std::string& out) const override {
    std::string metadata;
    append_bookmark_metadata(revision, initial_end, metadata);
    out += "{\"type\":\"BOOKMARK\",\"object\":";
    begin(resource, "{\"resourceVersion\":\"" + std::to_string(revision) + "\"}", first, out);
    const json::Value nothing = json::Object{{"metadata", json::Object{}}};
    out += "{\"cells\":";
    json::dump_to(resource.columns->cells(nothing, clock_->wall_now()), out);
    out += ",\"object\":";
    if (include_ == IncludeObject::None && !initial_end) {
      out += "null";
    } else {
      out += '{';
      const bool whole = include_ == IncludeObject::Object;
      append_type_meta(whole ? std::string_view(resource.gvk.kind) : "PartialObjectMetadata",
                       whole ? resource.gvk.api_version() : api_version_, out);
      out += ",\"metadata\":" + metadata + "}";
    }
    out += "}]}}\n";
  }

  void error_event(const json::Value& status, std::string& out) const override {
    out += "{\"type\":\"ERROR\",\"object\":";
    json::dump_to(status, out);
    out += "}\n";
  }

 private:
  void begin(const Resource& resource, std::string_view metadata, bool with_columns,
             std::string& out) const {
    out += '{';
    append_type_meta("Table", api_version_, out);
    out += ",\"metadata\":";
    out += metadata;
    out += ",\"columnDefinitions\":";
    json::dump_to(with_columns ? json::Value(resource.columns->definitions()) : json::Value{}, out);
    out += ",\"rows\":[";
  }

  void table(const Resource& resource, const StoredObject& object, std::uint64_t revision,
             bool with_columns, std::string& out) const {
    begin(resource, "{\"resourceVersion\":\"" + std::to_string(revision) + "\"}", with_columns,
          out);
    row(resource, object, revision, out);
    out += "]}";
  }

  void row(const Resource& resource, const StoredObject& object, std::uint64_t revision,
           std::string& out) const {
    // The columns of a built-in kind belong to the version in which it is stored.
    const auto content =
        resource.is_custom() ? decode_object(object, resource) : decode_stored(object, resource);
    out += "{\"cells\":";
    json::dump_to(content ? resource.columns->cells(*content, clock_->wall_now()) : json::Array{},
                  out);
    if (const std::string_view conditions = content && resource.kind->row_conditions != nullptr
                                                ? resource.kind->row_conditions(*content)
                                                : std::string_view{};
        !conditions.empty()) {
      out += ",\"conditions\":";
      out += conditions;
    }
    out += ",\"object\":";
    if (include_ == IncludeObject::None) {
      out += "null";
    } else if (include_ == IncludeObject::Object) {
      append_document(resource, object, revision, out);
    } else {
      append_partial_metadata(resource, object, revision, api_version_, out);
    }
    out += '}';
  }

  const std::string api_version_;
  const IncludeObject include_;
  const std::shared_ptr<Clock> clock_;
};

}  // namespace

EncodingPtr make_table_encoding(const Accepted& accepted, IncludeObject include,
                                std::shared_ptr<Clock> clock) {
  return std::make_shared<const TableEncoding>(accepted, include, std::move(clock));
}

}  // namespace kube::serving
