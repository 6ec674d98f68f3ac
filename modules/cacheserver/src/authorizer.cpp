// SPDX-License-Identifier: Apache-2.0
#include "authorizer.hpp"

#include <utility>

#include <kube/base/file.hpp>
#include <kube/base/log.hpp>
#include <kube/meta/status.hpp>

#include "kinds/kind.hpp"

namespace kube::cacheserver {
namespace {

meta::GroupResource resource_of(const serving::Route& route) {
  return {route.group, route.resource};
}

/// A namespace is in itself, as for kube-apiserver.
const std::string& namespace_of(const serving::Route& route) {
  const bool is_namespace =
      route.group.empty() && route.resource == serving::builtin::kNamespaces.resource;
  return is_namespace ? route.name : route.namespace_;
}

std::string quoted(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

}  // namespace

Result<bool> Authorizer::read() {
  const auto text = read_file(file_, kMaxSmallFileBytes);
  if (!text) {
    return Error(ErrorCode::InvalidArgument,
                 "rules file \"" + file_ + "\": " + text.error().message());
  }
  auto parsed = Rules::parse(*text, file_);
  if (!parsed) return parsed.error();
  if (const auto old = rules(); old && *old == *parsed) return false;
  if (const auto served = served_.resources(); !served.empty()) {
    if (auto known = parsed->check_resources(served); !known) return known.error();
  }
  const auto fresh = std::make_shared<const Rules>(*std::move(parsed));
  std::vector<std::shared_ptr<serving::WatchSource>> lost;
  {
    const MutexLock lock(mutex_);
    rules_ = fresh;
    lost = watches_.lost([&](const Reading& each) {
      return fresh->allow(each.caller, each.resource, each.namespace_);
    });
  }
  for (const auto& watch : lost) watch->end();
  if (fresh->empty()) {
    KUBE_LOG(logger_, LogLevel::Warning, "cacheserver",
             "the rules file has no rule: no token may read anything", {"file", file_});
  }
  return true;
}

Result<void> Authorizer::check_resources() const {
  const auto now = rules();
  return now ? now->check_resources(served_.resources()) : Result<void>();
}

Result<void> Authorizer::check_read(const Caller& caller, const serving::Route& route) const {
  const auto now = rules();
  if (!now || now->allow(caller, resource_of(route), namespace_of(route))) return {};
  const std::string& namespace_ = namespace_of(route);
  return meta::forbidden_error(
      resource_of(route), route.name,
      "User " + quoted(caller.user) + " cannot " + std::string(to_string(*route.verb)) +
          " resource " + quoted(route.resource) + " in API group " + quoted(route.group) +
          (namespace_.empty() ? " at the cluster scope"
                              : " in the namespace " + quoted(namespace_)));
}

Result<void> Authorizer::check_path(const Caller& caller, const std::string& path) const {
  const auto now = rules();
  if (!now || now->allow_all(caller)) return {};
  return meta::forbidden_error({}, "",
                               "User " + quoted(caller.user) + " cannot get path " + quoted(path));
}

std::vector<std::string> Authorizer::namespaces_of(const Caller& caller,
                                                   const meta::GroupResource& resource) const {
  const auto now = rules();
  return now ? now->namespaces_of(caller, resource) : std::vector<std::string>{""};
}

void Authorizer::follow(const Caller& caller, const serving::Route& route,
                        const std::shared_ptr<serving::WatchSource>& watch) {
  Reading reading{caller, resource_of(route), namespace_of(route)};
  {
    const MutexLock lock(mutex_);
    if (!rules_) return;
    // The rules may have changed since they were asked.
    if (rules_->allow(reading.caller, reading.resource, reading.namespace_)) {
      return watches_.add(watch, std::move(reading));
    }
  }
  watch->end();
}

std::shared_ptr<const Rules> Authorizer::rules() const {
  const MutexLock lock(mutex_);
  return rules_;
}

}  // namespace kube::cacheserver
