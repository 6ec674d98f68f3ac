// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <stdexcept>
#include <utility>

#include <kube/api/core/v1/pod.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/protobuf.hpp>

#include "../codec/pods.hpp"
#include "cases.hpp"

namespace kube::bench {
namespace {

using core::v1::Pod;

constexpr unsigned kDecodedPods = 50;

std::string message_of(const Pod& pod) {
  std::string message;
  meta::write_protobuf(&pod, Pod::descriptor(), message);
  return message;
}

/// A run that applies `work` to what `make` makes of each pod.
template <class Make, class Work>
QuickCase each_pod(std::string name, Make make, Work work) {
  return {std::move(name), "pod", kDecodedPods, [make, work] {
            auto inputs = std::make_shared<std::vector<decltype(make(Pod()))>>();
            for (unsigned i = 0; i < kDecodedPods; ++i) inputs->push_back(make(running_pod(i)));
            return [inputs, work] {
              for (const auto& input : *inputs) work(input);
            };
          }};
}

}  // namespace

std::vector<QuickCase> codec_cases() {
  const auto as_is = [](Pod pod) { return pod; };
  const auto to_json = [](const Pod& pod) { return meta::to_json(pod); };
  return {
      each_pod("decode_json", to_json,
               [](const std::string& text) {
                 if (!meta::from_json<Pod>(text)) throw std::runtime_error("decode_json");
               }),
      each_pod("decode_protobuf", message_of,
               [](const std::string& message) {
                 Pod pod;
                 if (!meta::read_protobuf(message, Pod::descriptor(), &pod)) {
                   throw std::runtime_error("decode_protobuf");
                 }
               }),
      each_pod("encode_json", as_is,
               [](const Pod& pod) {
                 if (meta::to_json(pod).empty()) throw std::runtime_error("encode_json");
               }),
      each_pod("encode_protobuf", as_is,
               [](const Pod& pod) {
                 if (message_of(pod).empty()) throw std::runtime_error("encode_protobuf");
               }),
  };
}

}  // namespace kube::bench
