// SPDX-License-Identifier: Apache-2.0
#include "honest_server.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "curl_answers.hpp"
#include "wire.hpp"

namespace faults {
namespace {

using kube::cache::testing::bookmark_text;
using kube::cache::testing::event_text;
using kube::cache::testing::list_text;
using kube::cache::testing::object_text;
using kube::transport::chunk;

constexpr std::chrono::milliseconds kUntilNews{100};
constexpr std::chrono::seconds kBookmarks{1};

std::optional<long> number(const std::string& text) {
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::string text_of(const World::Pod& pod) {
  return object_text(pod.key, pod.version);
}

bool bad_version(Connection& connection, const std::string& version) {
  return connection.write(http_status(
      400, "BadRequest", "resourceVersion: Invalid value: \\\"" + version + "\\\": not a number"));
}

bool too_large(Connection& connection, const std::string& version) {
  return connection.write(http_status(
      504, "Timeout", "Too large resource version: " + version,
      R"("details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1})"));
}

}  // namespace

std::vector<std::string> World::view() const {
  std::vector<std::string> lines;
  lines.reserve(pods.size());
  for (const Pod& pod : pods) lines.push_back(pod.key + '@' + pod.version);
  std::sort(lines.begin(), lines.end());
  return lines;
}

const World& old_world() {
  static const World world{{{"shop/cart", "980"}, {"shop/till", "990"}, {"web/front", "1001"}},
                           1000};
  return world;
}

const World& new_world() {
  static const World world{{{"shop/cart", "1980"}, {"web/back", "1990"}, {"web/side", "2001"}},
                           2000};
  return world;
}

std::string HonestServer::list_body() const {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < visible(); ++i) items.push_back(text_of(world_.pods[i]));
  return list_text(items, std::to_string(version()));
}

bool HonestServer::answer(Connection& connection, const Call& call) {
  if (call.kind == CallKind::Other) return other(connection, call);
  const std::string asked = call.parameter("resourceVersion");
  if (!asked.empty()) {
    const std::optional<long> wanted = number(asked);
    if (!wanted) return bad_version(connection, asked);
    if (*wanted > version()) return too_large(connection, asked);
  }
  if (call.kind == CallKind::Watch) return watch(connection, call);
  return connection.write(http_answer(200, list_body()));
}

bool HonestServer::watch(Connection& connection, const Call& call) {
  const std::string asked = call.parameter("resourceVersion");
  const bool everything = asked.empty() || asked == "0";
  if (!connection.write(kWatchHead)) return false;
  if (!everything && *number(asked) < world_.version) {
    connection.write(chunk(
        event_text("ERROR", status_text(410, "Expired", "too old resource version: " + asked))));
    connection.write(kLastChunk);
    return true;
  }
  if (everything) {
    for (std::size_t i = 0; i < visible(); ++i) {
      connection.write(chunk(event_text("ADDED", text_of(world_.pods[i]))));
    }
  }
  if (call.parameter("sendInitialEvents") == "true") {
    connection.write(chunk(bookmark_text(std::to_string(version()), "true")));
  }
  if (everything ? !watched_ : *number(asked) == world_.version) {
    if (!connection.pause(kUntilNews)) return false;
    watched_ = true;
    if (!connection.write(chunk(event_text("ADDED", text_of(world_.pods.back()))))) return false;
  }
  while (connection.pause(kBookmarks)) {
    if (!connection.write(chunk(bookmark_text(std::to_string(version()))))) return false;
  }
  return false;
}

bool HonestServer::other(Connection& connection, const Call& call) {
  const bool creates = call.method == "POST";  // the first pod, whatever the body says
  const std::string name = creates ? "cart" : call.path.substr(call.path.rfind('/') + 1);
  for (const World::Pod& pod : world_.pods) {
    if (pod.key.ends_with('/' + name)) {
      return connection.write(http_answer(creates ? 201 : 200, text_of(pod)));
    }
  }
  return connection.write(http_status(404, "NotFound", "pods \\\"" + name + "\\\" not found"));
}

}  // namespace faults
