// SPDX-License-Identifier: Apache-2.0
#include "liar.hpp"

#include <limits>

namespace kube::lying {
namespace {

constexpr std::int64_t kYear = 31'536'000;
constexpr const char* kNoSegments[] = {"", ".", "..", "a/b", "a%2fb", "/", "%", "x/", "../../a"};
constexpr const char* kNoTexts[] = {"5", "null", "true", "{}", R"(["a"])", "1e400", R"({"a":{}})"};
const std::string kNoNumbers[] = {"abc",
                                  "-1",
                                  "1e9",
                                  " 7",
                                  "7 ",
                                  "0x10",
                                  "1.5",
                                  "v7",
                                  "",
                                  "\xd9\xa3",
                                  "+5",
                                  "00",
                                  "7\n8",
                                  "1,000",
                                  "null",
                                  "&x=1",
                                  "a b%20?#/",
                                  "NaN",
                                  std::string(5000, '9')};
constexpr const char* kOddTexts[] = {"a\"b",
                                     "a\\b",
                                     "a\nb",
                                     "\xc3\xa4\xe2\x82\xac",
                                     "a b",
                                     "a?b#c",
                                     "\xf0\x9f\x98\x80",
                                     "a\x01",
                                     "\xef\xbb\xbf",
                                     "A:B~!$&'()*+,;="};

constexpr std::size_t kTooLong = 70'000;
constexpr std::size_t kBig = 64 << 10;

}  // namespace

ObjectStatement statement_of(const TrueObject& object) {
  ObjectStatement statement;
  statement.namespace_ = Said::words(object.namespace_);
  statement.name = Said::words(object.name);
  statement.uid = Said::words(object.uid);
  statement.version = Said::words(std::to_string(object.version));
  statement.app = object.app;
  statement.node = object.node;
  return statement;
}

EventStatement event_of(std::string type, const TrueObject& object) {
  EventStatement event;
  event.type = Said::words(std::move(type));
  event.object = statement_of(object);
  return event;
}

EventStatement bookmark_of(Said version, std::string initial_events_end) {
  EventStatement event;
  event.type = Said::words("BOOKMARK");
  event.object.emplace().version = std::move(version);
  event.initial_events_end = std::move(initial_events_end);
  return event;
}

EventStatement error_event(StatusStatement status) {
  EventStatement event;
  event.type = Said::words("ERROR");
  event.status = std::move(status);
  return event;
}

StatusStatement status_of(int code, std::string reason) {
  StatusStatement status;
  status.code = code;
  status.reason = std::move(reason);
  return status;
}

StatusStatement too_large_version() {
  StatusStatement status = status_of(504, "Timeout");
  status.message = "Too large resource version";
  status.cause = "ResourceVersionTooLarge";
  status.retry_after = 1;
  return status;
}

Said Liar::odd_version() {
  switch (draw_.below(6)) {
    case 0:
      return Said::words(std::to_string(1 + draw_.below(truth_.version())));
    case 1:
      return Said::words(std::to_string(truth_.version() + 1'000'000 + draw_.below(1000)));
    case 2:
      return Said::words("7");
    case 3:
      return Said::other(draw_.of(kNoTexts));
    default:
      return Said::words(draw_.of(kNoNumbers));
  }
}

ObjectStatement Liar::ghost() {
  TrueObject object;
  object.namespace_ = draw_.one_in(2) ? "x" : "y";
  object.name = "ghost-" + std::to_string(draw_.below(4));
  object.uid = "uid-ghost";
  object.version = 1 + draw_.below(truth_.version());
  object.app = draw_.one_in(2) ? "a" : "b";
  object.node = "n1";
  return statement_of(object);
}

void Liar::change_names(ObjectStatement& statement) {
  if (lies_.tells(Lie::NameIsNoPathSegment)) {
    statement.name = Said::words(draw_.of(kNoSegments));
  }
  if (lies_.tells(Lie::NamespaceIsNoPathSegment)) {
    statement.namespace_ = Said::words(draw_.of(kNoSegments));
  }
  if (lies_.tells(Lie::KeysCollide)) {
    if (!truth_.now().empty() && draw_.one_in(3)) {
      // Of one that there is, steady or not.
      auto at = truth_.now().begin();
      std::advance(at, static_cast<std::ptrdiff_t>(draw_.below(truth_.now().size())));
      statement.namespace_ = Said::nothing();
      statement.name = Said::words(at->first);
    } else if (draw_.one_in(2)) {
      statement.namespace_ = Said::words("x");
      statement.name = Said::words("y/0");
    } else {
      statement.namespace_ = Said::words("x/y");
      statement.name = Said::words("0");
    }
  }
  if (lies_.tells(Lie::OddText)) {
    (draw_.one_in(3) ? statement.uid : statement.name) = Said::words(draw_.of(kOddTexts));
  }
  if (lies_.tells(Lie::UidChanges)) {
    statement.uid = Said::words("uid-" + std::to_string(draw_.below(3)));
  }
}

void Liar::change_version(ObjectStatement& statement) {
  if (lies_.tells(Lie::VersionIsNoNumber)) statement.version = Said::words(draw_.of(kNoNumbers));
  if (lies_.tells(Lie::VersionGoesBack)) {
    statement.version = Said::words(std::to_string(1 + draw_.below(truth_.version())));
  }
  if (lies_.tells(Lie::VersionRepeats)) statement.version = Said::words("7");
  if (lies_.tells(Lie::VersionIsAhead)) {
    statement.version =
        Said::words(std::to_string(truth_.version() + 1'000'000 + draw_.below(1000)));
  }
}

void Liar::change_content(ObjectStatement& statement) {
  Said* const fields[] = {&statement.name, &statement.namespace_, &statement.uid,
                          &statement.version};
  if (lies_.tells(Lie::FieldIsMissing)) {
    *draw_.of(fields) = draw_.one_in(2) ? Said::nothing() : Said::words("");
  }
  if (lies_.tells(Lie::FieldIsNoText)) *draw_.of(fields) = Said::other(draw_.of(kNoTexts));
  if (lies_.tells(Lie::FieldIsTooLong)) {
    *draw_.of(fields) = Said::words(std::string(kTooLong, '8'));
  }
  if (lies_.tells(Lie::ContentChangesAlone)) {
    statement.app = statement.app == "a" ? "b" : "a";
    statement.node = "n" + std::to_string(draw_.below(3));
  }
  if (lies_.tells(Lie::OutOfScope)) {
    statement.app = "other";
    statement.node = "other";
    if (draw_.one_in(2)) statement.namespace_ = Said::words("z");
  }
  if (lies_.tells(Lie::PoisonsUserCode)) statement.app = draw_.one_in(2) ? "poison" : "fail";
  if (lies_.tells(Lie::Big)) statement.padding = kBig;
  if (lies_.tells(Lie::ShapeIsOdd)) statement.shape = draw_.of(kOddShapes);
}

bool Liar::change_item(const TrueObject& object, ObjectStatement& statement) {
  if (object.steady) return true;
  if (lies_.tells(Lie::ItemLeftOut)) return false;
  change_names(statement);
  change_version(statement);
  change_content(statement);
  return true;
}

bool Liar::change_list(ListStatement& list) {
  bool incomplete = false;
  if (lies_.tells(Lie::Ghost)) list.items.push_back(ghost());
  if (!list.items.empty() && lies_.tells(Lie::ItemTwice)) {
    list.items.push_back(list.items[draw_.index(list.items.size())]);
  }
  if (lies_.tells(Lie::ListIsEmpty)) {
    list.items.clear();
    incomplete = true;
  }
  if (lies_.tells(Lie::ListHasNoVersion)) {
    const Said none[] = {Said::nothing(), Said::words(""), Said::words("0"), Said::other("7"),
                         Said::other("null")};
    list.version = draw_.of(none);
  }
  if (lies_.tells(Lie::ListVersionIsOdd)) list.version = odd_version();
  if (lies_.tells(Lie::ListShapeIsOdd)) {
    constexpr const char* kInstead[] = {"",           "null",   "{}",   "7",   "[]",
                                        R"("items")", "[null]", "[[]]", "[7]", R"([{}])"};
    switch (draw_.below(3)) {
      case 0:
        list.items_instead = draw_.of(kInstead);
        break;
      case 1:
        list.metadata_instead = draw_.of(kInstead);
        break;
      default:
        list.items_twice = true;
    }
    incomplete = true;
  }
  if (lies_.tells(Lie::ListOfOtherKind)) {
    constexpr const char* kKinds[] = {"", "Pod", "Status", "ServiceList", "List", "Table"};
    list.kind = draw_.of(kKinds);
  }
  if (lies_.tells_seldom(Lie::EnvelopeIsTooLarge, 20)) list.envelope_padding = 1'150'000;
  return incomplete;
}

std::vector<EventStatement> Liar::change_event(const TrueObject& object, EventStatement event) {
  if (object.steady) return {std::move(event)};
  if (lies_.tells(Lie::EventLeftOut)) return {};
  change_names(*event.object);
  change_version(*event.object);
  change_content(*event.object);
  if (lies_.tells(Lie::EventTypeIsSwapped)) {
    constexpr const char* kTypes[] = {"ADDED", "MODIFIED", "DELETED"};
    event.type = Said::words(draw_.of(kTypes));
  }
  if (lies_.tells(Lie::EventTypeIsOdd)) {
    constexpr const char* kTypes[] = {"added", "CHANGED", "ADDED ", "RESYNC", "\x01"};
    event.type = Said::words(draw_.of(kTypes));
  }
  if (lies_.tells(Lie::EventLacksField)) {
    if (draw_.one_in(2)) {
      event.object.reset();
    } else {
      event.type = draw_.one_in(2) ? Said::nothing() : Said::other(draw_.of(kNoTexts));
    }
  }
  std::vector<EventStatement> events;
  if (lies_.tells(Lie::EventRepeats)) events.push_back(event);
  events.push_back(std::move(event));
  return events;
}

void Liar::change_bookmark(EventStatement& bookmark) {
  if (!lies_.tells(Lie::BookmarkIsOdd)) return;
  if (draw_.one_in(5)) {
    bookmark.object->shape = draw_.of(kOddShapes);
  } else {
    bookmark.object->version = draw_.one_in(5) ? Said::nothing() : odd_version();
  }
}

std::vector<EventStatement> Liar::chatter() {
  std::vector<EventStatement> events;
  if (lies_.tells(Lie::Chatter)) {
    constexpr const char* kTypes[] = {"ADDED", "MODIFIED", "DELETED"};
    EventStatement event;
    event.type = Said::words(draw_.of(kTypes));
    event.object = ghost();
    change_names(*event.object);
    change_version(*event.object);
    change_content(*event.object);
    events.push_back(std::move(event));
  }
  if (lies_.tells(Lie::Flood)) {
    EventStatement event;
    event.object = ghost();
    for (int i = 0; i < 200; ++i) {
      event.type = Said::words(draw_.one_in(2) ? "MODIFIED" : "DELETED");
      event.object->name = Said::words("ghost-" + std::to_string(draw_.below(8)));
      event.object->version = Said::words(std::to_string(1 + draw_.below(truth_.version())));
      events.push_back(event);
    }
  }
  return events;
}

EventStatement Liar::odd_error_event() {
  StatusStatement status = status_of(500, "InternalError");
  constexpr const char* kInstead[] = {"{}",
                                      "null",
                                      "[]",
                                      R"({"kind":"Pod","metadata":{"name":"a"}})",
                                      R"({"kind":"Status","status":"Success"})",
                                      R"({"kind":"Status","code":"500","message":7,"reason":{}})"};
  switch (draw_.below(6)) {
    case 0:
      status.message.reset();
      break;
    case 1:
      status.message = "";
      status.reason.clear();
      break;
    case 2:
      status.code = 0;
      break;
    case 3:
      status = status_of(0, "");
      status.message.reset();
      break;
    case 4: {
      EventStatement event = error_event(status);
      event.status.reset();  // without an object
      return event;
    }
    default:
      status.instead = draw_.of(kInstead);
  }
  return error_event(std::move(status));
}

EventStatement Liar::asks_for_a_year_event() {
  constexpr std::int64_t kWaits[] = {kYear,
                                     std::numeric_limits<std::int32_t>::max(),
                                     std::numeric_limits<std::int64_t>::max(),
                                     0,
                                     -1,
                                     3600};
  StatusStatement status =
      draw_.one_in(3) ? status_of(503, "ServiceUnavailable") : status_of(429, "TooManyRequests");
  status.retry_after = draw_.of(kWaits);
  return error_event(std::move(status));
}

}  // namespace kube::lying
