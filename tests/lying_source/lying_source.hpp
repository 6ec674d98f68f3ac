// SPDX-License-Identifier: Apache-2.0
//
// An API server of pods behind a scripted transport that owns the truth and lies about it, as a
// seed decides, until it becomes honest. It also watches what it is asked.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include <kube/base/executor.hpp>
#include <kube/testing/scripted_transport.hpp>

#include "delivery.hpp"
#include "liar.hpp"
#include "lies.hpp"
#include "mirror.hpp"
#include "truth.hpp"
#include "version_ledger.hpp"

namespace kube::lying {

/// What of the client the source must know.
struct ClientFacts {
  Scope scope{};
  bool protobuf = false;
  bool bounds_lists = false;  ///< To less than a few objects of Lie::Big.
  bool transforms = false;    ///< By a function that refuses what is poisoned.
  bool decodes = false;       ///< StoragePolicy::Decoded.
};

/// Nothing but digits; nullopt for what is something else.
std::optional<std::uint64_t> number(std::string_view text);

class LyingSource {
 public:
  LyingSource(std::shared_ptr<Executor> executor, kube::testing::ScriptedTransport& transport,
              ClientFacts client, Draw& draw, Findings& findings, LieCounts& counts);

  // ---- what happens, besides requests
  void change_something();
  /// Events out of nothing, to each watch.
  void chatter();
  /// To each watch. `others_wrote`: what nobody here sees, so that the version has moved on.
  void send_bookmarks(bool others_wrote);
  /// Ends the watches, each in its own way.
  void drop_watches();
  /// From here on every answer is true. What is under way ends or falls silent; no version that was
  /// stated before is good any more.
  void become_honest();
  /// Forgets the history before the last bookmark.
  void compact();

  // ---- what is so
  const Truth& truth() const { return truth_; }
  TrueObjects selected() const;
  const Repertoire& lies() const { return lies_; }
  /// Every list so far that could be taken for whole held the steady objects as they are.
  bool steady_holds() const { return steady_holds_ && !bytes_lied(); }
  /// What the client has understood is anybody's guess.
  bool bytes_lied() const { return lies_.told(Lie::BytesChange) || lies_.told(Lie::Garbage); }
  /// What was stated, if that is clear.
  const StatedObjects* stated() const {
    const bool clear = lying_ && lies_.leaves_objects_clear() && mirror_.whole() &&
                       !(client_.bounds_lists && lies_.has(Lie::Big));
    return clear ? &mirror_.objects() : nullptr;
  }
  std::uint64_t lists() const { return lists_; }
  std::uint64_t requests() const { return requests_; }
  /// There is one watch, open for so long.
  bool watch_has_begun(Duration ago);
  /// What was sent of answers that are not over.
  std::size_t bytes_under_way() const;

  /// More in a minute of virtual time is a loop without a pause; those for a page that is at least
  /// half full do not count.
  static constexpr std::uint64_t kMaxRequestsAMinute = 52;

 private:
  struct Watch {
    Delivery to;
    bool closes_after_one = false;
    bool initial = false;  // the end of the initial state was not sent
    TimePoint begun{};
    bool closed = false;  // an error event was the last
    Timer timeout{};
  };
  template <class T>
  using Or = std::variant<T, StatusStatement>;

  void answer(kube::testing::ScriptedCall call);
  void inspect(const kube::testing::ScriptedCall& call);
  void inspect_pace();
  void inspect_version(const kube::testing::ScriptedCall& call);
  /// Answers by another lie than a list or a watch. False: it is not told.
  bool lies_by_http(Delivery& to);
  bool odd_answer(Delivery& to);

  void list(Delivery to);
  Or<ListStatement> honest_list(const Delivery& to);
  Or<ListStatement> page(const Delivery& to, std::uint64_t version, std::size_t offset);
  /// `version`: of the list as it is true.
  void lie_by_pages(const Delivery& to, const std::string& version, ListStatement& list);

  void watch(Delivery to);
  /// The first events of a watch.
  Or<std::vector<EventStatement>> first_events(const Delivery& to);
  std::vector<EventStatement> initial_events(bool with_end);
  std::vector<EventStatement> events_of(const Truth::Change& change);
  bool lies_by_watch(Watch& watch, bool initial);
  void send(Watch& watch, std::vector<EventStatement> events);
  void refuse(Delivery& to, const StatusStatement& status);
  void forget_ended();
  void state(const Said& version);
  void give(const EventStatement& event, bool initial);
  bool versions_are_clear() const { return !lying_ || lies_.leaves_versions_clear(); }
  /// An event of a steady object that the program refuses, so that its state stays.
  std::vector<EventStatement> poison_steady();
  /// The version of a request; nullopt for what is no number.
  std::optional<std::uint64_t> version_of(std::string_view text) const;
  bool tells(Lie lie) { return lying_ && lies_.tells(lie); }

  const std::shared_ptr<Executor> executor_;
  const ClientFacts client_;
  Draw& draw_;
  Findings& findings_;
  Truth truth_;
  Repertoire lies_;
  Liar liar_;
  Mirror mirror_;

  bool lying_ = true;
  bool steady_holds_ = true;
  const bool takes_any_version_;  // while lying, of requests
  const bool has_watch_list_;     // knows sendInitialEvents
  const bool items_have_kind_;
  std::uint64_t oldest_;  // watches and pages can begin here
  std::uint64_t last_bookmark_ = 0;
  std::uint64_t fresh_tokens_ = 0;
  std::string repeated_token_;  // of the list under way: asked with it, answered with it
  bool alternates_ = false;

  std::unordered_set<std::string> stated_versions_{"0"};
  VersionLedger given_;
  std::string expired_;   // the version that a watch was told to have expired, until the next list
  bool watched_ = false;  // a watch was opened: the steady objects are known

  std::vector<std::shared_ptr<Watch>> watches_;
  std::vector<Delivery> open_;  // answers that are not over

  std::size_t list_bytes_ = 0;  // of the list under way, all its pages
  std::uint64_t requests_ = 0;
  std::uint64_t lists_ = 0;
  std::int64_t minute_ = -1;
  std::uint64_t in_minute_ = 0;
};

}  // namespace kube::lying
