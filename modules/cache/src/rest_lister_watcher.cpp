// SPDX-License-Identifier: Apache-2.0
//
// Lists and watches of an informer, on RestClient, and what a source is declared to support.
#include <atomic>
#include <utility>

#include <kube/cache/lister_watcher.hpp>
#include <kube/codec/query.hpp>

namespace kube::cache {
namespace {

class RestListerWatcher final : public ListerWatcher {
 public:
  RestListerWatcher(RestClient client, ResourcePath path, std::string label_selector,
                    std::string field_selector, Encoding preferred, ResponseForm form)
      : client_(std::move(client)),
        path_(std::move(path)),
        label_selector_(std::move(label_selector)),
        field_selector_(std::move(field_selector)),
        has_protobuf_(preferred == Encoding::Protobuf),
        form_(form) {}

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
  bool note_response(const Error& refusal) override {
    ContentChoice sent;
    if (asked_for_more_) sent.accept = kProtobufMediaType;
    return client_.note_response(path_.resource.group_resource(), sent, refusal);
  }
  std::string to_string() const override { return path_.to_string(); }

 private:
  /// An exchange that has ended before it began.
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
    request.accept = client_.content_for(path_.resource.group_resource(), has_protobuf_).accept;
    asked_for_more_ = request.accept != kJsonMediaType;
    if (form_ == ResponseForm::Metadata) {
      request.accept = accept_metadata(request.accept, request.verb == "list");
    }
    if (idle_timeout.count() > 0) request.idle_timeout = idle_timeout;
    return client_.start(request, std::move(handler), std::move(stop));
  }

  const RestClient client_;
  const ResourcePath path_;
  const std::string label_selector_;
  const std::string field_selector_;
  const bool has_protobuf_;
  const ResponseForm form_;
  std::atomic<bool> asked_for_more_{false};  // whether the last request asked for more than JSON
};

/// A source whose support of streams is declared.
class DeclaredSource final : public ListerWatcher {
 public:
  DeclaredSource(std::shared_ptr<ListerWatcher> source, bool unsupported)
      : source_(std::move(source)), unsupported_(unsupported) {}

  std::shared_ptr<transport::Exchange> list(const ListOptions& options,
                                            std::chrono::milliseconds idle_timeout,
                                            std::shared_ptr<transport::ResponseHandler> handler,
                                            std::stop_token stop) override {
    return source_->list(options, idle_timeout, std::move(handler), std::move(stop));
  }
  std::shared_ptr<transport::Exchange> watch(const ListOptions& options,
                                             std::chrono::milliseconds idle_timeout,
                                             std::shared_ptr<transport::ResponseHandler> handler,
                                             std::stop_token stop) override {
    return source_->watch(options, idle_timeout, std::move(handler), std::move(stop));
  }
  bool note_response(const Error& refusal) override { return source_->note_response(refusal); }
  bool is_watch_list_semantics_unsupported() const override { return unsupported_; }
  std::string to_string() const override { return source_->to_string(); }

 private:
  const std::shared_ptr<ListerWatcher> source_;
  const bool unsupported_;
};

}  // namespace

std::shared_ptr<ListerWatcher> to_lister_watcher_with_watch_list_semantics(
    std::shared_ptr<ListerWatcher> source, bool unsupported) {
  return std::make_shared<DeclaredSource>(std::move(source), unsupported);
}

std::shared_ptr<ListerWatcher> rest_lister_watcher(RestClient client, meta::ResourceInfo resource,
                                                   std::string namespace_,
                                                   std::string label_selector,
                                                   std::string field_selector, Encoding preferred,
                                                   ResponseForm form) {
  ResourcePath path;
  path.resource = std::move(resource);
  path.namespace_ = std::move(namespace_);
  return std::make_shared<RestListerWatcher>(std::move(client), std::move(path),
                                             std::move(label_selector), std::move(field_selector),
                                             preferred, form);
}

}  // namespace kube::cache
