// SPDX-License-Identifier: Apache-2.0
//
// F-40 to F-56: what responses contain, and in which order.
#include <map>
#include <memory>
#include <utility>

#include <kube/json/value.hpp>

#include "fault.hpp"

namespace real_threads {
namespace {

using Edit = std::function<void(const std::string& event, Way& way)>;

// Each event goes through an edit of its watch, which is made by `make`.
template <class Make>
std::function<Fates(Chance)> edited(std::string name, std::vector<Kind> kinds, Make make) {
  return fates_of(std::move(kinds), 1,
                  [name = std::move(name), make = std::move(make)](Chance& chance,
                                                                   const Request& request) -> Fate {
                    return {.name = name, .json = true, .piece = make(chance, request)};
                  });
}

Fault edit_of_events(std::string number, std::string name, Edit edit) {
  Fault fault{.number = std::move(number), .name = name};
  fault.fates = edited(std::move(name), kStreams,
                       [edit = std::move(edit)](Chance&, const Request&) { return edit; });
  return fault;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
  return text;
}

// Writes each event, then the one before of the same object, and the event again, as a replica
// that is behind and catches up.
Edit replay_of_older_events() {
  return
      [newest = std::map<std::string, std::string>()](const std::string& event, Way& way) mutable {
        way.write(event);
        const EventFacts facts = facts_of(event);
        if (facts.type == "BOOKMARK") return;
        std::string& before = newest[facts.key];
        if (!before.empty()) way.write(before + event);
        before = event;
      };
}

// A deletion and the creation that follows it are one modification.
Edit recreation_as_modification() {
  return
      [held = std::string(), held_key = std::string()](const std::string& event, Way& way) mutable {
        const EventFacts facts = facts_of(event);
        const std::string before = std::exchange(held, {});
        if (!before.empty() && facts.type == "ADDED" && facts.key == held_key) {
          return way.write(with_type(event, "MODIFIED"));
        }
        way.write(before);
        if (facts.type != "DELETED") return way.write(event);
        held = event;
        held_key = facts.key;
      };
}

// The end of the initial state comes before the state.
Edit end_before_the_state() {
  return [state = std::string(), ended = false](const std::string& event, Way& way) mutable {
    if (ended) return way.write(event);
    ended = facts_of(event).ends_initial_state;
    if (!ended) {
      state += event;
      return;
    }
    way.write(event);
    way.write(state);
  };
}

std::vector<Fault> orders() {
  std::vector<Fault> all;
  Fault twice = edit_of_events("F-40", "each event twice", [](const std::string& event, Way& way) {
    way.write(event);
    way.write(event);
  });
  twice.lies.repeats = true;
  all.push_back(std::move(twice));

  Fault older{.number = "F-41", .name = "older events again"};
  older.fates = edited(older.name, kStreams,
                       [](Chance&, const Request&) { return replay_of_older_events(); });
  older.lies = {.repeats = true, .goes_back = true};
  all.push_back(std::move(older));

  all.push_back(
      edit_of_events("F-42", "MODIFIED for ADDED", [](const std::string& event, Way& way) {
        way.write(facts_of(event).type == "ADDED" ? with_type(event, "MODIFIED") : event);
      }));
  all.push_back(
      edit_of_events("F-43", "ADDED for MODIFIED", [](const std::string& event, Way& way) {
        way.write(facts_of(event).type == "MODIFIED" ? with_type(event, "ADDED") : event);
      }));

  Fault unknown = edit_of_events("F-44", "DELETED again", [](const std::string& event, Way& way) {
    way.write(event);
    if (facts_of(event).type == "DELETED") way.write(event);
  });
  unknown.lies.repeats = true;
  all.push_back(std::move(unknown));

  Fault missing =
      edit_of_events("F-45", "a list instead of DELETED", [](const std::string& event, Way& way) {
        if (facts_of(event).type != "DELETED") return way.write(event);
        way.write(error_event(410, "Expired"));
        way.end();
      });
  missing.lies.leaves_out = true;
  all.push_back(std::move(missing));

  Fault recreated{.number = "F-51", .name = "MODIFIED with another uid", .held_back = true};
  recreated.fates = edited(recreated.name, kStreams,
                           [](Chance&, const Request&) { return recreation_as_modification(); });
  recreated.lies.leaves_out = true;
  all.push_back(std::move(recreated));
  return all;
}

std::vector<Fault> bookmarks() {
  std::vector<Fault> all;
  Fault older{.number = "F-46", .name = "an older bookmark", .goes_back = true};
  older.fates = edited(older.name, {Kind::Watch}, [](Chance& chance, const Request& request) {
    const std::size_t at = request.target.find("resourceVersion=") + 16;
    const std::string version = request.target.substr(at, request.target.find('&', at) - at);
    return Edit([left = chance.dice.below(4), version](const std::string& event, Way& way) mutable {
      way.write(event);
      if (left-- != 0) return;
      way.write(bookmark_event("ConfigMap", version));
      way.cut();
    });
  });
  older.lies = {.repeats = true, .goes_back = true};
  all.push_back(std::move(older));

  all.push_back(edit_of_events("F-47", "bookmarks of a foreign kind or without a version",
                               [](const std::string& event, Way& way) {
                                 way.write(bookmark_event("Pod", "1"));
                                 way.write(event);
                                 way.write(bookmark_event("ConfigMap", ""));
                               }));
  all.push_back(edit_of_events("F-48", "no bookmarks", [](const std::string& event, Way& way) {
    const EventFacts facts = facts_of(event);
    if (facts.type != "BOOKMARK" || facts.ends_initial_state) way.write(event);
  }));

  Fault endless{.number = "F-49", .name = "no end of the initial state"};
  endless.fates = edited(endless.name, {Kind::Stream}, [](Chance&, const Request&) {
    return Edit([](const std::string& event, Way& way) {
      if (!facts_of(event).ends_initial_state) way.write(event);
    });
  });
  all.push_back(std::move(endless));

  Fault early{.number = "F-50", .name = "the end of the initial state before the state"};
  early.fates = edited(early.name, {Kind::Stream},
                       [](Chance&, const Request&) { return end_before_the_state(); });
  early.lies = {.leaves_out = true, .ends_too_soon = true};
  all.push_back(std::move(early));
  return all;
}

// The list as it was before anything was written.
std::string null_list(const std::string& list) {
  const auto read = kube::json::parse(list);
  if (!read) return list;
  const kube::json::Value& value = *read;
  std::string out = R"({"kind":")";
  out.append(value.string_at({"kind"})).append(R"(","apiVersion":")");
  out.append(value.string_at({"apiVersion"}));
  return out.append(R"(","metadata":{"resourceVersion":"100"},"items":null})");
}

std::vector<Fault> contents() {
  std::vector<Fault> all;
  Fault type{.number = "F-52", .name = "an unknown type of event"};
  type.fates = edited(type.name, kStreams, [](Chance& chance, const Request&) {
    return Edit([left = chance.dice.below(4)](const std::string& event, Way& way) mutable {
      way.write(left-- == 0 ? with_type(event, "RENAMED") : event);
    });
  });
  all.push_back(std::move(type));

  Fault fields{.number = "F-53", .name = "unknown fields and nulls"};
  fields.fates = edited(fields.name, kReads, [](Chance&, const Request&) {
    return Edit([](const std::string& piece, Way& way) {
      way.write(replaced(piece, R"("metadata":{)",
                         R"("future":{"a":[null]},"metadata":{"labels":null,"future":{},)"));
    });
  });
  fields.lies.other_content = true;
  all.push_back(std::move(fields));

  Fault nothing{.number = "F-56", .name = "items: null", .stale = true};
  nothing.fates = edited(nothing.name, {Kind::List}, [](Chance&, const Request& request) {
    // A list that may have any version is that of the beginning, from which events follow.
    const bool takes_any = request.target.find("resourceVersion=0") != std::string::npos;
    return Edit([takes_any](const std::string& list, Way& way) {
      way.write(takes_any ? null_list(list) : list);
    });
  });
  all.push_back(std::move(nothing));
  return all;
}

}  // namespace

std::vector<Fault> content_faults() {
  std::vector<Fault> all = orders();
  for (auto&& group : {bookmarks(), contents()}) all.insert(all.end(), group.begin(), group.end());
  return all;
}

}  // namespace real_threads
