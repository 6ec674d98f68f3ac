// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <kube/cache/lister_watcher.hpp>

namespace kube::cache {
namespace {

class RestListerWatcher final : public ListerWatcher {
 public:
  RestListerWatcher(RestClient client, ResourcePath path, std::string label_selector,
                    std::string field_selector)
      : client_(std::move(client)),
        path_(std::move(path)),
        label_selector_(std::move(label_selector)),
        field_selector_(std::move(field_selector)) {}

  std::shared_ptr<transport::Exchange> list(const ListOptions& options,
                                            std::chrono::milliseconds idle_timeout,
                                            std::shared_ptr<transport::ResponseHandler> handler,
                                            std::stop_token stop) override {
    return start("list", options, idle_timeout, std::move(handler), std::move(stop));
  }
  std::shared_ptr<transport::Exchange> watch(const ListOptions& options,
                                             std::chrono::milliseconds idle_timeout,
                                             std::shared_ptr<transport::ResponseHandler> handler,
                                             std::stop_token stop) override {
    return start("watch", options, idle_timeout, std::move(handler), std::move(stop));
  }
  std::string to_string() const override { return path_.to_string(); }

 private:
  /// An exchange that was over before it began.
  struct Ended final : transport::Exchange {
    void resume() override {}
    void cancel() override {}
  };

  std::shared_ptr<transport::Exchange> start(const char* verb, ListOptions options,
                                             std::chrono::milliseconds idle_timeout,
                                             std::shared_ptr<transport::ResponseHandler> handler,
                                             std::stop_token stop) {
    auto path = path_.to_path();
    if (!path) {
      handler->on_end(path.error());
      return std::make_shared<Ended>();
    }
    options.label_selector = label_selector_;
    options.field_selector = field_selector_;
    Request request;
    request.verb = verb;
    request.path = *std::move(path);
    request.query = to_query(options);
    if (request.verb == "watch") request.query.emplace_back("watch", "true");
    request.subject = path_.to_string();
    if (idle_timeout.count() > 0) request.idle_timeout = idle_timeout;
    return client_.start(request, std::move(handler), std::move(stop));
  }

  const RestClient client_;
  const ResourcePath path_;
  const std::string label_selector_;
  const std::string field_selector_;
};

}  // namespace

std::shared_ptr<ListerWatcher> rest_lister_watcher(RestClient client, meta::ResourceInfo resource,
                                                   std::string namespace_,
                                                   std::string label_selector,
                                                   std::string field_selector) {
  ResourcePath path;
  path.resource = std::move(resource);
  path.namespace_ = std::move(namespace_);
  return std::make_shared<RestListerWatcher>(std::move(client), std::move(path),
                                             std::move(label_selector), std::move(field_selector));
}

}  // namespace kube::cache
