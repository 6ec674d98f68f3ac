// SPDX-License-Identifier: Apache-2.0
#include <kube/config/identity.hpp>

#include <utility>
#include <vector>

#include <kube/base/ascii.hpp>
#include <kube/base/percent.hpp>

namespace kube::rest {
namespace {

using transport::Exchange;
using transport::Headers;
using transport::HttpRequest;
using transport::ResponseHandler;
using transport::RoundTripper;

// Adds <prefix>User, <prefix>Uid, <prefix>Group and <prefix>Extra-<key>.
void add_identity(Headers& headers, const std::string& prefix,
                  const ImpersonationConfig& identity) {
  headers.set(prefix + "User", identity.user_name);
  if (!identity.uid.empty()) headers.set(prefix + "Uid", identity.uid);
  for (const std::string& group : identity.groups) headers.add(prefix + "Group", group);
  for (const auto& [key, values] : identity.extra) {
    const std::string name = canonical_header_name(prefix + "Extra-" + escape_header_key(key));
    for (const std::string& value : values) headers.add(name, value);
  }
}

class Impersonating final : public RoundTripper {
 public:
  Impersonating(ImpersonationConfig identity, std::shared_ptr<RoundTripper> base)
      : identity_(std::move(identity)), base_(std::move(base)) {}

  std::shared_ptr<Exchange> start(HttpRequest request, std::shared_ptr<ResponseHandler> handler,
                                  std::stop_token stop) override {
    if (!request.headers.find("Impersonate-User")) {
      add_identity(request.headers, "Impersonate-", identity_);
    }
    return base_->start(std::move(request), std::move(handler), std::move(stop));
  }

 private:
  const ImpersonationConfig identity_;
  const std::shared_ptr<RoundTripper> base_;
};

class AuthProxied final : public RoundTripper {
 public:
  AuthProxied(ImpersonationConfig identity, std::shared_ptr<RoundTripper> base)
      : identity_(std::move(identity)), base_(std::move(base)) {}

  std::shared_ptr<Exchange> start(HttpRequest request, std::shared_ptr<ResponseHandler> handler,
                                  std::stop_token stop) override {
    // What the caller claims must not reach the server.
    constexpr std::string_view kExtra = "X-Remote-Extra-";
    std::vector<std::string> claimed{"X-Remote-User", "X-Remote-Uid", "X-Remote-Group"};
    for (const auto& [name, value] : request.headers) {
      const std::string_view beginning = std::string_view(name).substr(0, kExtra.size());
      if (ascii::equal_ignoring_case(beginning, kExtra)) claimed.push_back(name);
    }
    for (const std::string& name : claimed) request.headers.remove(name);
    add_identity(request.headers, "X-Remote-", identity_);
    return base_->start(std::move(request), std::move(handler), std::move(stop));
  }

 private:
  const ImpersonationConfig identity_;
  const std::shared_ptr<RoundTripper> base_;
};

class WithUserAgent final : public RoundTripper {
 public:
  WithUserAgent(std::string user_agent, std::shared_ptr<RoundTripper> base)
      : user_agent_(std::move(user_agent)), base_(std::move(base)) {}

  std::shared_ptr<Exchange> start(HttpRequest request, std::shared_ptr<ResponseHandler> handler,
                                  std::stop_token stop) override {
    if (!request.headers.find("User-Agent")) request.headers.add("User-Agent", user_agent_);
    return base_->start(std::move(request), std::move(handler), std::move(stop));
  }

 private:
  const std::string user_agent_;
  const std::shared_ptr<RoundTripper> base_;
};

}  // namespace

std::shared_ptr<RoundTripper> impersonating(ImpersonationConfig identity,
                                            std::shared_ptr<RoundTripper> base) {
  return std::make_shared<Impersonating>(std::move(identity), std::move(base));
}

std::shared_ptr<RoundTripper> auth_proxied(ImpersonationConfig identity,
                                           std::shared_ptr<RoundTripper> base) {
  return std::make_shared<AuthProxied>(std::move(identity), std::move(base));
}

std::shared_ptr<RoundTripper> with_user_agent(std::string user_agent,
                                              std::shared_ptr<RoundTripper> base) {
  return std::make_shared<WithUserAgent>(std::move(user_agent), std::move(base));
}

std::string escape_header_key(std::string_view key) {
  return percent_encoded(key, [](char c) {
    return ascii::is_alnum(c) ||
           std::string_view("!#$&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

std::string canonical_header_name(std::string_view name) {
  std::string out;
  bool upper = true;
  for (const char c : name) {
    out.push_back(upper ? ascii::to_upper(c) : ascii::to_lower(c));
    upper = c == '-';
  }
  return out;
}

}  // namespace kube::rest
