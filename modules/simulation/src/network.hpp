// SPDX-License-Identifier: Apache-2.0
//
// The network between a client and the frontends of a server: delays, cuts, refusals and lost
// requests, from a seed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <kube/apiserver/frontend.hpp>
#include <kube/transport/round_tripper.hpp>

#include "journal.hpp"
#include "scheduler.hpp"
#include "truth.hpp"

namespace kube::testing {

/// How often something goes wrong; each is a chance in a thousand.
struct Weather {
  std::uint64_t refused = 0;    ///< No connection.
  std::uint64_t lost = 0;       ///< The request, or its response, is lost.
  std::uint64_t status = 0;     ///< 429, 500, 503 instead of a response.
  std::uint64_t expired = 0;    ///< 410 to a list or watch.
  std::uint64_t cut = 0;        ///< The body is cut at some byte.
  std::uint64_t silent = 0;     ///< Nothing more comes, and the connection stays open.
  std::uint64_t slow = 0;       ///< Seconds between the pieces.
  std::uint64_t repeated = 0;   ///< An event of a watch comes again.
  std::uint64_t elsewhere = 0;  ///< The request goes to the other frontend.
  std::uint64_t behind = 0;     ///< A watch cache learns of a write seconds later.
  Duration delay{};             ///< The maximum of common delays.
  static Weather of(Random& draws);
};

class NetworkExchange;

/// @par Thread safety   None: the thread that has the baton.
class Network final : public transport::RoundTripper, public std::enable_shared_from_this<Network> {
 public:
  Network(std::shared_ptr<Scheduler> scheduler, apiserver::ApiServer& server, Journal& journal,
          Truth& truth, std::uint64_t seed, Weather weather);
  ~Network() override;

  std::shared_ptr<transport::Exchange> start(transport::HttpRequest request,
                                             std::shared_ptr<transport::ResponseHandler> handler,
                                             std::stop_token stop) override;

  /// From here on all goes well with what begins; what is broken stays so.
  void calm();
  bool is_calm() const { return calm_; }
  /// Resets the open exchanges.
  void reset_all();
  /// Restarts a frontend: its exchanges are reset, it refuses connections for a while, and its
  /// watch cache begins again, without the last writes.
  void restart(Random& dice);
  /// The watch caches follow what they lack, soon.
  void look_at_frontends();
  /// Ends all exchanges, and the frontends. Later requests are refused.
  void close();

  std::size_t open() const { return open_.size(); }
  std::vector<std::string> open_requests() const;
  const apiserver::Frontend& frontend() const { return *frontends_.front().server; }
  /// Returns the version of the watch cache that is behind the most.
  std::uint64_t oldest_version() const;

 private:
  friend class NetworkExchange;
  struct Place {
    std::unique_ptr<apiserver::Frontend> server;
    Timer follows;
    bool follow_pending = false;
    TimePoint down_until{};
  };

  Duration delay();
  void wake(std::uint64_t exchange);
  void pump_woken();

  const std::shared_ptr<Scheduler> scheduler_;
  Journal& journal_;
  Truth& truth_;
  Random draws_;
  Weather weather_;
  bool calm_ = false;
  bool closed_ = false;
  std::vector<Place> frontends_;
  std::map<std::uint64_t, std::shared_ptr<NetworkExchange>> open_;
  std::uint64_t next_id_ = 1;
  std::set<std::uint64_t> woken_;
};

}  // namespace kube::testing
