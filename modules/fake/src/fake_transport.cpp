// SPDX-License-Identifier: Apache-2.0
#include "fake_transport.hpp"

#include <algorithm>

#include <kube/api/types.hpp>
#include <kube/meta/status.hpp>
#include <kube/patch/patch.hpp>
#include <kube/testing/scripted_transport.hpp>

#include "fake_watch_state.hpp"

namespace kube::fake {
namespace {

std::string body_of(const Action& action, const json::Value& value) {
  const json::Array* events = action.verb == "watch" ? value.if_array() : nullptr;
  if (events == nullptr) return json::dump(value);
  std::string body;
  for (const json::Value& event : *events) body += json::dump(event) + "\n";
  return body;
}

// A reader that has paused gets the rest of the answer as long as it holds this.
class Answered final : public transport::Exchange {
 public:
  Answered(std::shared_ptr<testing::ScriptedTransport> transport,
           std::shared_ptr<transport::Exchange> exchange)
      : transport_(std::move(transport)), exchange_(std::move(exchange)) {}
  void resume() override { exchange_->resume(); }
  void cancel() override { exchange_->cancel(); }

 private:
  const std::shared_ptr<testing::ScriptedTransport> transport_;
  const std::shared_ptr<transport::Exchange> exchange_;
};

// Answers the request by itself.
std::shared_ptr<transport::Exchange> answer(testing::ScriptedTransport::Rule rule,
                                            transport::HttpRequest request,
                                            std::shared_ptr<transport::ResponseHandler> handler,
                                            std::stop_token stop) {
  auto scripted = std::make_shared<testing::ScriptedTransport>();
  scripted->once("", "*", std::move(rule));
  auto exchange = scripted->start(std::move(request), std::move(handler), std::move(stop));
  return std::make_shared<Answered>(std::move(scripted), std::move(exchange));
}

void respond(testing::ScriptedCall& call, const Action& action, const Result<json::Value>& result) {
  if (result) {
    call.respond(200, body_of(action, *result));
  } else if (result.error().code() != ErrorCode::Server) {
    call.fail(result.error());
  } else {
    const json::Value status = meta::status_json(result.error());
    call.respond(static_cast<int>(status.int_at({"code"}).value_or(500)), json::dump(status));
  }
}

// The server has no server-side apply: the document is merged into the object, or is a new one.
void apply_otherwise(const Action& action, bool exists, transport::HttpRequest& request) {
  for (const std::string_view force : {"force=true", "force=false"}) {
    const std::size_t at = request.url.find(force, request.url.find('?'));
    if (at != std::string::npos) request.url.erase(at, force.size());
  }
  if (!exists) {
    const std::size_t end = std::min(request.url.find('?'), request.url.size());
    const std::size_t name = request.url.rfind('/', end);
    request.method = "POST";
    request.url.erase(name, end - name);
    request.headers.set("Content-Type", "application/json");
    return;
  }
  const bool known = api::find_type(action.object.string_at({"apiVersion"}),
                                    action.object.string_at({"kind"})) != nullptr;
  const Patch merge = known ? Patch::strategic_merge({}) : Patch::merge({});
  request.headers.set("Content-Type", std::string(merge.content_type()));
}

}  // namespace

testing::ScriptedTransport::Rule FakeClient::Transport::rule_of(const Entry& entry,
                                                                Action& action) {
  if (!entry.watch) {
    Reaction reaction = entry.react(action);
    if (!reaction) return {};
    return [action, result = *std::move(reaction)](testing::ScriptedCall call) {
      respond(call, action, result);
    };
  }
  WatchReaction reaction = entry.watch(action);
  if (!reaction) return {};
  if (!*reaction) {
    return [action, error = reaction->error()](testing::ScriptedCall call) {
      respond(call, action, error);
    };
  }
  const std::shared_ptr<FakeWatch::State> state = (**reaction).state_;
  {
    const MutexLock lock(mutex_);
    std::erase_if(watches_, [](const auto& watch) { return watch.expired(); });
    watches_.push_back(state);
  }
  return [state](testing::ScriptedCall call) {
    if (state->open(call)) return;
    call.fail(Error(ErrorCode::InvalidArgument,
                    "the FakeWatch is read by another request; expected one for each request"));
  };
}

std::shared_ptr<transport::Exchange> FakeClient::Transport::start(
    transport::HttpRequest request, std::shared_ptr<transport::ResponseHandler> handler,
    std::stop_token stop) {
  Action action = action_of(request);
  std::shared_ptr<const Entries> reactors;
  {
    const MutexLock lock(mutex_);
    actions_.push_back(action);
    reactors = reactors_;
  }
  const json::Value sent = action.object;
  for (const Entry& entry : *reactors) {
    if (!reacts_to(action, entry.verb, entry.resource)) continue;
    if (auto rule = rule_of(entry, action))
      return answer(std::move(rule), std::move(request), std::move(handler), std::move(stop));
  }
  if (json::dump(action.object) != json::dump(sent)) request.body = json::dump(action.object);
  if (action.content_type.starts_with("application/apply-patch")) {
    // The action of a namespace has it as its namespace, as a request for authorization has; it is
    // stored without one.
    const bool is_namespace = action.group.empty() && action.resource == "namespaces";
    const auto found = objects_->get({action.group, action.version, action.resource},
                                     {is_namespace ? "" : action.namespace_, action.name});
    apply_otherwise(action, found || !action.subresource.empty(), request);
  }
  return server_->start(std::move(request), std::move(handler), std::move(stop));
}

void FakeClient::Transport::add_reactor(Entry entry, bool first) {
  std::shared_ptr<const Entries> before;  // destroyed without the lock
  const MutexLock lock(mutex_);
  Entries entries = *reactors_;
  entries.insert(first ? entries.begin() : entries.end(), std::move(entry));
  before = std::exchange(reactors_, std::make_shared<const Entries>(std::move(entries)));
}

void FakeClient::Transport::drop_reactors() {
  std::shared_ptr<const Entries> before;
  std::vector<std::weak_ptr<FakeWatch::State>> watches;
  {
    const MutexLock lock(mutex_);
    before = std::exchange(reactors_, std::make_shared<const Entries>());
    watches.swap(watches_);
  }
  for (const auto& each : watches) {
    if (const auto watch = each.lock()) watch->cut();
  }
}

std::vector<Action> FakeClient::Transport::actions() const {
  const MutexLock lock(mutex_);
  return actions_;
}

void FakeClient::Transport::clear_actions() {
  const MutexLock lock(mutex_);
  actions_.clear();
}

}  // namespace kube::fake
