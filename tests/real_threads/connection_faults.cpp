// SPDX-License-Identifier: Apache-2.0
//
// F-01 to F-13: connections and streams.
#include <utility>

#include "fault.hpp"

namespace real_threads {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

using Last = std::function<void(const std::string& event, Way& way)>;

// Some events pass, and with the next one something happens.
std::function<Fates(Chance)> after_some_events(std::string name, Last last) {
  return fates_of(
      kStreams, 2,
      [name = std::move(name), last = std::move(last)](Chance& chance, const Request&) -> Fate {
        return {.name = name,
                .piece = [left = chance.dice.below(5), last](const std::string& event,
                                                             Way& way) mutable {
                  if (left-- == 0) return last(event, way);
                  way.write(event);
                }};
      });
}

// Writes so many bytes at a time.
void write_in_pieces(const std::string& text, std::size_t size, milliseconds pause, Way& way) {
  for (std::size_t at = 0; at < text.size() && !way.is_over(); at += size) {
    way.write(std::string_view(text).substr(at, size));
    if (pause > milliseconds(0)) way.pause(pause);
  }
}

std::vector<Fault> breaks() {
  return {
      {.number = "F-01",
       .name = "cut between events",
       .fates = after_some_events("cut between events",
                                  [](const std::string& event, Way& way) {
                                    way.write(event);
                                    way.cut();
                                  })},
      {.number = "F-02",
       .name = "cut inside an event",
       .fates = after_some_events("cut inside an event",
                                  [](const std::string& event, Way& way) {
                                    way.write(std::string_view(event).substr(0, event.size() / 2));
                                    way.cut();
                                  })},
      {.number = "F-03",
       .name = "cut inside a chunk",
       .fates = after_some_events("cut inside a chunk",
                                  [](const std::string& event, Way& way) {
                                    way.raw("4000\r\n" + event);
                                    way.close();
                                  })},
      {.number = "F-04",
       .name = "an end right after the head",
       .fates = fates_of(kStreams, 1,
                         Fate{.name = "an end right after the head",
                              .answer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                        "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"})},
      {.number = "F-05",
       .name = "silence on an open connection",
       .fates = after_some_events("silence on an open connection",
                                  [](const std::string&, Way& way) { way.hold(); })},
  };
}

std::vector<Fault> delays() {
  return {
      {.number = "F-06",
       .name = "a few bytes at a time",
       .fates = fates_of(kStreams, 2,
                         [](Chance& chance, const Request&) -> Fate {
                           return {.name = "a few bytes at a time",
                                   .piece = [pause = chance.real(milliseconds(100))](
                                                const std::string& event, Way& way) {
                                     write_in_pieces(event, 40, pause, way);
                                   }};
                         })},
      {.number = "F-07",
       .name = "chunks of a few bytes, or of two events",
       .fates = fates_of(kReads, 1,
                         [](Chance& chance, const Request&) -> Fate {
                           return {.name = "chunks of a few bytes, or of two events",
                                   .piece = [size = 1 + chance.dice.below(7)](
                                                const std::string& piece, Way& way) {
                                     write_in_pieces(piece, size, milliseconds(0), way);
                                   }};
                         })},
      {.number = "F-08",
       .name = "a late head",
       .fates = fates_of(kReads, 2,
                         [](Chance& chance, const Request&) -> Fate {
                           const seconds late(chance.dice.below(60));
                           return {.name = "a late head", .wait = chance.real(late)};
                         })},
  };
}

std::vector<Fault> headers() {
  return {
      {.number = "F-09",
       .name = "Connection: close",
       .fates = fates_of(kAll, 1,
                         Fate{.name = "Connection: close",
                              .head = [](std::string& head) { head += "Connection: close\r\n"; }})},
      {.number = "F-11",
       .name = "refused connections",
       .stir =
           [](Surroundings& at) {
             if (!at.dice.one_in(3)) {
               at.front.come_back();
               return false;
             }
             at.front.leave();
             return true;
           }},
      {.number = "F-13",
       .name = "strange headers and white space",
       .fates = fates_of(kReads, 1,
                         Fate{.name = "strange headers and white space",
                              .json = true,
                              .head =
                                  [](std::string& head) {
                                    head +=
                                        "X-Future: 1\r\nX-Future: 2\r\nCache-Control: private\r\n";
                                  },
                              .piece =
                                  [](const std::string& piece, Way& way) {
                                    std::string wide;
                                    for (std::size_t i = 0; i < piece.size(); ++i) {
                                      wide += piece[i];
                                      if (piece[i] == ':' && piece[i - 1] == '"') wide += " \t ";
                                    }
                                    way.write(wide);
                                  }})},
  };
}

}  // namespace

std::vector<Fault> connection_faults() {
  std::vector<Fault> all = breaks();
  for (auto&& group : {delays(), headers()}) all.insert(all.end(), group.begin(), group.end());
  return all;
}

}  // namespace real_threads
