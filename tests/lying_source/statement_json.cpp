// SPDX-License-Identifier: Apache-2.0
#include <kube/json/writer.hpp>

#include "statement_writers.hpp"

namespace kube::lying {
namespace {

/// The members of a JSON object, with their commas.
class Members {
 public:
  explicit Members(std::string& out) : out_(out) { out_ += '{'; }
  void end() { out_ += '}'; }
  std::string& key(std::string_view name) {
    if (!first_) out_ += ',';
    first_ = false;
    out_ += '"';
    out_ += name;
    out_ += "\":";
    return out_;
  }
  void raw(std::string_view name, std::string_view json) { key(name) += json; }
  void text(std::string_view name, std::string_view text) { json::write_string(text, key(name)); }
  void said(std::string_view name, const Said& said) {
    if (said.as == Said::As::Text) text(name, said.text);
    if (said.as == Said::As::Other) raw(name, said.text);
  }

 private:
  std::string& out_;
  bool first_ = true;
};

void write_labels(const ObjectStatement& object, Members& metadata) {
  std::string& out = metadata.key("labels");
  if (object.shape == Shape::Labels) {
    out += R"(["app"])";
  } else if (object.shape == Shape::BadUtf8) {
    out += "{\"app\":\"\xc3\x28\xff\"}";
  } else {
    Members labels(out);
    labels.text("app", object.app);
    labels.end();
  }
}

void write_metadata(const ObjectStatement& object, const std::string& initial_events_end,
                    std::string& out) {
  Members metadata(out);
  metadata.said("name", object.name);
  metadata.said("namespace", object.namespace_);
  metadata.said("uid", object.uid);
  metadata.said("resourceVersion", object.version);
  if (!object.app.empty()) write_labels(object, metadata);
  if (object.padding != 0 || !initial_events_end.empty()) {
    Members annotations(metadata.key("annotations"));
    if (object.padding != 0) annotations.text("padding", std::string(object.padding, 'p'));
    if (!initial_events_end.empty()) {
      annotations.text("k8s.io/initial-events-end", initial_events_end);
    }
    annotations.end();
  }
  metadata.end();
}

void write_object(const ObjectStatement& object, const std::string& initial_events_end,
                  std::string& out) {
  switch (object.shape) {
    case Shape::Null:
      out += "null";
      return;
    case Shape::Number:
      out += "17";
      return;
    case Shape::Text:
      out += R"("object")";
      return;
    case Shape::Array:
      out += R"([{"metadata":{"name":"a"}}])";
      return;
    case Shape::Empty:
      out += "{}";
      return;
    default:
      break;
  }
  Members members(out);
  if (object.with_kind || object.shape == Shape::OtherKind) {
    members.text("apiVersion", "v1");
    members.text("kind", object.shape == Shape::OtherKind ? "Service" : "Pod");
  }
  if (object.shape == Shape::NullMetadata) {
    members.raw("metadata", "null");
  } else if (object.shape == Shape::TextMetadata) {
    members.raw("metadata", R"("name")");
  } else if (object.shape == Shape::ListMetadata) {
    members.raw("metadata", R"([{"name":"a"}])");
  } else if (object.shape != Shape::NoMetadata) {
    write_metadata(object, initial_events_end, members.key("metadata"));
  }
  if (object.shape == Shape::TwiceMetadata) {
    members.raw("metadata", R"({"name":"twice","namespace":"x","resourceVersion":"2"})");
  }
  if (!object.node.empty()) {
    Members spec(members.key("spec"));
    spec.text("nodeName", object.node);
    spec.end();
  }
  if (object.shape == Shape::Deep) {
    members.raw("status", std::string(kTooDeep, '[') + std::string(kTooDeep, ']'));
  }
  members.end();
}

}  // namespace

std::string write_json(const ListStatement& list) {
  std::string out;
  const auto write_items = [&](Members& members) {
    if (list.items_instead) {
      if (!list.items_instead->empty()) members.raw("items", *list.items_instead);
      return;
    }
    std::string& text = members.key("items");
    text += '[';
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      if (i != 0) text += ',';
      write_object(list.items[i], {}, text);
    }
    text += ']';
  };
  Members members(out);
  if (!list.kind.empty()) members.text("kind", list.kind);
  members.text("apiVersion", "v1");
  if (list.metadata_instead) {
    if (!list.metadata_instead->empty()) members.raw("metadata", *list.metadata_instead);
  } else {
    Members metadata(members.key("metadata"));
    metadata.said("resourceVersion", list.version);
    metadata.said("continue", list.token);
    metadata.end();
  }
  if (list.envelope_padding != 0) {
    members.text("padding", std::string(list.envelope_padding, 'p'));
  }
  write_items(members);
  if (list.items_twice) write_items(members);
  members.end();
  out += '\n';
  return out;
}

std::string write_json(const StatusStatement& status) {
  if (!status.instead.empty()) return status.instead;
  std::string out;
  Members members(out);
  members.text("kind", "Status");
  members.text("apiVersion", "v1");
  members.raw("metadata", "{}");
  members.text("status", "Failure");
  if (status.message) members.text("message", *status.message);
  if (!status.reason.empty()) members.text("reason", status.reason);
  if (status.retry_after || !status.cause.empty()) {
    Members details(members.key("details"));
    if (status.retry_after) {
      details.raw("retryAfterSeconds", std::to_string(*status.retry_after));
    }
    if (!status.cause.empty()) {
      details.raw("causes", R"([{"reason":")" + status.cause + R"("}])");
    }
    details.end();
  }
  if (status.code != 0) members.raw("code", std::to_string(status.code));
  members.end();
  return out;
}

std::string write_json(const EventStatement& event) {
  std::string out;
  Members members(out);
  members.said("type", event.type);
  if (event.status) {
    members.raw("object", write_json(*event.status));
  } else if (event.object) {
    write_object(*event.object, event.initial_events_end, members.key("object"));
  }
  members.end();
  out += '\n';
  return out;
}

}  // namespace kube::lying
