// SPDX-License-Identifier: Apache-2.0
#include "operations.hpp"

#include <benchmark/benchmark.h>
#include <simdjson.h>

#include <cstring>
#include <memory>

#include <kube/codec/codec.hpp>
#include <kube/codec/field_view.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/json/reader.hpp>

#include "allocations.hpp"

namespace kube::bench {
namespace {

using benchmark::DoNotOptimize;
using core::v1::Pod;
using std::string;

// The allocator's part of an operation: the same blocks without the work.
Operation allocations_of(const Operation& operation, std::vector<Sample>& samples) {
  struct Recorded {
    const Sample* sample;
    Allocations allocations;
  };
  auto recorded = std::make_shared<std::vector<Recorded>>();
  std::size_t count = 0;
  for (Sample& sample : samples) {
    operation.run(sample);  // what is only done once
    recorded->push_back({&sample, Allocations::of([&] { operation.run(sample); })});
    count += recorded->back().allocations.count();
  }
  return {.name = operation.name + "_allocations",
          .title = "  its " + std::to_string(count / samples.size()) + " allocations alone",
          .run = [recorded, next = std::size_t{0}](Sample&) mutable {
            (*recorded)[next].allocations.replay();
            next = (next + 1) % recorded->size();
          }};
}

// simdjson's own way through a document: every key and every value is looked at, nothing is kept.
void walk(simdjson::ondemand::value value, std::size_t& sum) {
  switch (value.type()) {
    case simdjson::ondemand::json_type::object:
      for (auto field : value.get_object()) {
        sum += field.unescaped_key().value().size();
        walk(field.value(), sum);
      }
      return;
    case simdjson::ondemand::json_type::array:
      for (auto element : value.get_array()) walk(element.value(), sum);
      return;
    case simdjson::ondemand::json_type::string:
      sum += value.get_string().value().size();
      return;
    default:
      sum += value.raw_json_token().size();
      return;
  }
}

Operation on_demand_walk() {
  struct State {
    simdjson::ondemand::parser parser;
    string text;
  };
  auto state = std::make_shared<State>();
  return {.name = "walk_json",
          .title = "  limit: simdjson on demand, nothing kept",
          .run = [state](Sample& sample) {
            state->text.assign(sample.json);
            state->text.reserve(sample.json.size() + simdjson::SIMDJSON_PADDING);
            std::size_t sum = 0;
            auto document = state->parser.iterate(state->text);
            walk(document.get_value().value(), sum);
            DoNotOptimize(sum);
          }};
}

Operation copy_bytes(string name, string Sample::*bytes) {
  auto copy = std::make_shared<string>();
  return {
      .name = std::move(name), .title = "  limit: memcpy of the bytes", .run = [=](Sample& sample) {
        const string& from = sample.*bytes;
        copy->resize(from.size());
        std::memcpy(copy->data(), from.data(), from.size());
        DoNotOptimize(copy->data());
        benchmark::ClobberMemory();
      }};
}

Operation view(string name, const char* path, string Sample::*bytes, string compared) {
  auto locator =
      std::make_shared<meta::FieldLocator>(meta::FieldLocator::compile<Pod>(path).value());
  auto scratch = std::make_shared<string>();
  return {.name = std::move(name),
          .title = "  " + string(path),
          .asked = 20,
          .compared = std::move(compared),
          .run = [=](Sample& sample) {
            const auto field = locator->find(sample.*bytes);
            DoNotOptimize(field->text(*scratch).value().data());
          }};
}

// A subtree: the owner references are decoded, nothing else.
Operation view_owners(string name, string Sample::*bytes, string compared) {
  auto locator = std::make_shared<meta::FieldLocator>(
      meta::FieldLocator::compile<Pod>("metadata.ownerReferences").value());
  return {.name = std::move(name),
          .title = "  metadata.ownerReferences, decoded",
          .compared = std::move(compared),
          .run = [=](Sample& sample) {
            const auto field = locator->find(sample.*bytes);
            DoNotOptimize(field->read<std::vector<meta::OwnerReference>>());
          }};
}

}  // namespace

std::vector<Operation> operations(std::vector<Sample>& samples) {
  std::vector<Operation> all;
  const auto add_views = [&](const string& encoding, string Sample::*bytes) {
    const string decode = "decode_" + encoding;
    // A label that every pod has; the recorded one has none under this name, which costs as much.
    all.push_back(view("label_" + encoding, "metadata.labels['pod-template-hash']", bytes, decode));
    all.push_back(view("node_name_" + encoding, "spec.nodeName", bytes, decode));
    all.push_back(view("phase_" + encoding, "status.phase", bytes, decode));
    all.push_back(view_owners("owners_" + encoding, bytes, decode));
  };

  all.push_back(
      {.name = "decode_protobuf",
       .title = "protobuf decode",
       .peer = "decode_protobuf",
       .asked = 3,
       .run = [](Sample& sample) { DoNotOptimize(meta::from_protobuf<Pod>(sample.protobuf)); }});
  all.push_back(allocations_of(all.back(), samples));
  all.push_back({.name = "encode_protobuf",
                 .title = "protobuf encode",
                 .peer = "encode_protobuf",
                 .asked = 3,
                 .run = [](Sample& sample) { DoNotOptimize(meta::to_protobuf(sample.pod)); }});
  all.push_back(copy_bytes("memcpy_protobuf", &Sample::protobuf));
  all.push_back({.name = "decode_json",
                 .title = "JSON decode",
                 .peer = "decode_json",
                 .asked = 6,
                 .run = [](Sample& sample) { DoNotOptimize(meta::from_json<Pod>(sample.json)); }});
  all.push_back(on_demand_walk());
  all.push_back({.name = "encode_json",
                 .title = "JSON encode",
                 .peer = "encode_json",
                 .asked = 4,
                 .run = [](Sample& sample) { DoNotOptimize(meta::to_json(sample.pod)); }});
  all.push_back(copy_bytes("memcpy_json", &Sample::json));
  all.push_back(
      {.name = "copy", .title = "deep copy", .peer = "copy", .asked = 2, .run = [](Sample& sample) {
         DoNotOptimize(Pod(sample.pod));
       }});
  all.push_back(allocations_of(all.back(), samples));
  const auto compare = [](Sample& sample) { DoNotOptimize(sample.pod == sample.equal); };
  all.push_back({.name = "compare",
                 .title = "compare (Semantic.DeepEqual)",
                 .peer = "compare",
                 .asked = 2,
                 .run = compare});
  all.push_back({.name = "compare_reflect",
                 .title = "compare (reflect.DeepEqual)",
                 .peer = "compare_reflect",
                 .asked = 2,
                 .run = compare});
  add_views("protobuf", &Sample::protobuf);
  add_views("json", &Sample::json);
  return all;
}

}  // namespace kube::bench
