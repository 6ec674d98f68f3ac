// SPDX-License-Identifier: Apache-2.0
//
// Servers that speak HTTP/2 by TLS, and not well.
#include "http2_server.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "answers.hpp"
#include "honest_server.hpp"
#include "http2_frames.hpp"
#include "scenario.hpp"
#include "wire.hpp"

namespace faults {
namespace {

using namespace std::chrono_literals;
using kube::cache::testing::bookmark_text;
using kube::cache::testing::event_text;
using kube::cache::testing::object_text;
using kube::transport::Http2Answer;
using kube::transport::Http2Request;

// libcurl tries a request again, up to five times, when the server has not looked at it. The
// informer's next one may come 0.8 s later.
Bounds bounds_of_retries() {
  return {.most_in_a_second = 12, .requests_per_second = 5};
}

using Respond = std::function<Http2Answer(const Call& call)>;

// What HonestServer says, by HTTP/2: the list, and a watch with its one event.
Http2Answer honest(const Call& call) {
  if (call.kind == CallKind::List) return {.body = HonestServer(old_world()).list_body()};
  Http2Answer answer{.open = true};
  if (call.parameter("resourceVersion") == "1000") {
    answer.body = event_text("ADDED", object_text("web/front", "1001"));
  }
  return answer;
}

std::function<void(Connection&)> responding(Respond respond, std::uint32_t max_streams = 1000) {
  return [respond = std::move(respond), max_streams](Connection& connection) {
    const auto script = kube::transport::http2(
        [&](const Http2Request& request) {
          Call call = Call::of(request.method, request.path);
          connection.count(call);
          return respond(call);
        },
        max_streams);
    script(connection.peer());
  };
}

Scenario http2_scenario(std::string name, std::string server,
                        std::function<void(Connection&)> connection) {
  Scenario scenario{.name = "h2-" + std::move(name), .server = std::move(server)};
  scenario.setup.https = true;
  scenario.connection = std::move(connection);
  scenario.certificate = Certificate::Good;
  scenario.http2 = true;
  return scenario;
}

// Whole sessions that nghttp2 speaks.
std::vector<Scenario> by_library() {
  std::vector<Scenario> all;
  all.push_back(http2_scenario("no-streams", "allows no streams (MAX_CONCURRENT_STREAMS 0)",
                               responding(honest, 0)));
  all.back().bounds = bounds_of_retries();
  all.push_back(http2_scenario("goaway-each", "says GOAWAY after the head of each answer",
                               responding([](const Call& call) {
                                 Http2Answer answer = honest(call);
                                 answer.go_away = true;
                                 return answer;
                               })));
  all.push_back(http2_scenario("goaway-end", "ends each watch at once, and says GOAWAY",
                               responding([](const Call& call) {
                                 Http2Answer answer = honest(call);
                                 answer.go_away = true;
                                 answer.open = false;
                                 answer.body = call.kind == CallKind::List ? answer.body : "";
                                 return answer;
                               })));
  all.push_back(
      http2_scenario("refused-streams", "refuses each stream (REFUSED_STREAM)",
                     responding([](const Call&) { return Http2Answer{.refuse = true}; })));
  all.back().bounds = bounds_of_retries();
  all.push_back(http2_scenario("cut", "closes instead of an answer",
                               responding([](const Call&) { return Http2Answer{.cut = true}; })));
  all.push_back(
      http2_scenario("silence", "answers nothing to watches", responding([](const Call& call) {
                       if (call.kind == CallKind::List) return honest(call);
                       return Http2Answer{.silent = true};
                     })));
  all.back().setup.idle_timeout = 1s;
  all.push_back(http2_scenario("503", "refuses lists with 503", responding([](const Call&) {
                                 return Http2Answer{.status = 503, .body = "on holiday"};
                               })));
  all.back().bounds.says = "currently unable to handle the request";
  return all;
}

// The first connection that asks something is the bad one; as when one of many servers is.
Scenario no_streams_once() {
  const auto connections = std::make_shared<std::atomic<int>>(0);
  Scenario scenario = http2_scenario(
      "no-streams-once", "allows no streams on the first connection, and all on later ones",
      [connections](Connection& connection) {
        responding(honest, (*connections)++ == 0 ? 0 : 1000)(connection);
      });
  scenario.cut_to_mend = false;
  return scenario;
}

// The list comes, and then the connection is good for nothing any more.
Scenario no_streams_later() {
  const auto lists = std::make_shared<std::atomic<int>>(0);
  Scenario scenario = http2_scenario(
      "no-streams-later", "answers the first list and allows no further streams on its connection",
      responding([lists](const Call& call) {
        Http2Answer answer = honest(call);
        if (call.kind == CallKind::List && (*lists)++ == 0) answer.max_streams = 0;
        return answer;
      }));
  scenario.cut_to_mend = false;
  scenario.slow = true;  // until the transport gives the connection up
  return scenario;
}

// Frame by frame, what no library would say.
std::vector<Scenario> by_frames() {
  using namespace frames;
  const std::string list = HonestServer(old_world()).list_body();
  const std::string half = list.substr(0, list.size() / 2);
  std::vector<Scenario> all;
  all.push_back(http2_scenario(
      "goaway-in-body", "says GOAWAY (ENHANCE_YOUR_CALM) in the middle of an answer and closes",
      raw([half](Connection& connection, std::uint32_t stream) {
        connection.write(ok_head(stream) + data(stream, half) + go_away(0, 11, "calm down"));
        return false;
      })));
  all.push_back(http2_scenario("reset-in-body", "resets the stream in the middle of an answer",
                               raw([half](Connection& connection, std::uint32_t stream) {
                                 return connection.write(ok_head(stream) + data(stream, half) +
                                                         reset_stream(stream, 2));
                               })));
  all.push_back(http2_scenario("close-in-body", "closes in the middle of an answer",
                               raw([half](Connection& connection, std::uint32_t stream) {
                                 connection.write(ok_head(stream) + data(stream, half));
                                 return false;
                               })));
  all.push_back(http2_scenario("garbage", "answers with bytes that are no frames",
                               raw([](Connection& connection, std::uint32_t) {
                                 connection.write(std::string(4096, '\xee'));
                                 return false;
                               })));
  all.push_back(http2_scenario("pings", "sends 10,000 pings a second and no answer",
                               raw([](Connection& connection, std::uint32_t) {
                                 std::string pings;
                                 for (int i = 0; i < 100; ++i) pings += ping();
                                 while (connection.write(pings) && connection.pause(10ms)) {
                                 }
                                 return false;
                               })));
  all.push_back(http2_scenario("continuations", "sends header blocks that never end",
                               raw([](Connection& connection, std::uint32_t stream) {
                                 connection.write(open_head(stream));
                                 const std::string more = continuation(stream, 16'000);
                                 while (connection.write(more)) {
                                 }
                                 return false;
                               })));
  return all;
}

}  // namespace

std::vector<Scenario> http2_scenarios() {
  std::vector<Scenario> all = by_library();
  all.push_back(no_streams_once());
  all.push_back(no_streams_later());
  const std::vector<Scenario> more = by_frames();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace faults
