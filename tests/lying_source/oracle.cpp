// SPDX-License-Identifier: Apache-2.0
#include "oracle.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include <kube/base/call_user_code.hpp>

#include "witness.hpp"

namespace kube::lying {

using cache::Cell;
using cache::CellRef;
using cache::CellUser;
using cache::Store;

namespace {

constexpr const char* kConsistent = "the store is consistent with itself";

struct CellsSink final : cache::CellSink {
  void take(std::span<const Cell* const> found) override {
    for (const Cell* cell : found) cells.emplace_back(*cell);
  }
  std::vector<CellRef> cells;
};

using ByValue = std::map<std::string, std::set<const Cell*>>;

void expect_index(const Store& store, std::string_view index, const ByValue& expected,
                  Findings& findings) {
  const std::vector<std::string> values = store.list_index_values(index);
  if (values.size() != expected.size()) {
    findings.add(kConsistent, "index " + std::string(index) + " has " +
                                  std::to_string(values.size()) + " values, its objects have " +
                                  std::to_string(expected.size()));
  }
  for (const auto& [value, cells] : expected) {
    CellsSink sink;
    const auto found = store.by_index(index, value, sink);
    std::set<const Cell*> indexed;
    for (const CellRef& cell : sink.cells) indexed.insert(cell.get());
    if (!found || indexed != cells || sink.cells.size() != cells.size() ||
        store.count(index, value) != cells.size()) {
      findings.add(kConsistent, "index " + std::string(index) + " has other objects of \"" +
                                    printable(value) + "\" than the store");
    }
  }
}

void expect_object(const Store& store, const TrueObject& object, const Kind& kind, const char* rule,
                   Findings& findings) {
  const CellUser user = store.get(object.key());
  if (user.get() == nullptr) {
    findings.add(rule, "lacks " + object.key());
    return;
  }
  const CellRef cell = user.ref();
  if (cell->uid() != object.uid || cell->resource_version() != std::to_string(object.version)) {
    findings.add(rule, "has " + show(cell.get()) + " of uid " + printable(cell->uid()) +
                           ", true is " + object.key() + "@" + std::to_string(object.version) +
                           " of uid " + object.uid);
    return;
  }
  const Result<Content> content = kind.content_of(cell);
  if (!content || *content != Content{object.app, object.node}) {
    findings.add(rule, object.key() + " has other content: " +
                           (content ? printable(content->app + "/" + content->node)
                                    : printable(content.error().to_string())));
  }
}

}  // namespace

std::vector<CellRef> cells_of(const Store& store) {
  CellsSink sink;
  store.list(sink);
  return std::move(sink.cells);
}

void expect_consistent(const Store& store, const Kind& kind, Findings& findings) {
  const std::vector<CellRef> cells = cells_of(store);
  std::size_t bytes = 0;
  std::set<std::string_view> keys;
  ByValue namespaces;
  ByValue contents;
  for (const CellRef& cell : cells) {
    bytes += cell->memory();
    keys.insert(cell->key());
    const CellUser by_key = store.get(cell->key());
    const CellUser by_name = store.get(cell->namespace_(), cell->name());
    if (by_key.get() != cell.get() || by_name.get() != cell.get()) {
      findings.add(kConsistent, show(cell.get()) + " is not found by its key");
    }
    namespaces[std::string(cell->namespace_())].insert(cell.get());
    const auto values = call_user_code("index", [&] { return index_values(kind, cell); });
    if (!values) continue;  // left out
    for (const std::string& value : *values) contents[value].insert(cell.get());
  }
  if (keys.size() != cells.size()) findings.add(kConsistent, "two objects have one key");
  if (store.size() != cells.size() || store.list_keys().size() != cells.size()) {
    findings.add(kConsistent, "has " + std::to_string(cells.size()) + " objects, says " +
                                  std::to_string(store.size()));
  }
  if (store.bytes() != bytes) {
    findings.add(kConsistent, "objects have " + std::to_string(bytes) + " bytes, it says " +
                                  std::to_string(store.bytes()));
  }
  expect_index(store, cache::kNamespaceIndex, namespaces, findings);
  expect_index(store, kContentIndex, contents, findings);
}

void expect_true(const Store& store, const TrueObjects& truth, const Kind& kind,
                 Findings& findings) {
  constexpr const char* kRule = "once the source is honest, the cache equals the truth";
  for (const auto& [key, object] : truth) expect_object(store, object, kind, kRule, findings);
  for (const CellRef& cell : cells_of(store)) {
    if (!truth.contains(std::string(cell->key()))) {
      findings.add(kRule, "has " + show(cell.get()) + ", which there is not");
    }
  }
}

void expect_steady(const Store& store, const TrueObjects& truth, const Kind& kind,
                   Findings& findings) {
  for (const auto& [key, object] : truth) {
    if (object.steady) {
      expect_object(store, object, kind, "what the source states consistently is right", findings);
    }
  }
}

void expect_stated(const Store& store, const StatedObjects& stated, const Kind& kind,
                   Findings& findings) {
  constexpr const char* kRule = "the cache has what the source stated last";
  for (const CellRef& cell : cells_of(store)) {
    const auto expected = stated.find(std::string(cell->key()));
    if (expected == stated.end()) {
      findings.add(kRule, "has " + show(cell.get()) + ", which was taken back");
      continue;
    }
    const StatedObject& object = expected->second;
    const Result<Content> content = kind.content_of(cell);
    if (cell->uid() != object.uid || cell->resource_version() != object.version || !content ||
        *content != object.content) {
      findings.add(kRule, "has " + show(cell.get()) + " of uid " + printable(cell->uid()) +
                              (content ? ", " + content->app + "/" + content->node : "") +
                              "; stated was @" + printable(object.version) + " of uid " +
                              printable(object.uid) + ", " + object.content.app + "/" +
                              object.content.node);
    }
  }
  for (const auto& [key, object] : stated) {
    const CellUser stored = store.get(key);
    if (stored.get() == nullptr) {
      findings.add(kRule, "lacks " + printable(key) + "@" + printable(object.version));
    }
  }
}

void expect_explained(const InformerStatus& status, Findings& findings) {
  if (status.state == InformerState::BackingOff && !status.last_error) {
    findings.add("an informer that fails says why", "backs off without a last_error");
  }
  if (!status.last_error) return;
  const std::string text = status.last_error->to_string();
  if (status.last_error->message().empty()) {
    findings.add("an informer that fails says why", "the message is empty: " + printable(text));
  }
  if (text.find(kCanary) != std::string::npos) {
    findings.add("no secret is part of an error", printable(text));
  }
}

}  // namespace kube::lying
