// SPDX-License-Identifier: Apache-2.0
//
// An identity provider on loopback, and ID tokens as it hands them out.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <kube/base/ascii.hpp>
#include <kube/base/percent.hpp>
#include <kube/json/base64.hpp>
#include <kube/json/value.hpp>

#include "loopback_server.hpp"

namespace kube::rest {

inline std::string base64_url(const std::string& bytes) {
  std::string text;
  json::write_base64(bytes, text);
  for (char& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
  while (text.ends_with('=')) text.pop_back();
  return text;
}

inline std::string id_token(const std::string& claims) {
  return base64_url(R"({"alg":"none"})") + "." + base64_url(claims) + ".c2lnbmF0dXJl";
}
// The fake clock begins at 2026-01-01T00:00:00Z.
inline constexpr std::int64_t kStart = 1767225600;
inline std::string token_for(std::int64_t seconds, const std::string& name = "n") {
  return id_token(R"({"sub":")" + name + R"(","exp":)" + std::to_string(kStart + seconds) + "}");
}

// An identity provider: its discovery document, and answers of its token endpoint.
class IdentityProviderServer {
 public:
  IdentityProviderServer()
      : authority_("IdP CA"),
        server_([this](transport::Peer& peer) { serve(peer); },
                {.tls = transport::ServerTls{.certificate = authority_.server({"127.0.0.1"})}}) {}

  std::string issuer() const { return server_.url("/realm"); }
  std::string token_endpoint() const { return server_.url("/token"); }
  const std::string& ca() const { return authority_.certificate(); }
  void answer(std::string body, int status = 200) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(body);
    status_ = status;
  }
  void name_token_endpoint(const std::string& url) {
    const std::lock_guard lock(mutex_);
    endpoint_ = url;
  }
  // From now on a refresh token is valid once: `first`, then the "next 1", "next 2", ... that come
  // with each ID token.
  void rotate(std::string first, std::function<std::string()> make_id_token) {
    const std::lock_guard lock(mutex_);
    refresh_token_ = std::move(first);
    make_id_token_ = std::move(make_id_token);
  }
  // Ends each connection on which it is asked for tokens.
  void drop_refreshes() {
    const std::lock_guard lock(mutex_);
    drops_ = true;
  }
  // The keys (RFC 7517) by which servers know its tokens.
  void publish_keys(std::string key_set) {
    const std::lock_guard lock(mutex_);
    key_set_ = std::move(key_set);
  }
  void want_password_in_the_form() {
    const std::lock_guard lock(mutex_);
    form_only_ = true;
  }
  // "METHOD target authorization body" of the requests since the last call.
  std::vector<std::string> take_requests() {
    const std::lock_guard lock(mutex_);
    return std::exchange(requests_, {});
  }

 private:
  void serve(transport::Peer& peer) {
    while (const auto request = peer.read_request()) {
      const std::size_t at = request->head.find("Authorization: ");
      const std::string authorization =
          at == std::string::npos
              ? "-"
              : request->head.substr(at + 15, request->head.find('\r', at) - at - 15);
      std::string body;
      int status = 200;
      bool drop = false;
      {
        const std::lock_guard lock(mutex_);
        body = request->target == "/keys"
                   ? key_set_
                   : json::dump(json::Object{
                         {"issuer", issuer()},
                         {"token_endpoint", endpoint_.empty() ? token_endpoint() : endpoint_},
                         {"jwks_uri", server_.url("/keys")}});
        requests_.push_back(request->method + " " + request->target + " " + authorization + " " +
                            request->body);
        if (request->method == "POST") {
          drop = drops_;
          status = form_only_ && authorization != "-" ? 401 : status_;
          body = answer_;
          if (make_id_token_) rotated(request->body, status, body);
        }
      }
      if (drop) return;
      peer.write("HTTP/1.1 " + std::to_string(status) +
                 " X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    }
  }
  void rotated(std::string form, int& status, std::string& body) {
    for (std::size_t at = 0; (at = form.find('+')) != std::string::npos;)
      form.replace(at, 1, "%20");
    const std::string wanted = "refresh_token=" + percent_encoded(refresh_token_, ascii::is_alnum);
    const std::size_t at = form.find(wanted);
    const bool is_newest = at != std::string::npos &&
                           (at + wanted.size() == form.size() || form[at + wanted.size()] == '&');
    status = is_newest ? 200 : 400;
    body = R"({"error":"invalid_grant"})";
    if (!is_newest) return;
    refresh_token_ = "next " + std::to_string(++rotations_);
    // client-go takes no response without an access token.
    body = json::dump(json::Object{{"access_token", "of no use"},
                                   {"token_type", "Bearer"},
                                   {"id_token", make_id_token_()},
                                   {"refresh_token", refresh_token_}});
  }

  const transport::TestAuthority authority_;
  std::mutex mutex_;
  std::string answer_;
  std::string endpoint_;  // empty: its own
  int status_ = 200;
  bool form_only_ = false;
  bool drops_ = false;
  std::string key_set_;
  std::string refresh_token_;
  std::function<std::string()> make_id_token_;
  int rotations_ = 0;
  std::vector<std::string> requests_;
  transport::LoopbackServer server_;
};

}  // namespace kube::rest
