// SPDX-License-Identifier: Apache-2.0
#include "consistency_check.hpp"

#include <chrono>
#include <unordered_map>
#include <utility>

#include "reflector_errors.hpp"
#include "same_content.hpp"

#include <kube/base/call_user_code.hpp>

namespace kube::cache {
namespace {

constexpr Backoff::Options kCheckAgain{
    .initial = std::chrono::seconds(1), .cap = std::chrono::minutes(1), .jitter = 0};
constexpr std::chrono::milliseconds kCheckSilence{90'000};
constexpr std::size_t kShownKeys = 5;

/// Whether the server has no list at that version any more, or refuses it whenever it is asked.
bool is_final(const Error& error) {
  return version_gone(error) || may_refuse_version(error) || refuses_streams(error) ||
         is_denied(error);
}

}  // namespace

ConsistencyCheck::ConsistencyCheck(Runtime runtime, Strand strand,
                                   std::shared_ptr<ListerWatcher> source, const CellType& type,
                                   ObjectChanges changes, ListOptions options, Received received,
                                   std::function<void(const Error&)> different)
    : runtime_(std::move(runtime)),
      strand_(std::move(strand)),
      source_(std::move(source)),
      type_(type),
      changes_(std::move(changes)),
      options_(std::move(options)),
      received_(std::move(received)),
      different_(std::move(different)),
      backoff_(kCheckAgain) {}

void ConsistencyCheck::start(std::stop_token stop) {
  stop_ = std::move(stop);
  list();
}

void ConsistencyCheck::stop() {
  timer_.cancel();
  if (const auto stream = std::exchange(stream_, nullptr)) stream->cancel();
}

template <class... Args>
auto ConsistencyCheck::unless_stopped(void (ConsistencyCheck::*member)(Args...)) {
  return [weak = weak_from_this(), member](Args... args) {
    const auto self = weak.lock();
    if (!self || self->stop_.stop_requested()) return;
    ((*self).*member)(std::forward<Args>(args)...);
  };
}

void ConsistencyCheck::list() {
  stored_.clear();
  stream_ = std::make_shared<Stream>(
      strand_, std::make_shared<ProofOfLife>(),
      Stream::Receiver{[] {},
                       [weak = weak_from_this()](std::vector<Arrived> items) {
                         const auto self = weak.lock();
                         if (!self) return;
                         for (Arrived& item : items)
                           if (item.delta.cell && !item.refused)
                             self->stored_.push_back(std::move(item.delta.cell));
                       },
                       [weak = weak_from_this()](Result<ListInfo> result) {
                         const auto self = weak.lock();
                         if (self && self->stream_) self->list_ended(result);
                       }},
      "list", type_, StoragePolicy::Wire, changes_, kMaxObjectBytes);
  const Result<void> asked = call_user_code("the source", [&] {
    stream_->attach(source_->list(options_, kCheckSilence, stream_, stop_));
  });
  if (!asked) list_ended(asked.error());
}

void ConsistencyCheck::list_ended(const Result<ListInfo>& result) {
  if (stop_.stop_requested()) return;
  if (result) {
    stream_ = nullptr;
    compare();
    return;
  }
  const bool refused = is_final(result.error());
  KUBE_LOG(runtime_.logger, LogLevel::Warning, "reflector",
           refused ? "a consistency check is given up: its list is refused"
                   : "the list of a consistency check failed",
           {"error", result.error().to_string()});
  stop();
  if (refused) {
    received_ = Received();  // they may be the last copies of what was deleted since
    stored_.clear();
    return;
  }
  timer_ = strand_.submit_after(backoff_.next(), unless_stopped(&ConsistencyCheck::list));
}

bool ConsistencyCheck::is_same(const Cell& received, const Cell& stored) const {
  if (received.uid() != stored.uid() || received.resource_version() != stored.resource_version())
    return false;
  return received_.transformed || !can_be_compared(received, stored) ||
         have_same_content(received, stored);
}

void ConsistencyCheck::compare() {
  std::unordered_map<std::string_view, const Cell*> stored;
  for (const CellRef& cell : stored_) stored.emplace(cell->key(), cell.get());
  std::size_t differences = 0;
  std::string shown;
  const auto differs = [&](std::string_view how, std::string_view key) {
    if (++differences > kShownKeys) return;
    shown += std::string(differences == 1 ? "" : ", ") + std::string(how) + " " + std::string(key);
  };
  for (const CellRef& cell : received_.objects) {
    const auto at = stored.find(cell->key());
    if (at == stored.end()) {
      differs("not stored:", cell->key());
      continue;
    }
    if (!is_same(*cell, *at->second)) differs("different:", cell->key());
    stored.erase(at);
  }
  for (const auto& [key, cell] : stored) differs("not received:", key);
  received_.objects.clear();
  stored_.clear();
  if (differences == 0) return;
  different_(Error(ErrorCode::Internal, "the server's cache and its storage differ at version " +
                                            options_.resource_version + " in " +
                                            std::to_string(differences) + " objects: " + shown));
}

}  // namespace kube::cache
