// SPDX-License-Identifier: Apache-2.0
//
// The lies that the source knows, which of them a seed tells, and how they change what is said.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "draw.hpp"
#include "statement.hpp"
#include "trace.hpp"
#include "truth.hpp"

namespace kube::lying {

// Name, and what it is.
#define KUBE_LIES(lie)                                                                             \
  /* objects */                                                                                    \
  lie(NameIsNoPathSegment, "an object whose name is empty, '.', '..' or has '/' or '%'") lie(      \
      NamespaceIsNoPathSegment,                                                                    \
      "the same of its namespace") lie(KeysCollide,                                                \
                                       "two objects of one key: namespace a, name b/c; namespace " \
                                       "a/b, name c")                                              \
      lie(FieldIsMissing, "an object without name, namespace, uid or resourceVersion") lie(        \
          FieldIsNoText, "one of them is a number, null, a list, an object")                       \
          lie(VersionIsNoNumber, "a resourceVersion that is no number") lie(                       \
              VersionGoesBack,                                                                     \
              "an older resourceVersion than before") lie(VersionRepeats,                          \
                                                          "the same resourceVersion each time")    \
              lie(VersionIsAhead, "a resourceVersion far ahead of all writes") lie(                \
                  ContentChangesAlone, "other content under an unchanged uid and resourceVersion") \
                  lie(UidChanges, "another uid under an unchanged key") lie(                       \
                      ShapeIsOdd,                                                                  \
                      "an object without metadata, null, a list, too deep, of another kind")       \
                      lie(OutOfScope, "an object that was not selected")                           \
                          lie(Ghost, "an object that there is not") lie(                           \
                              OddText,                                                             \
                              "escapes, NUL and line ends in what is a path segment nevertheless") \
                              lie(FieldIsTooLong,                                                  \
                                  "a name, uid or resourceVersion of 70,000 bytes")                \
                                  lie(PoisonsUserCode,                                             \
                                      "an object at which the program's functions throw or fail")  \
                                      lie(Big, "an object of 64 KiB") /* lists */                  \
      lie(ListHasNoVersion, "a list without resourceVersion")                                      \
          lie(ListVersionIsOdd, "a list whose resourceVersion is no number, back or ahead")        \
              lie(ListShapeIsOdd, "items or metadata missing, null, of another type, twice")       \
                  lie(ItemTwice, "an item twice in one list") lie(                                 \
                      ItemLeftOut, "an item less than there are") lie(ListIsEmpty,                 \
                                                                      "a list without items")      \
                      lie(ListOfOtherKind, "a list of another kind, or of none") lie(              \
                          TokenRepeats, "a continue token that came before")                       \
                          lie(EmptyPages, "an empty page and a new continue token, for ever") lie( \
                              TokenExpires, "a continue token that has expired when it is used")   \
                              lie(EnvelopeIsTooLarge, "1.1 MiB beside the items") /* watches */    \
      lie(EventLacksField, "an event without type or object") lie(                                 \
          EventTypeIsOdd,                                                                          \
          "an event of an unknown type") lie(EventRepeats,                                         \
                                             "an event twice") lie(EventLeftOut,                   \
                                                                   "an event is not sent")         \
          lie(EventTypeIsSwapped, "ADDED for what is there, DELETED for what stays") lie(          \
              ClosesAfterOneEvent, "a watch with one event of something new, and closed")          \
              lie(ClosesAtOnce, "a watch that is closed when it is open") lie(                     \
                  VersionsAlternate,                                                               \
                  "a watch with one event, of one of two versions in turns, and closed")           \
                  lie(ErrorEvent, "an error event: expired, bad request, server error, ...") lie(  \
                      ErrorEventIsOdd,                                                             \
                      "an error event without message, reason, code; not a "                       \
                      "Status") lie(ErrorEventAsksForAYear,                                        \
                                    "an error event 429 that asks to wait for a "                  \
                                    "year")                                                        \
                      lie(BookmarkIsOdd,                                                           \
                          "a bookmark whose resourceVersion is malformed, back, ahead or missing") \
                          lie(InitialEndIsOdd,                                                     \
                              "the end of the initial state early, twice, unasked or never")       \
                              lie(Chatter, "events of objects that there are not, at any time")    \
                                  lie(Flood, "two hundred events at once") lie(                    \
                                      Heartbeats,                                                  \
                                      "white space or unknown events and nothing else")            \
                                      lie(FrameIsTooLarge, "a frame that claims 1 GiB") /* HTTP */ \
      lie(StatusIsOdd, "a status of 200 to 599 with a body that is one of many")                   \
          lie(AsksForAYear, "429 or 503 with Retry-After of a year, or what is no number")         \
              lie(ContentTypeIsOdd,                                                                \
                  "a Content-Type that is missing, malformed, of another type or a lie")           \
                  lie(OtherEncoding, "JSON to who wants protobuf; protobuf to who did not ask")    \
                      lie(BodyHasNoEnd, "the body of a refusal flows for ever")                    \
                          lie(StatusForList, "200 with a Status instead of a list or events")      \
                              lie(AlwaysGone, "410 whatever is asked")                             \
                                  lie(VersionTooLarge, "504: too large resource version")          \
                                      lie(NotAcceptable, "406")                                    \
                                          lie(VersionsRefused,                                     \
                                              "400 to a resourceVersion") /* the connection */     \
      lie(Refuses, "no connection") lie(Resets, "a connection that is reset within the answer")    \
          lie(EndsWithin, "an answer that ends within its bytes, well or truncated")               \
              lie(Silence, "no answer, or none from some byte on")                                 \
                  lie(Garbage, "garbage behind the answer, or within it")                          \
                      lie(BytesChange, "a changed byte") lie(SmallPieces, "an answer in pieces")   \
                          lie(Late, "an answer that takes its time")                               \
                              lie(FailsOddly, "a transport that fails with any error")

enum class Lie : std::uint8_t {
#define KUBE_LIE_NAME(name, what) name,
  KUBE_LIES(KUBE_LIE_NAME)
#undef KUBE_LIE_NAME
};

struct LieFacts {
  std::string_view name;
  std::string_view what;
};
inline constexpr LieFacts kLies[] = {
#define KUBE_LIE_FACTS(name, what) {#name, what},
    KUBE_LIES(KUBE_LIE_FACTS)
#undef KUBE_LIE_FACTS
};
inline constexpr std::size_t kLieCount = std::size(kLies);

/// How often each lie was told, over many runs.
using LieCounts = std::array<std::uint64_t, kLieCount>;

/// The lies of one seed: none, one, a few or all, and how often each is told.
class Repertoire {
 public:
  Repertoire(Draw& draw, Findings& findings, LieCounts& counts);

  /// Whether to tell it now.
  bool tells(Lie lie);
  bool has(Lie lie) const { return lies_[static_cast<std::size_t>(lie)]; }
  bool any() const { return lies_.any(); }
  /// None of them leaves in doubt which versions the client has got.
  bool leaves_versions_clear() const;
  /// Each statement of an object arrives whole, and can be understood in one way.
  bool leaves_objects_clear() const;
  bool told(Lie lie) const { return told_[static_cast<std::size_t>(lie)]; }
  /// As `tells`, for lies that are too costly to be told often.
  bool tells_seldom(Lie lie, std::uint64_t once_in) {
    return has(lie) && draw_.one_in(once_in) && tells(lie);
  }
  std::string to_string() const;

 private:
  template <std::size_t N>
  bool has_only(const Lie (&lies)[N]) const {
    std::bitset<kLieCount> others = lies_;
    for (const Lie lie : lies) others.reset(static_cast<std::size_t>(lie));
    return others.none();
  }

  Draw& draw_;
  Findings& findings_;
  LieCounts& counts_;
  std::bitset<kLieCount> lies_;
  std::bitset<kLieCount> told_;
  unsigned percent_ = 0;
};

}  // namespace kube::lying
