// SPDX-License-Identifier: Apache-2.0
//
// F-55, and F-60 to F-71: the cluster.
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include <kube/apiserver/api_server.hpp>

#include "fault.hpp"

namespace real_threads {
namespace {

using faulty_front::http_response;
using faulty_front::status_response;
using std::chrono::seconds;

// The first list of a path, which later ones get that take any version.
class OldLists {
 public:
  std::string of(const std::string& path, const std::string& newest) {
    const std::lock_guard lock(mutex_);
    return lists_.emplace(path, newest).first->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> lists_;
};

Fault stale_lists() {
  Fault fault{.number = "F-60", .name = "a list of a replica that is behind", .stale = true};
  fault.fates = [name = fault.name](Chance) -> Fates {
    return [name, lists = std::make_shared<OldLists>()](const Request& request) -> Fate {
      // Such a server streams no initial state: all is listed.
      if (kind_of(request) == Kind::Stream)
        return {.answer = status_response("422 Unprocessable Entity", "Invalid", 422)};
      const bool takes_any = request.target.find("resourceVersion=0") != std::string::npos;
      if (kind_of(request) != Kind::List || !takes_any) return {};
      const std::string path = request.target.substr(0, request.target.find('?'));
      return {
          .name = name, .json = true, .piece = [path, lists](const std::string& list, Way& way) {
            way.write(lists->of(path, list));
          }};
    };
  };
  return fault;
}

Fault burst() {
  // A slow handler takes almost a second for an event, and has to hear all of them.
  constexpr std::uint64_t kLastVersion = 1300;
  return {.number = "F-55", .name = "a burst of events", .stir = [](Surroundings& at) {
            using kube::json::Object;
            if (at.server.resource_version() > kLastVersion) return false;
            for (int i = 0; i < 300; ++i) {
              const std::string name = "object-" + std::to_string(at.dice.below(6));
              static_cast<void>(at.server.load(kube::Unstructured(
                  Object{{"apiVersion", "v1"},
                         {"kind", "ConfigMap"},
                         {"metadata", Object{{"name", name}, {"namespace", "default"}}},
                         {"data", Object{{"value", std::to_string(i)}}}})));
            }
            return true;
          }};
}

Fault end_of_all_watches() {
  return {.number = "F-66", .name = "all watches end", .stir = [](Surroundings& at) {
            at.dice.one_in(2) ? at.server.end_watches() : at.server.drop_connections();
            return true;
          }};
}

Fault skewed_clock() {
  Fault fault{.number = "F-63", .name = "dates of another year"};
  fault.fates = fates_of(kAll, 1, Fate{.name = fault.name, .head = [](std::string& head) {
                                         const std::size_t begin = head.find("Date: ");
                                         if (begin != std::string::npos) {
                                           head.erase(begin, head.find("\r\n", begin) + 2 - begin);
                                         }
                                         head += "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n";
                                       }});
  return fault;
}

Fault no_such_api() {
  Fault fault{.number = "F-64", .name = "404 for the resource"};
  fault.fates = fates_of(
      {Kind::List, Kind::Watch, Kind::Stream}, 2,
      Fate{.name = fault.name,
           .answer = http_response("404 Not Found", "Content-Type: text/plain; charset=utf-8\r\n",
                                   "404 page not found\n")});
  return fault;
}

Fault terminating_namespace() {
  Fault fault{
      .number = "F-69", .name = "403 to a create in a terminating namespace", .needs_writes = true};
  fault.fates = fates_of({Kind::Write}, 2, [name = fault.name](Chance&, const Request& request) {
    if (request.method != "POST") return Fate();
    return Fate{.name = name,
                .answer = http_response(
                    "403 Forbidden", "Content-Type: application/json\r\n",
                    R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
                    R"("message":"secrets is forbidden: unable to create new content in namespace)"
                    R"( default because it is being terminated","reason":"Forbidden","details":)"
                    R"({"causes":[{"reason":"NamespaceTerminating"}]},"code":403})")};
  });
  return fault;
}

Fault slow_admission() {
  Fault fault{.number = "F-70",
              .name = "504 after half a minute to a write that was carried out",
              .needs_writes = true};
  fault.fates = fates_of({Kind::Write}, 3, [name = fault.name](Chance& chance, const Request&) {
    return Fate{.name = name,
                .wait = chance.real(seconds(30)),
                .answer = status_response("504 Gateway Timeout", "Timeout", 504),
                .is_carried_out = true};
  });
  return fault;
}

Fault older_replica() {
  Fault fault{.number = "F-71",
              .name = "a response without a field that was written",
              .needs_writes = true};
  fault.fates = fates_of(
      {Kind::Write}, 1,
      Fate{.name = fault.name, .json = true, .piece = [](const std::string& object, Way& way) {
             std::string out = object;
             const std::size_t begin = out.find(R"("annotations":{"of")");
             if (begin != std::string::npos) out.erase(begin, out.find('}', begin) + 2 - begin);
             way.write(out);
           }});
  return fault;
}

}  // namespace

std::vector<Fault> cluster_faults() {
  return {burst(),          stale_lists(),        skewed_clock(),
          no_such_api(),    end_of_all_watches(), terminating_namespace(),
          slow_admission(), older_replica()};
}

}  // namespace real_threads
