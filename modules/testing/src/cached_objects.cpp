// SPDX-License-Identifier: Apache-2.0
//
// The source of an informer that has given objects.
#include <kube/testing/cached_objects.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>

#include <kube/base/join.hpp>

namespace kube::testing::detail {
namespace {

class GivenObjects final : public cache::ListerWatcher {
 public:
  explicit GivenObjects(std::string list) : list_(std::move(list)) {}

  std::shared_ptr<transport::Exchange> list(const ListOptions&, std::chrono::milliseconds,
                                            std::shared_ptr<transport::ResponseHandler> handler,
                                            std::stop_token) override {
    handler->on_head({200, {{"Content-Type", std::string(kJsonMediaType)}}});
    handler->on_data(list_);
    handler->on_end({});
    return std::make_shared<Silent>();
  }
  std::shared_ptr<transport::Exchange> watch(const ListOptions&, std::chrono::milliseconds,
                                             std::shared_ptr<transport::ResponseHandler>,
                                             std::stop_token) override {
    return std::make_shared<Silent>();
  }
  bool is_watch_list_semantics_unsupported() const override { return true; }
  std::string to_string() const override { return "given objects"; }

 private:
  struct Silent final : transport::Exchange {
    void resume() override {}
    void cancel() override {}
  };
  const std::string list_;
};

}  // namespace

std::shared_ptr<cache::ListerWatcher> given_objects(const meta::ResourceInfo& resource,
                                                    const std::vector<std::string>& objects,
                                                    const std::vector<std::string>& versions) {
  std::uint64_t newest = 1;
  for (const std::string& version : versions) {
    newest = std::max<std::uint64_t>(newest, std::strtoull(version.c_str(), nullptr, 10));
  }
  return std::make_shared<GivenObjects>(
      R"({"apiVersion":")" + resource.api_version() + R"(","kind":")" + resource.kind +
      R"(List","metadata":{"resourceVersion":")" + std::to_string(newest) + R"("},"items":[)" +
      join(objects, ",") + "]}");
}

void expect_all(const InformerStatus& status, std::size_t objects) {
  if (status.synced && status.objects == objects) return;
  throw std::invalid_argument(status.last_error ? status.last_error->to_string()
                                                : "two of the objects have the same key");
}

}  // namespace kube::testing::detail
