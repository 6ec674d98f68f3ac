// SPDX-License-Identifier: Apache-2.0
#include "health.hpp"

#include <array>
#include <chrono>
#include <string>
#include <string_view>

#include "reading/plain_handlers.hpp"

namespace kube::cacheserver {

using serving::HttpResponse;

namespace {

std::string seconds_of(Duration time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count());
}

/// Returns what the cluster answers in place of a watch. Whoever reads it needs no token, so that
/// it has nothing of the answer's text, which may name who was refused.
std::string_view said_instead(InformerCondition condition) {
  switch (condition) {
    case InformerCondition::Forbidden:
      return "; the cluster forbids to list or to watch it";
    case InformerCondition::Unauthorized:
      return "; the cluster does not accept the credentials";
    case InformerCondition::Unreachable:
      return "; the cluster can't be reached";
    case InformerCondition::Failing:
      return "; the cluster answers with errors";
    case InformerCondition::Unknown:
    case InformerCondition::Healthy:
    case InformerCondition::Missing:
      break;
  }
  return {};
}

/// Returns why a resource is not ready; empty when it is.
std::string not_ready(const Served& each, const InformerStatus& status, Duration max_age) {
  if (each.feed->is_missing()) return {};
  std::string problem = each.feed->problem();
  if (problem.empty()) {
    const auto age = each.age();
    if (age && *age <= max_age) return {};
    problem = "nothing was heard of it ";
    problem.append(age ? "for " + seconds_of(*age) + " seconds" : "yet");
  }
  return problem.append(said_instead(status.condition));
}

HttpResponse ready(const serving::Route& route, const ServedResources& served, Duration max_age) {
  std::string text;
  bool is_ready = true;
  for (const Served& each : served.all()) {
    const InformerStatus status = each.informer->status();
    const std::string why = not_ready(each, status, max_age);
    is_ready = is_ready && why.empty();
    text.append(why.empty() ? "[+]" : "[-]").append(each.to_string());
    text.append(why.empty() ? " ok" : " failed: " + why);
    if (each.feed->is_missing()) text.append("; the cluster says that it has no such resource");
    if (status.resumed) {
      text.append("; resumed from a state that was ").append(seconds_of(*status.resumed));
      text.append(" seconds old");
    }
    // They harm no other object, so that it is ready without them.
    if (status.refused > 0) {
      text.append("; objects refused: ").append(std::to_string(status.refused));
    }
    text.append("\n");
  }
  if (is_ready && !route.query.has("verbose")) return serving::text_response(200, "ok");
  text += is_ready ? "readyz check passed\n" : "readyz check failed\n";
  return serving::text_response(is_ready ? 200 : 503, std::move(text));
}

class MetricsText {
 public:
  void family(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    text_.append("# HELP ").append(name_).append(" ").append(help).append("\n# TYPE ");
    text_.append(name_).append(" ").append(type).append("\n");
  }
  void value(const std::string& number, const Served* of = nullptr) {
    text_ += name_;
    if (of != nullptr) {
      // Names of resources and namespaces have no characters to escape.
      text_.append("{group=\"").append(of->resource->gvk.group);
      text_.append("\",version=\"").append(of->resource->gvk.version);
      text_.append("\",resource=\"").append(of->resource->plural);
      text_.append("\",namespace=\"").append(of->namespace_).append("\"}");
    }
    text_.append(" ").append(number).append("\n");
  }
  std::string take() { return std::move(text_); }

 private:
  std::string name_;
  std::string text_;
};

/// What is known of one resource.
struct Reading {
  const Served* of;
  InformerStatus status;
};

std::string number_of(std::uint64_t number) {
  return std::to_string(number);
}
std::string number_of(std::optional<Duration> time) {
  return time ? std::to_string(std::chrono::duration<double>(*time).count()) : std::string();
}

struct Family {
  std::string_view name;
  std::string_view type;
  std::string_view help;
  std::string (*number)(const Reading&);  ///< Empty when there is none.
};

constexpr std::array kFamilies = {
    Family{"kube_cacheserver_objects", "gauge", "Objects in the cache.",
           [](const Reading& each) { return number_of(each.of->feed->collection().size()); }},
    Family{
        "kube_cacheserver_history_events", "gauge", "Events held for watches.",
        [](const Reading& each) { return number_of(each.of->feed->collection().history_size()); }},
    Family{
        "kube_cacheserver_history_bytes", "gauge",
        "Bytes of replaced and removed objects that the history holds.",
        [](const Reading& each) { return number_of(each.of->feed->collection().history_bytes()); }},
    Family{"kube_cacheserver_resource_version", "gauge",
           "The resourceVersion that the cache has reached.",
           [](const Reading& each) { return number_of(each.of->feed->collection().revision()); }},
    Family{"kube_cacheserver_unread_labels_total", "counter",
           "States of objects whose labels could not be read.",
           [](const Reading& each) { return number_of(each.of->feed->unread_labels()); }},
    Family{"kube_cacheserver_refused_objects", "gauge",
           "Objects whose newest state the cache refused.",
           [](const Reading& each) { return number_of(each.status.refused); }},
    Family{"kube_cacheserver_lists_total", "counter", "Complete states received of the cluster.",
           [](const Reading& each) { return number_of(each.status.lists); }},
    Family{"kube_cacheserver_watches_total", "counter", "Watches that the cluster has accepted.",
           [](const Reading& each) { return number_of(each.status.watches); }},
    Family{"kube_cacheserver_events_received_total", "counter",
           "Watch events received of the cluster.",
           [](const Reading& each) { return number_of(each.status.events); }},
    Family{"kube_cacheserver_healthy", "gauge",
           "1 when the cluster accepted the last watch, 0 when it did not.",
           [](const Reading& each) {
             return number_of(each.status.condition == InformerCondition::Healthy ? 1U : 0U);
           }},
    Family{"kube_cacheserver_resumed_age_seconds", "gauge",
           "The age that a saved state had when the cache began with it; none after a list.",
           [](const Reading& each) { return number_of(each.status.resumed); }},
    Family{"kube_cacheserver_age_seconds", "gauge", "The time since the cluster was last heard of.",
           [](const Reading& each) { return number_of(each.of->age()); }},
};

void add_resources(const std::vector<Served>& all, MetricsText& out) {
  std::vector<Reading> readings;
  readings.reserve(all.size());
  for (const Served& each : all) readings.push_back({&each, each.informer->status()});
  for (const Family& family : kFamilies) {
    out.family(family.name, family.type, family.help);
    for (const Reading& each : readings) {
      const std::string number = family.number(each);
      if (!number.empty()) out.value(number, each.of);
    }
  }
}

}  // namespace

std::optional<HttpResponse> serve_health(const serving::Route& route, const ServedResources& served,
                                         Duration max_age) {
  constexpr std::array<std::string_view, 3> kEndpoints = {"/healthz", "/livez", "/readyz"};
  for (const std::string_view endpoint : kEndpoints) {
    if (!route.path.starts_with(endpoint)) continue;
    const std::string_view rest = std::string_view(route.path).substr(endpoint.size());
    // The checks of an API server, such as /readyz/ping, say nothing of a cache.
    if (rest.starts_with('/')) return serving::page_not_found();
    if (!rest.empty()) continue;
    if (endpoint == "/readyz") return ready(route, served, max_age);
    return serving::text_response(200, "ok");
  }
  return std::nullopt;
}

HttpResponse metrics_response(const ServedResources& served,
                              const CacheServer::Statistics& statistics) {
  MetricsText out;
  const auto one = [&](std::string_view name, std::string_view type, std::string_view help,
                       std::uint64_t number) {
    out.family(name, type, help);
    out.value(std::to_string(number));
  };
  one("kube_cacheserver_requests_total", "counter", "HTTP requests received.", statistics.requests);
  one("kube_cacheserver_events_sent_total", "counter", "Watch events passed to connections.",
      statistics.events_sent);
  one("kube_cacheserver_connections", "gauge", "Open connections.", statistics.connections);
  one("kube_cacheserver_watchers", "gauge", "Open watches.", statistics.watchers);
  one("kube_cacheserver_watch_bytes", "gauge", "Bytes that are being sent to watchers.",
      statistics.watch_bytes);
  one("kube_cacheserver_states", "gauge", "Lists and initial events that are being sent.",
      statistics.states);
  add_resources(served.all(), out);
  HttpResponse response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = out.take();
  return response;
}

}  // namespace kube::cacheserver
