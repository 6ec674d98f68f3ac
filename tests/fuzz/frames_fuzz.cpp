// SPDX-License-Identifier: Apache-2.0
//
// Lists and watches as they arrive: how the bytes are cut doesn't matter, and what comes out is
// what parsing the whole body finds: json::parse() and meta::from_protobuf() are the oracles.
//
// Input: '0' a list in JSON, '1' a watch in JSON, '2' a list in protobuf, '3' a watch in protobuf;
// how many lengths of chunks there are ('0' to '7'), those (one byte each), the body.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "list_decoder.hpp"
#include "watch_decoder.hpp"

#include <kube/api/example/v1.hpp>
#include <kube/cache/cached.hpp>
#include <kube/client/list.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/codec/wire.hpp>
#include <kube/json/value.hpp>
#include <kube/names/validation.hpp>

namespace {

using namespace kube;
using namespace kube::cache;
using example::v1::Everything;

void expect(bool holds, int line = __builtin_LINE()) {
  if (holds) return;
  std::fprintf(stderr, "line %d: does not hold\n", line);
  std::abort();
}

void expect_same(const std::vector<std::string>& whole, const std::vector<std::string>& pieces) {
  if (whole == pieces) return;
  for (const auto& [name, texts] : {std::pair("whole", &whole), std::pair("in pieces", &pieces)}) {
    for (const std::string& text : *texts) std::fprintf(stderr, "%s: %s\n", name, text.c_str());
  }
  std::abort();
}

using Chunks = std::vector<std::string_view>;

Chunks cut(std::string_view body, std::string_view lengths) {
  Chunks chunks;
  for (std::size_t i = 0; !body.empty(); ++i) {
    const std::size_t length =
        lengths.empty() ? body.size()
                        : std::size_t{1} + static_cast<unsigned char>(lengths[i % lengths.size()]);
    chunks.push_back(body.substr(0, length));
    body.remove_prefix(chunks.back().size());
  }
  return chunks;
}

std::string text_of(const Cell& cell) {
  std::string text;
  for (const std::string_view part :
       {cell.key(), cell.uid(), cell.resource_version(), cell.body()}) {
    text += std::to_string(part.size()) + ':';
    text += part;
  }
  return text;
}

// One type that any kind fits, as that of unstructured objects does, and one of protobuf.
const CellType& type_of(Encoding encoding) {
  return encoding == Encoding::Json ? cell_type<Unstructured>() : cell_type<Everything>();
}

template <class Decoder>
std::optional<Error> feed(Decoder& decoder, const Chunks& chunks) {
  for (const std::string_view chunk : chunks) {
    if (auto fed = decoder.feed(chunk); !fed) return fed.error();
  }
  return std::nullopt;
}

struct ListRun {
  std::vector<Arrived> items{};
  std::optional<Error> error{};
  ListInfo meta{};
  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const Arrived& item : items) {
      all.push_back(item.refused ? item.refused->error.to_string() : text_of(*item.delta.cell));
    }
    all.push_back(meta.resource_version + '|' + meta.continue_ + '|' +
                  (meta.remaining_item_count ? std::to_string(*meta.remaining_item_count) : ""));
    if (error) all.push_back(error->to_string());
    return all;
  }
};

ListRun read_list(Encoding encoding, const Chunks& chunks) {
  ListRun run;
  ListDecoder decoder(type_of(encoding), StoragePolicy::Wire,
                      [&](Arrived item) { run.items.push_back(std::move(item)); });
  decoder.begin(encoding);
  run.error = feed(decoder, chunks);
  if (run.error) return run;
  auto meta = decoder.finish();
  if (meta) {
    run.meta = *std::move(meta);
  } else {
    run.error = meta.error();
  }
  return run;
}

std::string_view type_of_event(const Arrived& event) {
  if (event.ends_watch()) return "ERROR";
  if (event.delta.type == DeltaType::Added) return "ADDED";
  if (event.delta.type == DeltaType::Updated) return "MODIFIED";
  return event.delta.type == DeltaType::Deleted ? "DELETED" : "BOOKMARK";
}

struct WatchRun {
  std::vector<Arrived> events{};
  std::optional<Error> error{};
  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const Arrived& event : events) {
      const cache::Delta& delta = event.delta;
      all.push_back(std::string(type_of_event(event)) + (delta.is_initial ? "|end|" : "|") +
                    (event.refused ? event.refused->error.to_string() : "") +
                    (delta.cell ? text_of(*delta.cell) : ""));
    }
    if (error) all.push_back(error->to_string());
    return all;
  }
};

WatchRun read_watch(Encoding encoding, const Chunks& chunks) {
  WatchRun run;
  WatchDecoder decoder(type_of(encoding), StoragePolicy::Wire,
                       [&](Arrived event) { run.events.push_back(std::move(event)); });
  decoder.begin(encoding);
  run.error = feed(decoder, chunks);
  if (run.error) return run;
  if (auto finished = decoder.finish(); !finished) run.error = finished.error();
  return run;
}

// An object that a cell can be made of, as far as JSON is concerned: metadata with a name that a
// path can have.
bool is_good(const json::Value& object, bool nameless) {
  const json::Value* metadata = object.at_path({"metadata"});
  if (metadata == nullptr || !metadata->is_object()) return false;
  for (const std::string_view key : {"name", "namespace", "uid", "resourceVersion"}) {
    const json::Value* part = metadata->at_path({key});
    if (part != nullptr && !part->is_null() && !part->is_string()) return false;
    if (part != nullptr && part->string_or_empty().size() > 65535) return false;
    if (nameless) continue;
    if (key == "name" && (part == nullptr || part->string_or_empty().empty())) return false;
    if ((key == "name" || key == "namespace") && part != nullptr &&
        !meta::is_path_segment_name(part->string_or_empty())) {
      return false;
    }
  }
  return true;
}

// The cell is made of `object`, which has no key twice.
void expect_same(const Cell& cell, const json::Value& object) {
  const auto own = json::parse(cell.body());
  expect(own && *own == object);
  const Unstructured whole(object);
  expect(cell.name() == whole.name() && cell.namespace_() == whole.namespace_());
  expect(cell.uid() == whole.uid() && cell.resource_version() == whole.resource_version());
}

// What nests deeper than a document may, but not than an item may, is no concern here.
bool is_deep(std::string_view body) {
  std::size_t brackets = 0;
  for (const char c : body) brackets += c == '{' || c == '[';
  return brackets > 500;
}

void check_json_list(std::string_view body, const ListRun& run) {
  if (is_deep(body)) return;
  const auto any = json::parse(body);
  const auto unique = json::parse(body, {.reject_duplicate_keys = true});
  bool items_are_json = true;
  for (const Arrived& item : run.items) {
    if (item.refused || !json::parse(item.delta.cell->body())) items_are_json = false;
  }
  // Only the insides of items are left for later.
  if (!run.error && items_are_json) expect(any.has_value());
  if (!unique || !unique->is_object()) return;

  const Unstructured list(*unique);
  const json::Value* items = unique->at_path({"items"});
  const bool is_list =
      items != nullptr ? items->is_null() || items->is_array() : list.kind().ends_with("List");
  json::Array all;
  if (items != nullptr && items->is_array()) all = *items->if_array();
  bool objects = true;
  for (const json::Value& item : all) objects = objects && item.is_object();
  if (run.error) {
    expect(!is_list || !objects);
    return;
  }
  expect(run.items.size() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    expect(is_good(all[i], false) == !run.items[i].refused);
    const CellRef& cell = run.items[i].delta.cell;
    if (cell) expect_same(*cell, all[i]);
  }
  expect(run.meta.resource_version == list.resource_version());
  expect(run.meta.continue_ == list.continue_());
  expect(run.meta.remaining_item_count == list.remaining_item_count());
}

// The end of the object that begins at `at`, as the parser sees it: the shortest text that parses.
std::size_t end_of_object(std::string_view body, std::size_t at) {
  for (std::size_t end = body.find('}', at); end != body.npos; end = body.find('}', end + 1)) {
    if (json::parse(body.substr(at, end + 1 - at))) return end + 1;
  }
  return body.npos;
}

bool is_known(std::string_view type) {
  return type == "ADDED" || type == "MODIFIED" || type == "DELETED" || type == "BOOKMARK" ||
         type == "ERROR";
}

void check_json_watch(std::string_view body, const WatchRun& run) {
  if (is_deep(body)) return;
  std::size_t at = 0;
  for (std::size_t i = 0;; ++i) {
    at = std::min(body.find_first_not_of(" \t\r\n", at), body.size());
    if (at == body.size()) return expect(!run.error && run.events.size() == i);
    const std::size_t end = body[at] == '{' ? end_of_object(body, at) : body.npos;
    if (end == body.npos) return;  // from here on, it is no stream of JSON objects
    const auto frame = json::parse(body.substr(at, end - at), {.reject_duplicate_keys = true});
    if (!frame) return;
    at = end;
    const json::Value* type = frame->at_path({"type"});
    const json::Value* object = frame->at_path({"object"});
    const std::string_view text = type == nullptr ? "" : type->string_or_empty();
    const bool is_bookmark = text == "BOOKMARK";
    const bool is_event = object != nullptr && object->is_object() && is_known(text);
    const bool is_good_event =
        is_event && (text == "ERROR" || !is_bookmark || is_good(*object, true));
    if (!is_good_event) return expect(run.error.has_value() && run.events.size() == i);
    expect(run.events.size() > i);
    const Arrived& event = run.events[i];
    expect(type_of_event(event) == text);
    const bool is_refused = text == "ERROR" || !is_good(*object, is_bookmark);
    const CellRef& cell = event.delta.cell;
    expect(static_cast<bool>(cell) != is_refused);
    expect(static_cast<bool>(event.refused) == is_refused);
    if (cell) expect_same(*cell, *object);
  }
}

void expect_decodes_to_the_same(const Cell& cell) {
  Everything value;
  if (!meta::read_protobuf(cell.body(), Everything::descriptor(), &value)) return;
  expect(cell.name() == value.metadata.name && cell.namespace_() == value.metadata.namespace_);
  expect(cell.uid() == value.metadata.uid);
  expect(cell.resource_version() == value.metadata.resource_version);
}

void check_protobuf_list(std::string_view body, const ListRun& run) {
  for (const Arrived& item : run.items) {
    if (item.delta.cell) expect_decodes_to_the_same(*item.delta.cell);
  }
  const auto whole = meta::from_protobuf<example::v1::EverythingList>(body);
  if (!whole) return;
  // Of several lists the last counts, for who sees the whole. It has been read: it can be walked.
  int lists = 0;
  for (const meta::wire::Field& field :
       meta::wire::Fields(body.substr(meta::kProtobufMagic.size()))) {
    lists += field.number() == 2 ? 1 : 0;
  }
  if (lists != 1) return expect(run.error.has_value());
  // Without a kind it is a list only for who knows the type.
  const auto envelope = meta::open_envelope(body);
  if (!envelope || envelope->kind.empty()) return expect(run.error.has_value());
  if (run.error) {
    // So it is with kinds and content types.
    const std::string problem = run.error->to_string();
    expect(problem.find("found kind") != std::string::npos ||
           problem.find("found \"") != std::string::npos);
  } else {
    expect(run.items.size() == whole->items.size());
    expect(run.meta.resource_version == whole->metadata.resource_version);
    expect(run.meta.continue_ == whole->metadata.continue_);
    expect(run.meta.remaining_item_count == whole->metadata.remaining_item_count);
  }
}

void check_protobuf_watch(const WatchRun& run) {
  for (const Arrived& event : run.events) {
    if (event.delta.cell) expect_decodes_to_the_same(*event.delta.cell);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.size() < 2) return 0;
  const Encoding encoding = (input[0] & 2) != 0 ? Encoding::Protobuf : Encoding::Json;
  const bool is_watch = (input[0] & 1) != 0;
  const std::size_t count = static_cast<unsigned char>(input[1]) & 7U;
  input.remove_prefix(2);
  const std::string_view lengths = input.substr(0, count);
  const std::string body(input.substr(lengths.size()));
  const Chunks whole = cut(body, {});
  const Chunks pieces = cut(body, lengths);

  if (is_watch) {
    const WatchRun run = read_watch(encoding, whole);
    expect_same(run.texts(), read_watch(encoding, pieces).texts());
    if (encoding == Encoding::Json) {
      check_json_watch(body, run);
    } else {
      check_protobuf_watch(run);
    }
  } else {
    const ListRun run = read_list(encoding, whole);
    expect_same(run.texts(), read_list(encoding, pieces).texts());
    if (encoding == Encoding::Json) {
      check_json_list(body, run);
    } else {
      check_protobuf_list(body, run);
    }
  }
  return 0;
}
