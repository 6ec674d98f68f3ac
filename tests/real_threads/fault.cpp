// SPDX-License-Identifier: Apache-2.0
#include "fault.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <kube/json/value.hpp>

namespace real_threads {

Kind kind_of(const Request& request) {
  if (request.method != "GET") return Kind::Write;
  if (request.target.find("sendInitialEvents=true") != std::string::npos) return Kind::Stream;
  if (faulty_front::is_watch(request)) return Kind::Watch;
  const std::string path = request.target.substr(0, request.target.find('?'));
  return path.ends_with("configmaps") || path.ends_with("secrets") || path.ends_with("widgets")
             ? Kind::List
             : Kind::Get;
}

std::vector<Fault> all_faults() {
  std::vector<Fault> all;
  for (auto&& group : {connection_faults(), status_faults(), content_faults(), cluster_faults()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

std::function<Fates(Chance)> fates_of(std::vector<Kind> kinds, std::uint64_t one_in,
                                      std::function<Fate(Chance& chance, const Request&)> fate) {
  return [kinds = std::move(kinds), one_in, fate = std::move(fate)](Chance chance) -> Fates {
    return [=, chance = std::make_shared<Chance>(std::move(chance))](const Request& request) {
      const bool concerned = std::ranges::find(kinds, kind_of(request)) != kinds.end();
      if (!concerned || !chance->dice.one_in(one_in)) return Fate();
      return fate(*chance, request);
    };
  };
}

std::function<Fates(Chance)> fates_of(std::vector<Kind> kinds, std::uint64_t one_in, Fate fate) {
  return fates_of(std::move(kinds), one_in,
                  [fate = std::move(fate)](Chance&, const Request&) { return fate; });
}

std::string error_event(int code, std::string_view reason) {
  std::string out = R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},)"
                    R"("status":"Failure","message":"injected","reason":")";
  return out.append(reason).append(R"(","code":)").append(std::to_string(code)).append("}}\n");
}

std::string bookmark_event(std::string_view kind, std::string_view version) {
  std::string out = R"({"type":"BOOKMARK","object":{"kind":")";
  out.append(kind).append(R"(","apiVersion":"v1","metadata":{"resourceVersion":")");
  return out.append(version).append("\"}}}\n");
}

EventFacts facts_of(const std::string& event) {
  const auto read = kube::json::parse(event);
  if (!read) return {};
  const kube::json::Value& value = *read;
  EventFacts facts;
  facts.type = value.string_at({"type"});
  facts.key = std::string(value.string_at({"object", "metadata", "namespace"})) + "/" +
              std::string(value.string_at({"object", "metadata", "name"}));
  facts.version = value.string_at({"object", "metadata", "resourceVersion"});
  facts.ends_initial_state =
      value.string_at({"object", "metadata", "annotations", "k8s.io/initial-events-end"}) == "true";
  return facts;
}

std::string with_type(const std::string& event, std::string_view type) {
  const std::size_t begin = event.find(R"("type":")") + 8;
  std::string out = event;
  return out.replace(begin, event.find('"', begin) - begin, type);
}

}  // namespace real_threads
