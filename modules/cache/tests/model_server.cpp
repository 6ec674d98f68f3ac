// SPDX-License-Identifier: Apache-2.0
#include "model_server.hpp"

#include <algorithm>
#include <utility>

#include "wire_texts.hpp"

namespace kube::cache::testing {

using kube::testing::ScriptedCall;

ModelServer::ModelServer(std::shared_ptr<SeededExecutor> executor,
                         const std::shared_ptr<kube::testing::ScriptedTransport>& transport)
    : executor_(std::move(executor)) {
  transport->on("GET", "/api/v1/pods", [this](ScriptedCall call) { answer(std::move(call)); });
}

std::string ModelServer::text_of(const std::string& key, const Object& object) {
  return object_text(key, std::to_string(object.version),
                     R"("labels":{"app":")" + object.app + R"("})", {}, object.uid);
}
std::string ModelServer::text_of(const Event& event) {
  return event_text(event.type, text_of(event.key, event.object));
}

void ModelServer::change_something() {
  const std::string key = (pick(2) == 0 ? "x/" : "y/") + std::to_string(pick(8));
  const auto found = state_.find(key);
  ++version_;
  if (found == state_.end()) {
    const Object made{"uid-" + std::to_string(++uids_), version_, "a"};
    state_[key] = made;
    record("ADDED", key, made);
  } else if (pick(3) == 0) {
    Object last = found->second;
    last.version = version_;
    state_.erase(found);
    record("DELETED", key, last);
  } else {
    found->second.version = version_;
    found->second.app = pick(2) == 0 ? "a" : "b";
    record("MODIFIED", key, found->second);
  }
}

void ModelServer::record(std::string type, const std::string& key, const Object& object) {
  history_.push_back({version_, std::move(type), key, object});
  std::erase_if(watches_,
                [](const ScriptedCall& call) { return call.ended() || call.cancelled(); });
  for (ScriptedCall& watch : watches_) send(watch, text_of(history_.back()), false);
}

void ModelServer::compact() {
  oldest_ += pick(version_ - oldest_ + 1);
}

void ModelServer::drop_watches() {
  for (ScriptedCall& watch : watches_) watch.reset();
  watches_.clear();
}

ModelServer::State ModelServer::state_at(std::uint64_t version) const {
  State state;
  for (const Event& event : history_) {
    if (event.version > version) break;
    if (event.type == "DELETED") {
      state.erase(event.key);
    } else {
      state[event.key] = event.object;
    }
  }
  return state;
}

// In pieces, and sometimes not to the end.
void ModelServer::send(ScriptedCall& call, const std::string& bytes, bool whole_body) {
  const bool breaks = chance(faults_);
  const std::size_t sent = breaks ? pick(bytes.size() + 1) : bytes.size();
  for (std::size_t at = 0; at < sent;) {
    const std::size_t piece = std::min<std::size_t>(1 + pick(200), sent - at);
    call.data(bytes.substr(at, piece));
    at += piece;
  }
  if (!breaks) {
    if (whole_body) call.end();
    return;
  }
  switch (pick(4)) {
    case 0:
      call.reset();
      break;
    case 1:
      call.end();  // truncated, and the connection ends well
      break;
    case 2:
      call.data("garbage}]").end();
      break;
    default:
      call.truncate();
      break;
  }
}

void ModelServer::answer(ScriptedCall call) {
  if (chance(faults_)) {
    switch (pick(5)) {
      case 0:
        call.refuse();
        return;
      case 1:
        call.respond(429, status_text(429, "TooManyRequests", "later"),
                     {{"Content-Type", "application/json"}, {"Retry-After", "1"}});
        return;
      case 2:
        call.respond(500, status_text(500, "InternalError", "oops"));
        return;
      case 3:
        call.head().end();  // nothing, well delivered
        return;
      default:
        return;  // silence: the client has to give up
    }
  }
  if (call.query("watch")) {
    watch(std::move(call));
  } else {
    list(std::move(call));
  }
}

void ModelServer::list(ScriptedCall call) {
  const std::string asked = call.query("resourceVersion").value_or("");
  std::uint64_t version = version_;
  std::size_t offset = 0;
  if (const auto token = call.query("continue")) {
    version = std::stoull(*token);
    offset = std::stoull(token->substr(token->find('/') + 1));
    if (version < oldest_) {
      call.respond(410, status_text(410, "Expired", "the continue token is too old"));
      return;
    }
  } else if (asked == "0") {
    version = oldest_ + pick(version_ - oldest_ + 1);  // as old as a watch cache may be
  } else if (!asked.empty()) {
    const std::uint64_t at_least = std::stoull(asked);
    if (at_least < oldest_ && chance(3)) {
      call.respond(410, status_text(410, "Expired", "too old"));
      return;
    }
    const std::uint64_t from = std::max(at_least, oldest_);
    version = from + pick(version_ - from + 1);
  }
  const State state = state_at(version);
  const std::size_t limit = std::stoull(call.query("limit").value_or("1000000"));
  std::vector<std::string> items;
  std::size_t index = 0;
  for (const auto& [key, object] : state) {
    if (index++ >= offset && items.size() < limit) items.push_back(text_of(key, object));
  }
  const std::size_t next = offset + items.size();
  const std::string token =
      next < state.size() ? std::to_string(version) + "/" + std::to_string(next) : "";
  send(call, list_text(items, std::to_string(version), token), true);
}

void ModelServer::watch(ScriptedCall call) {
  const std::string asked = call.query("resourceVersion").value_or("");
  const bool initial = call.query("sendInitialEvents") == "true";
  std::uint64_t from = version_;
  if (!asked.empty() && asked != "0") from = std::stoull(asked);
  if (!initial && from < oldest_) {
    if (pick(2) == 0) {
      call.respond(410, status_text(410, "Expired", "too old resource version"));
    } else {
      call.data(event_text("ERROR", status_text(410, "Expired", "too old resource version"))).end();
    }
    return;
  }
  std::string bytes;
  if (initial || asked.empty() || asked == "0") {
    from = version_;
    for (const auto& [key, object] : state_) bytes += text_of({version_, "ADDED", key, object});
    if (initial && !chance(faults_)) bytes += bookmark_text(std::to_string(version_), "true");
  }
  for (const Event& event : history_) {
    if (event.version > from) bytes += text_of(event);
  }
  if (pick(3) == 0) bytes += bookmark_text(std::to_string(version_));
  call.head();
  send(call, bytes, false);
  if (chance(faults_)) {
    if (pick(2) == 0) {
      call.end();
    } else {
      call.data(event_text("ERROR", status_text(429, "TooManyRequests", "later")));
    }
    return;
  }
  watches_.push_back(std::move(call));
}

}  // namespace kube::cache::testing
