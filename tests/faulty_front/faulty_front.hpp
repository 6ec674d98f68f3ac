// SPDX-License-Identifier: Apache-2.0
//
// A proxy before the embedded API server that breaks what passes: connections at any byte or event,
// answers that the server did not give, events that it did not send, and silence. Which, its owner
// decides for each request.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "loopback_server.hpp"

namespace faulty_front {

using Request = kube::transport::Peer::Request;

class FaultyFront;

/// The way of a response back to the client. For the thread of its connection.
class Way {
 public:
  Way(FaultyFront& front, kube::transport::Peer& peer) : front_(front), peer_(peer) {}

  /// A part of the body, as a chunk. Does nothing when the way is over.
  void write(std::string_view bytes);
  /// Bytes beside the framing of chunks.
  void raw(std::string_view bytes);
  void pause(std::chrono::milliseconds time);
  /// The body is whole with what was written.
  void end();
  /// The connection breaks.
  void cut();
  /// The connection ends, and the body is not whole.
  void close() { over_ = true; }
  /// Nothing more comes, and the connection stays open, even when faults end.
  void hold();
  bool is_over() const { return over_; }

  /// Lets an edit write a piece. Returns whether that is not just the piece, in one chunk.
  bool edit(const std::function<void(const std::string& piece, Way& way)>& edit,
            const std::string& piece);

 private:
  FaultyFront& front_;
  kube::transport::Peer& peer_;
  std::string written_;  // of the piece that is edited
  bool over_ = false;
  bool client_is_gone_ = false;
};

/// What happens to one request.
struct Fate {
  std::string name{};
  std::chrono::milliseconds wait{0};   ///< Before the server gets the request.
  std::string answer{};                ///< Not empty: what comes instead of the server's response.
  bool is_carried_out = false;         ///< The server gets a request with an `answer`, too.
  std::optional<std::size_t> bytes{};  ///< So many of the server's bytes arrive.
  bool silent = false;                 ///< Then nothing comes; otherwise the connection is cut.
  bool json = false;                   ///< The server is asked for JSON.
  /// Changes the lines of the head of the response.
  std::function<void(std::string& head)> head{};
  /// Writes an event of a watch, or the whole body of another response, as it likes. For each
  /// response of 200 there is a copy of its own.
  std::function<void(const std::string& piece, Way& way)> piece{};
};

/// Calls come one at a time.
using Fates = std::function<Fate(const Request& request)>;

std::string http_response(std::string_view status, std::string_view headers, std::string_view body);
std::string status_response(std::string_view status, std::string_view reason, int code,
                            std::string_view headers = {});
bool is_watch(const Request& request);

/// @par Thread safety   All functions may be called from any thread, but leave() and come_back().
class FaultyFront {
 public:
  FaultyFront(int api_server_port, Fates fates);
  ~FaultyFront();
  FaultyFront(const FaultyFront&) = delete;
  FaultyFront& operator=(const FaultyFront&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_.number()); }
  /// Whether requests meet faults from now on. Silences end when they no longer do.
  void set_faulty(bool faulty);
  /// Cuts off everything that is under way.
  void cut();
  /// Refuses connections, and cuts off those that are open.
  void leave();
  void come_back();
  /// What it did, by name: "passed on", "429", "cut off", ...; of fates that change pieces, how
  /// often they changed one.
  std::map<std::string, std::uint64_t> counts() const;
  std::uint64_t requests() const;

 private:
  friend class Way;
  void serve(kube::transport::Peer& peer);
  Fate draw(const Request& request);
  bool pass_on(kube::transport::Peer& peer, const Request& request, const Fate& fate);
  bool pass_on_edited(kube::transport::Peer& peer, const Request& request, const Fate& fate);
  void be_silent(kube::transport::Peer& peer, bool stays);
  /// False when the client or the front is gone first.
  bool pause(kube::transport::Peer& peer, std::chrono::milliseconds time);

  const int api_server_port_;
  const Fates fates_;
  const kube::transport::HeldPort port_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool faulty_ = false;
  bool closing_ = false;
  std::map<std::string, std::uint64_t> counts_;
  std::uint64_t requests_ = 0;
  mutable std::mutex server_mutex_;
  std::unique_ptr<kube::transport::LoopbackServer> server_;
};

}  // namespace faulty_front
