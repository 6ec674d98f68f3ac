// SPDX-License-Identifier: Apache-2.0
//
// Lists and watches as they arrive: how the bytes are cut doesn't matter, and what comes out is
// what a look at the whole finds.
//
// Input: '0' a list in JSON, '1' a watch in JSON, '2' a list in protobuf, '3' a watch in protobuf;
// how many lengths of chunks there are ('0' to '7'), those (one byte each), the body.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "envelope.hpp"
#include "json_frames.hpp"
#include "list_decoder.hpp"
#include "protobuf_scan.hpp"
#include "watch_decoder.hpp"

#include <kube/api/example/v1.hpp>
#include <kube/cache/cached.hpp>
#include <kube/client/list.hpp>
#include <kube/json/value.hpp>
#include <kube/meta/detail/wire.hpp>
#include <kube/meta/protobuf.hpp>
#include <kube/meta/unstructured.hpp>
#include <kube/meta/validation.hpp>
#include <kube/meta/watch_frames.hpp>

namespace {

using namespace kube;
using namespace kube::cache;
using cache::WatchEvent;
using cache::WatchEventType;
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
  ListMeta meta{};
  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const Arrived& item : items) {
      all.push_back(item.refused ? item.refused->error.to_string() : text_of(*item.cell));
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

struct WatchRun {
  std::vector<WatchEvent> events{};
  std::optional<Error> error{};
  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const WatchEvent& event : events) {
      all.push_back(std::to_string(static_cast<int>(event.type)) + event.type_text +
                    (event.initial_events_end ? "|end|" : "|") +
                    (event.refused ? event.refused->error.to_string() : "") +
                    (event.cell ? text_of(*event.cell) : ""));
    }
    if (error) all.push_back(error->to_string());
    return all;
  }
};

WatchRun read_watch(Encoding encoding, const Chunks& chunks) {
  WatchRun run;
  WatchDecoder decoder(type_of(encoding), StoragePolicy::Wire,
                       [&](WatchEvent event) { run.events.push_back(std::move(event)); });
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
  const auto split = RawList::parse(std::string(body));
  bool items_are_json = true;
  for (const Arrived& item : run.items) {
    if (item.refused || !json::parse(item.cell->body())) items_are_json = false;
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
  if (split) {
    expect(is_list && objects && split->size() == all.size());
    for (std::size_t i = 0; i < all.size(); ++i) expect(*json::parse(split->item(i)) == all[i]);
    expect(split->kind() == list.kind() && split->api_version() == list.api_version());
    expect(split->info().resource_version == list.resource_version());
    expect(split->info().continue_ == list.continue_());
    expect(split->info().remaining_item_count == list.remaining_item_count());
  } else {
    expect(!is_list || !objects);
  }
  if (run.error) {
    expect(!is_list || !objects);
    return;
  }
  expect(run.items.size() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    expect(is_good(all[i], false) == !run.items[i].refused);
    if (run.items[i].cell) expect_same(*run.items[i].cell, all[i]);
  }
  expect(run.meta.resource_version == list.resource_version());
  expect(run.meta.continue_ == list.continue_());
  expect(run.meta.remaining_item_count == list.remaining_item_count());
}

void check_json_watch(std::string_view body, const Chunks& chunks, const WatchRun& run) {
  std::vector<std::string> frames;
  std::vector<std::string> frames_in_pieces;
  JsonFrames whole;
  JsonFrames pieces;
  const auto fed = body.empty() ? Result<void>() : whole.feed(body, frames);
  Result<void> fed_in_pieces;
  for (const std::string_view chunk : chunks) {
    fed_in_pieces = pieces.feed(chunk, frames_in_pieces);
    if (!fed_in_pieces) break;
  }
  expect(frames == frames_in_pieces && fed.has_value() == fed_in_pieces.has_value());
  if (!fed) expect(fed.error().to_string() == fed_in_pieces.error().to_string());
  if (fed) expect(whole.inside_object() == pieces.inside_object());
  if (is_deep(body)) return;

  for (std::size_t i = 0; i < frames.size(); ++i) {
    const auto frame = json::parse(frames[i], {.reject_duplicate_keys = true});
    const auto split = split_event(frames[i]);
    if (!frame) return;  // from here on, the two may be apart
    const json::Value* type = frame->at_path({"type"});
    const json::Value* object = frame->at_path({"object"});
    const bool is_event = object != nullptr && object->is_object();
    expect(split.has_value() == is_event);
    if (is_event) {
      expect(split->type == (type == nullptr ? std::string_view() : type->string_or_empty()));
      expect(*json::parse(split->object) == *object);
    }
    const auto known = watch_event_type(type == nullptr ? "" : type->string_or_empty());
    const bool is_bookmark = known == WatchEventType::Bookmark;
    const bool has_object = known != WatchEventType::Unknown && known != WatchEventType::Error;
    const bool is_refused = has_object && is_event && !is_good(*object, is_bookmark);
    if (i >= run.events.size()) {
      expect(run.error.has_value());
      expect(!is_event || type == nullptr || type->string_or_empty().empty() ||
             (is_bookmark && is_refused));
      return;
    }
    const WatchEvent& event = run.events[i];
    expect(is_event && event.type == known);
    expect(static_cast<bool>(event.cell) == (has_object && !is_refused));
    if (is_refused) expect(event.refused.has_value());
    if (event.cell) expect_same(*event.cell, *object);
    if (known == WatchEventType::Unknown) expect(event.type_text == type->string_or_empty());
  }
  if (fed && !whole.inside_object()) expect(!run.error && run.events.size() == frames.size());
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
    if (item.cell) expect_decodes_to_the_same(*item.cell);
  }
  const auto split = RawList::parse(std::string(body));
  if (!run.error) {
    expect(split && split->encoding() == Encoding::Protobuf);
    expect(split->size() == run.items.size());
    for (std::size_t i = 0; i < run.items.size(); ++i) {
      const CellRef& cell = run.items[i].cell;
      if (cell) expect(split->item(i) == cell->body());
    }
    expect(split->info().resource_version == run.meta.resource_version);
    expect(split->info().continue_ == run.meta.continue_);
    expect(split->info().remaining_item_count == run.meta.remaining_item_count);
  }
  const auto whole = meta::from_protobuf<example::v1::EverythingList>(body);
  if (!whole) return;
  // Of several lists the last counts, for who sees the whole. It has been read: it can be walked.
  int lists = 0;
  (void)for_each_field(body.substr(meta::protobuf_magic.size()),
                       [&](std::uint32_t number, std::string_view) {
                         lists += number == 2 ? 1 : 0;
                         return true;
                       });
  if (lists != 1) return expect(run.error.has_value());
  // Without a kind it is a list only for who knows the type.
  const auto envelope = meta::open_envelope(body);
  if (!envelope || envelope->kind.empty()) return expect(!split && run.error.has_value());
  expect(split && split->size() == whole->items.size());
  expect(split->info().resource_version == whole->metadata.resource_version);
  expect(split->info().continue_ == whole->metadata.continue_);
  if (run.error) {
    // So it is with kinds and content types.
    const std::string problem = run.error->to_string();
    expect(problem.find("found kind") != std::string::npos ||
           problem.find("found \"") != std::string::npos);
  } else {
    expect(run.meta.resource_version == whole->metadata.resource_version);
  }
}

void check_protobuf_watch(const WatchRun& run) {
  for (const WatchEvent& event : run.events) {
    if (event.cell) expect_decodes_to_the_same(*event.cell);
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
      check_json_watch(body, pieces, run);
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
