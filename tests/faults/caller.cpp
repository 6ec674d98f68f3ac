// SPDX-License-Identifier: Apache-2.0
#include "caller.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <kube/api/core/v1/pod.hpp>

namespace faults {
namespace {

using kube::core::v1::Pod;

constexpr std::chrono::milliseconds kBetween{250};

std::string line_of_pod(const Pod& pod) {
  return line_of(pod.metadata.namespace_, pod.metadata.name, pod.metadata.resource_version);
}

Pod new_pod() {
  Pod pod;
  pod.metadata.namespace_ = "shop";
  pod.metadata.name = "cart";
  return pod;
}

}  // namespace

std::string line_of(std::string_view namespace_, std::string_view name, std::string_view version) {
  std::string line(namespace_);
  line += '/';
  line += name;
  line += '@';
  return line.append(version);
}

void Caller::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Caller::stop() {
  thread_ = {};
}

Caller::Outcome Caller::call(const std::stop_token& stop) const {
  if (kind_ == "list") {
    const auto list = client_.api<Pod>().list_all({}, stop);
    if (!list) return list.error();
    std::vector<std::string> lines;
    std::transform(list->items.begin(), list->items.end(), std::back_inserter(lines), line_of_pod);
    std::sort(lines.begin(), lines.end());
    return lines;
  }
  const auto pods = client_.api<Pod>("shop");
  const auto pod =
      kind_ == "create" ? pods.create(new_pod(), {}, stop) : pods.get("cart", {}, stop);
  if (!pod) return pod.error();
  return std::vector<std::string>{line_of_pod(*pod)};
}

void Caller::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    Outcome outcome = call(stop);
    std::unique_lock lock(mutex_);
    if (outcome) {
      view_ = *std::move(outcome);
    } else {
      said_ = outcome.error().to_string();
    }
    changed_.wait_for(lock, stop, kBetween, [] { return false; });
  }
}

std::vector<std::string> Caller::view() const {
  const std::lock_guard lock(mutex_);
  return view_;
}

void Caller::describe(kube::json::Object& into) const {
  const std::lock_guard lock(mutex_);
  into.set("said", said_);
}

}  // namespace faults
