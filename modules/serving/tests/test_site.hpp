// SPDX-License-Identifier: Apache-2.0
//
// A server of tests whose paths say what the answer is, and that has watches.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <kube/base/mutex.hpp>

#include "http/http_server.hpp"

namespace kube::serving::test {

// Text of which no piece is like another.
inline std::string text_of(std::size_t size, std::size_t salt) {
  std::string out;
  for (std::uint32_t i = static_cast<std::uint32_t>(salt); out.size() < size; ++i) {
    out += std::to_string(i * 2654435761U) + " ";
  }
  out.resize(size);
  return out;
}

inline std::string event_text(std::uint64_t number) {
  return "event " + std::to_string(number) + " " + text_of(number * 7919 % 9000, number) + "\n";
}

/// Numbered events for all watches.
class Feed final : public RevisionSource {
 public:
  explicit Feed(IoThreads& io) : io_(io) {}

  void publish() {
    std::vector<WakerPtr> waiting;
    {
      const MutexLock lock(mutex_);
      ++last_;
      waiting.swap(waiting_);
    }
    io_.post([waiting = std::move(waiting)] {
      for (const auto& each : waiting) each->wake();
    });
  }
  std::uint64_t last() const {
    const MutexLock lock(mutex_);
    return last_;
  }
  /// Returns the last event; the next one wakes `waker` when none is after `seen`.
  std::uint64_t read(std::uint64_t seen, const WakerPtr& waker) {
    const MutexLock lock(mutex_);
    if (last_ == seen) waiting_.push_back(waker);
    return last_;
  }

  void when_reached(std::uint64_t revision, const WakerPtr& waker) override {
    if (read(revision - 1, waker) >= revision) io_.post([waker] { waker->wake(); });
  }
  void forget(const WakerPtr&) override {}

 private:
  IoThreads& io_;
  mutable Mutex mutex_;
  std::uint64_t last_ KUBE_GUARDED_BY(mutex_) = 0;
  std::vector<WakerPtr> waiting_ KUBE_GUARDED_BY(mutex_);
};

/// Sends a number of events, and ends.
class FeedWatch final : public WatchSource {
 public:
  FeedWatch(Feed& feed, std::uint64_t from, std::uint64_t count)
      : feed_(feed), at_(from), end_(from + count) {}

  void attach(Executor&, std::function<void()> wake) override {
    waker_ = std::make_shared<const Waker>(std::move(wake));
  }
  State pump(std::vector<Slice>& out) override {
    if (ending_.load() || at_ == end_) return State::End;
    const std::uint64_t last = std::min(feed_.read(at_, waker_), end_);
    if (last == at_) return State::Idle;
    for (; at_ != last; ++at_) {
      auto text = std::make_shared<const std::string>(event_text(at_ + 1));
      out.push_back({*text, text});
    }
    return State::Data;
  }
  void bookmark() override {}
  void end() override {
    ending_.store(true);
    if (waker_) waker_->wake();
  }
  bool ending() const override { return ending_.load(); }

 private:
  Feed& feed_;
  std::uint64_t at_;
  const std::uint64_t end_;
  WakerPtr waker_;
  std::atomic<bool> ending_{false};
};

/// Always has a little more.
class EndlessWatch final : public WatchSource {
 public:
  explicit EndlessWatch(std::atomic<std::size_t>& chunks) : chunks_(chunks) {}
  void attach(Executor&, std::function<void()>) override {}
  State pump(std::vector<Slice>& out) override {
    if (ending_.load()) return State::End;
    chunks_.fetch_add(1);
    out.push_back({"more\n", nullptr});
    return State::Data;
  }
  void bookmark() override {}
  void end() override { ending_.store(true); }
  bool ending() const override { return ending_.load(); }

 private:
  std::atomic<std::size_t>& chunks_;
  std::atomic<bool> ending_{false};
};

class TextSource final : public BodySource {
 public:
  explicit TextSource(std::string text) : text_(std::move(text)) {}
  State next(std::size_t size, Body& out) override {
    out.text.append(text_, at_, size);
    at_ = std::min(text_.size(), at_ + size);
    return at_ == text_.size() ? State::End : State::More;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

// The text of a body, with parts that lie elsewhere.
inline Body sliced(const std::string& text) {
  Body out;
  std::size_t step = 1;
  for (std::size_t at = 0; at < text.size(); at += step) {
    step = step * 3 % 40'009 + 1;
    auto part = std::make_shared<const std::string>(text.substr(at, step));
    step % 2 == 0 ? out.insert({*part, part}) : void(out.text += *part);
  }
  return out;
}

/// A server whose answer is said in the path: /KIND/SIZE.
class TestSite {
 public:
  explicit TestSite(HttpServer::Options options)
      : feed(io),
        timers(io.executor()),
        server(HttpServer::listen(
                   std::move(options), io, *timers, ids,
                   {[this](const HttpRequest& request, bool last) { return handle(request, last); },
                    [this](const HttpRequest&) {
                      refused.fetch_add(1);
                      return text_response(413, "too large");
                    }})
                   .value()) {}
  ~TestSite() {
    io.start("site", 1, nullptr);  // for stop(), when the test has none
    server->stop();
    io.stop();
  }

  static std::string answer_to(const std::string& method, const std::string& target,
                               const std::string& body) {
    const std::size_t size = std::stoul(target.substr(target.rfind('/') + 1));
    return method + " " + body + text_of(size, body.size());
  }

  IoThreads io;
  Ids ids{1};
  Feed feed;
  std::shared_ptr<Executor> timers;
  std::atomic<std::size_t> handled{0};
  std::atomic<std::size_t> refused{0};
  std::atomic<std::size_t> endless_chunks{0};
  std::unique_ptr<HttpServer> server;

 private:
  HttpResponse handle(const HttpRequest& request, bool last_attempt) {
    const std::string& target = request.target;
    HttpResponse response;
    if (target.starts_with("/await/") && !last_attempt) {
      const std::uint64_t to = feed.last() + 1;
      response.await_revision.emplace();
      response.await_revision->source = &feed;
      response.await_revision->revision = to;
      io.post([this] { feed.publish(); });
      return response;
    }
    handled.fetch_add(1);
    if (target.starts_with("/watch/")) {
      const std::uint64_t from = feed.last();
      response.headers.emplace_back("From", std::to_string(from));
      response.watch =
          std::make_shared<FeedWatch>(feed, from, std::stoul(target.substr(target.rfind('/') + 1)));
      return response;
    }
    if (target == "/endless") {
      response.watch = std::make_shared<EndlessWatch>(endless_chunks);
      return response;
    }
    feed.publish();
    std::string text = answer_to(request.method, target, request.body);
    if (target.starts_with("/stream/")) {
      response.stream = std::make_unique<TextSource>(std::move(text));
    } else if (target.starts_with("/slices/")) {
      response.body = sliced(text);
    } else {
      response.body = std::move(text);
    }
    return response;
  }
};

}  // namespace kube::serving::test
