// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/redirects.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kube/base/ascii.hpp>
#include <kube/base/mutex.hpp>
#include <kube/transport/url.hpp>

namespace kube::transport {
namespace {

constexpr std::size_t kMaxRedirects = 10;

std::string origin_of(const Url& url) {
  const std::string authority = ascii::to_lower(url.authority);
  const char* preset = url.scheme == "https" ? ":443" : ":80";
  return url.scheme + "://" + authority + (url.has_port ? "" : preset);
}

// Returns the URL that `location` means on a page at `from`; nullopt when it is on another server,
// or makes no sense.
std::optional<std::string> same_server(std::string_view from, std::string_view location) {
  const Result<Url> here = parse_url(from);
  location = location.substr(0, location.find('#'));
  if (!here || location.empty()) return std::nullopt;
  std::string target(location);
  if (location.find("://") == location.npos) {
    if (location.starts_with("//")) {
      target = here->scheme + ":" + target;
    } else {
      const bool is_query = location.front() == '?';  // it keeps the whole path (RFC 3986, 5.3)
      const std::string before =
          is_query ? here->path : here->path.substr(0, here->path.rfind('/') + 1);
      target =
          here->scheme + "://" + here->authority + (location.front() == '/' ? "" : before) + target;
    }
  }
  const Result<Url> there = parse_url(target);
  if (!there || there->has_user_info || origin_of(*there) != origin_of(*here)) return std::nullopt;
  return target;
}

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// The exchange of the caller: whichever is under way.
class FollowedExchange final : public Exchange {
 public:
  void resume() override {
    if (const auto current = this->current()) current->resume();
  }
  void cancel() override {
    std::shared_ptr<Exchange> current;
    {
      const MutexLock lock(mutex_);
      cancelled_ = true;
      current = current_;
    }
    if (current) current->cancel();
  }
  /// `exchange` is the one after so many redirects. The one before it may be reported later, from
  /// another thread. A cancel() that came before reaches it.
  void follow(std::shared_ptr<Exchange> exchange, std::size_t followed) {
    bool cancelled = false;
    {
      const MutexLock lock(mutex_);
      if (ended_ || followed < followed_) return;
      followed_ = followed;
      current_ = exchange;
      cancelled = cancelled_;
    }
    if (cancelled) exchange->cancel();
  }
  /// Called at the end. An exchange may own its handler for as long as it lives, and the handler
  /// owns this.
  void end() {
    std::shared_ptr<Exchange> last;
    const MutexLock lock(mutex_);
    ended_ = true;
    last.swap(current_);
  }

 private:
  std::shared_ptr<Exchange> current() const {
    const MutexLock lock(mutex_);
    return current_;
  }

  mutable Mutex mutex_;
  std::shared_ptr<Exchange> current_ KUBE_GUARDED_BY(mutex_);
  std::size_t followed_ KUBE_GUARDED_BY(mutex_) = 0;
  bool cancelled_ KUBE_GUARDED_BY(mutex_) = false;
  bool ended_ KUBE_GUARDED_BY(mutex_) = false;
};

// Sends the next request at the end of a redirect. Holds the transport weakly: an exchange must not
// keep alive the connections that it runs on.
class RedirectHandler final : public ResponseHandler {
 public:
  RedirectHandler(std::weak_ptr<RoundTripper> base, std::shared_ptr<FollowedExchange> exchange,
                  HttpRequest request, std::shared_ptr<ResponseHandler> inner, std::stop_token stop,
                  std::vector<std::string> visited, std::string doing)
      : base_(std::move(base)),
        exchange_(std::move(exchange)),
        request_(std::move(request)),
        inner_(std::move(inner)),
        stop_(std::move(stop)),
        visited_(std::move(visited)),
        doing_(std::move(doing)) {}

  void on_head(ResponseHead head) override {
    const auto location = head.headers.find("Location");
    if (is_redirect(head.status) && location) target_ = same_server(request_.url, *location);
    // A circle ends with the redirect that closes it, as the response.
    const bool closes_circle =
        target_ && (*target_ == request_.url ||
                    std::find(visited_.begin(), visited_.end(), *target_) != visited_.end());
    if (closes_circle) target_.reset();
    if (!target_) inner_->on_head(std::move(head));
  }
  Flow on_data(std::string_view chunk) override {
    return target_ ? Flow::Continue : inner_->on_data(chunk);
  }
  void on_end(Result<void> result) override {
    const auto base = base_.lock();
    if (!result) return end(failure(result.error()));
    if (!target_ || !base) return end(std::move(result));
    if (visited_.size() == kMaxRedirects) {
      return end(failure(Error(ErrorCode::Unreachable, "stopped after 10 redirects")));
    }
    visited_.push_back(std::exchange(request_.url, *std::move(target_)));
    const std::size_t followed = visited_.size();
    auto next = std::make_shared<RedirectHandler>(base_, exchange_, request_, inner_, stop_,
                                                  std::move(visited_), doing_);
    exchange_->follow(base->start(request_, std::move(next), stop_), followed);
  }

 private:
  void end(Result<void> result) {
    exchange_->end();
    inner_->on_end(std::move(result));
  }
  // The URL that a redirect names may hold a secret, such as a session: errors have the first one.
  Error failure(const Error& error) const {
    if (visited_.empty() && !target_) return error;
    return Error(error.code(), error.message()).with_detail(error.detail()).with_context(doing_);
  }

  const std::weak_ptr<RoundTripper> base_;
  const std::shared_ptr<FollowedExchange> exchange_;
  HttpRequest request_;
  const std::shared_ptr<ResponseHandler> inner_;
  const std::stop_token stop_;
  std::vector<std::string> visited_;  // the URLs before this one
  const std::string doing_;
  std::optional<std::string> target_;
};

class RedirectingTransport final : public RoundTripper {
 public:
  explicit RedirectingTransport(std::shared_ptr<RoundTripper> base) : base_(std::move(base)) {}

  std::shared_ptr<Exchange> start(HttpRequest request, std::shared_ptr<ResponseHandler> handler,
                                  std::stop_token stop) override {
    if ((request.method != "GET" && request.method != "HEAD") || !request.body.empty() ||
        !request.upgrade.empty()) {
      return base_->start(std::move(request), std::move(handler), std::move(stop));
    }
    auto exchange = std::make_shared<FollowedExchange>();
    auto redirects =
        std::make_shared<RedirectHandler>(base_, exchange, request, std::move(handler), stop,
                                          std::vector<std::string>(), printable_request(request));
    exchange->follow(base_->start(std::move(request), std::move(redirects), std::move(stop)), 0);
    return exchange;
  }

 private:
  const std::shared_ptr<RoundTripper> base_;
};

}  // namespace

std::shared_ptr<RoundTripper> following_redirects(std::shared_ptr<RoundTripper> base) {
  return std::make_shared<RedirectingTransport>(std::move(base));
}

}  // namespace kube::transport
