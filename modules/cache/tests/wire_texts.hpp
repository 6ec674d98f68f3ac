// SPDX-License-Identifier: Apache-2.0
//
// What a server sends, and cells of it, for tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kube/cache/detail/cell.hpp>

namespace kube::cache::testing {

/// {"apiVersion":"v1","kind":"Pod",...}. `key` is "namespace/name" or "name"; `more` is put behind
/// the metadata's own members, `rest` behind the metadata.
inline std::string object_text(std::string_view key, std::string_view version,
                               std::string_view more = {}, std::string_view rest = {},
                               std::string_view uid = {}) {
  const std::size_t slash = key.find('/');
  std::string text = R"({"apiVersion":"v1","kind":"Pod","metadata":{)";
  if (slash != std::string_view::npos) {
    text += R"("namespace":")" + std::string(key.substr(0, slash)) + R"(",)";
  }
  text += R"("name":")" + std::string(key.substr(slash + 1)) + '"';
  text += R"(,"uid":")" + (uid.empty() ? "uid-" + std::string(key) : std::string(uid)) + '"';
  text += R"(,"resourceVersion":")" + std::string(version) + '"';
  if (!more.empty()) text += ',' + std::string(more);
  text += '}';
  if (!rest.empty()) text += ',' + std::string(rest);
  return text + '}';
}

inline std::string list_text(const std::vector<std::string>& items, std::string_view version,
                             std::string_view continue_ = {}) {
  std::string text = R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":")" +
                     std::string(version) + '"';
  if (!continue_.empty()) text += R"(,"continue":")" + std::string(continue_) + '"';
  text += R"(},"items":[)";
  for (std::size_t i = 0; i < items.size(); ++i) text += (i == 0 ? "" : ",") + items[i];
  return text + "]}\n";
}

inline std::string event_text(std::string_view type, std::string_view object) {
  return R"({"type":")" + std::string(type) + R"(","object":)" + std::string(object) + "}\n";
}

inline std::string bookmark_text(std::string_view version, std::string_view end = {}) {
  std::string object = R"({"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":")" +
                       std::string(version) + '"';
  if (!end.empty()) {
    object += R"(,"annotations":{"k8s.io/initial-events-end":")" + std::string(end) + R"("})";
  }
  return event_text("BOOKMARK", object + "}}");
}

/// `more` is put behind the code: "details":{...}.
inline std::string status_text(int code, std::string_view reason, std::string_view message,
                               std::string_view more = {}) {
  return R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":")" +
         std::string(message) + R"(","reason":")" + std::string(reason) + R"(","code":)" +
         std::to_string(code) + (more.empty() ? "" : "," + std::string(more)) + "}";
}

/// Bodies are texts: they decode to a std::string.
inline const CellType& text_type() {
  static const CellType type{[](Encoding, std::string_view body) -> Result<void*> {
                               return static_cast<void*>(new std::string(body));
                             },
                             [](void* object) { delete static_cast<std::string*>(object); },
                             sizeof(std::string)};
  return type;
}

inline CellRef make_cell(std::string_view key, std::string_view version, std::string_view body = {},
                         std::string_view uid = "uid") {
  const std::size_t slash = key.find('/');
  Cell::Parts parts;
  if (slash != std::string_view::npos) parts.namespace_ = key.substr(0, slash);
  parts.name = key.substr(slash + 1);
  parts.uid = uid;
  parts.resource_version = version;
  parts.body = body;
  return Cell::make(text_type(), parts);
}

}  // namespace kube::cache::testing
