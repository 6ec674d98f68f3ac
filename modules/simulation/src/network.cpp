// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "network_exchange.hpp"

namespace kube::testing {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Each run has weather of its own: some calm, some with one fault that is frequent, some with all.
Weather Weather::of(Random& draws) {
  Weather out;
  const auto chance = [&]() -> std::uint64_t {
    constexpr std::uint64_t kChances[] = {0, 0, 10, 30, 80, 200};
    return kChances[draws.below(std::size(kChances))];
  };
  out.refused = chance() / 2;
  out.lost = chance();
  out.status = chance();
  out.expired = chance();
  out.cut = chance() * 3;
  out.silent = chance();
  out.slow = chance();
  out.repeated = chance();
  out.elsewhere = draws.one_in(2) ? chance() * 2 : 0;
  out.behind = draws.one_in(2) ? chance() * 3 : 0;
  constexpr milliseconds kDelays[] = {milliseconds(1), milliseconds(5), milliseconds(50),
                                      milliseconds(800)};
  out.delay = kDelays[draws.below(std::size(kDelays))];
  return out;
}

Network::Network(std::shared_ptr<Scheduler> scheduler, apiserver::ApiServer& server,
                 Journal& journal, Truth& truth, std::uint64_t seed, Weather weather)
    : scheduler_(std::move(scheduler)),
      journal_(journal),
      truth_(truth),
      draws_(seed, 2),
      weather_(weather) {
  for (int i = 0; i < 2; ++i) {
    frontends_.push_back({std::make_unique<apiserver::Frontend>(server), Timer(), false, {}});
  }
}

Network::~Network() {
  close();
}

Duration Network::delay() {
  const auto most =
      std::chrono::duration_cast<microseconds>(calm_ ? milliseconds(1) : weather_.delay);
  return microseconds(draws_.below(static_cast<std::uint64_t>(most.count()) + 1));
}

std::shared_ptr<transport::Exchange> Network::start(
    transport::HttpRequest request, std::shared_ptr<transport::ResponseHandler> handler,
    std::stop_token stop) {
  const std::uint64_t id = next_id_++;
  auto exchange =
      std::make_shared<NetworkExchange>(*this, id, std::move(request), std::move(handler));
  open_[id] = exchange;
  exchange->begin(stop);
  if (closed_) exchange->close();
  return exchange;
}

void Network::calm() {
  calm_ = true;
  for (Place& place : frontends_) place.down_until = {};
}

void Network::reset_all() {
  for (const auto& [id, exchange] : open_) exchange->reset();
}

void Network::restart(Random& dice) {
  const std::size_t which = dice.below(frontends_.size());
  Place& place = frontends_[which];
  const std::size_t behind = dice.one_in(2) ? 0 : dice.below(12);
  journal_.note([&] {
    return "frontend " + std::to_string(which) + " restarts " + std::to_string(behind) +
           " writes behind";
  });
  // Those that wait in the frontend never get a response.
  std::vector<std::shared_ptr<NetworkExchange>> its;
  for (const auto& [id, exchange] : open_) {
    if (exchange->frontend() == which) its.push_back(exchange);
  }
  for (const auto& exchange : its) exchange->reset();
  place.server->restart(behind);
  truth_.restarted(place.server->resource_version());
  if (dice.one_in(2)) place.down_until = scheduler_->clock()->now() + seconds(dice.below(20));
}

void Network::look_at_frontends() {
  if (closed_) return;
  for (Place& place : frontends_) {
    if (place.follow_pending || place.server->behind() == 0) continue;
    place.follow_pending = true;
    Duration when = delay();
    if (!calm_) {
      if (auto dice = journal_.happens(weather_.behind, "a watch cache falls behind")) {
        when = milliseconds(dice->below(6000));
      }
    }
    place.follows = scheduler_->submit_after(when, [this, &place] {
      place.follow_pending = false;
      constexpr auto kAll = std::numeric_limits<std::size_t>::max();
      place.server->follow(calm_ || draws_.one_in(2) ? kAll : 1 + draws_.below(3));
    });
  }
}

void Network::wake(std::uint64_t exchange) {
  if (closed_) return;
  const bool first = woken_.empty();
  woken_.insert(exchange);
  if (!first) return;
  scheduler_->submit([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->pump_woken();
  });
}

// In the order of their numbers: the store wakes in the order of addresses.
void Network::pump_woken() {
  for (const std::uint64_t id : std::exchange(woken_, {})) {
    const auto at = open_.find(id);
    if (at == open_.end()) continue;
    const auto exchange = at->second;
    exchange->pump();
  }
}

std::uint64_t Network::oldest_version() const {
  std::uint64_t out = std::numeric_limits<std::uint64_t>::max();
  for (const Place& place : frontends_) out = std::min(out, place.server->resource_version());
  return out;
}

std::vector<std::string> Network::open_requests() const {
  std::vector<std::string> out;
  for (const auto& [id, exchange] : open_) out.push_back(exchange->to_string());
  return out;
}

void Network::close() {
  closed_ = true;
  while (!open_.empty()) {
    const auto exchange = open_.begin()->second;
    exchange->close();
  }
  for (Place& place : frontends_) place.follows.cancel();
  frontends_.clear();
}

}  // namespace kube::testing
