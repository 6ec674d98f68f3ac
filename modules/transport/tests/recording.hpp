// SPDX-License-Identifier: Apache-2.0
//
// A ResponseHandler that writes everything down and lets the test wait for it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <kube/testing/eventually.hpp>
#include <kube/testing/round_trip.hpp>
#include <kube/transport/round_tripper.hpp>

namespace kube::transport {

using testing::round_trip;

/// The body, or the error's text: what a test compares.
inline std::string body_or_error(const Result<HttpResponse>& response) {
  return response ? response->body : response.error().to_string();
}
template <class T>
std::string error_text(const Result<T>& result) {
  return result ? "no error" : result.error().to_string();
}
/// The error's code; nullopt for success.
template <class T>
std::optional<ErrorCode> code_of(const Result<T>& result) {
  if (result) return std::nullopt;
  return result.error().code();
}

class Recording final : public ResponseHandler {
 public:
  static constexpr std::size_t kKept = std::size_t{8} << 20;
  /// Decides what on_data() returns; runs in the I/O thread.
  using OnData = std::function<Flow(std::string_view chunk)>;
  explicit Recording(OnData on_data = nullptr) : decide_(std::move(on_data)) {}

  void on_head(ResponseHead head) override {
    const std::lock_guard lock(mutex_);
    note_thread();
    if (head_ || end_) ++violations_;
    head_ = std::move(head);
    changed_.notify_all();
  }

  Flow on_data(std::string_view chunk) override {
    Flow flow = Flow::Continue;
    {
      const std::lock_guard lock(mutex_);
      note_thread();
      if (!head_ || end_ || chunk.empty()) ++violations_;
      size_ += chunk.size();
      if (size_ <= kKept) {
        chunks_.emplace_back(chunk);
        body_.append(chunk);
      }
      if (size_ >= wanted_) changed_.notify_all();
    }
    if (decide_) flow = decide_(chunk);
    return flow;
  }

  void on_end(Result<void> result) override {
    const std::lock_guard lock(mutex_);
    note_thread();
    if (end_) ++violations_;
    end_ = std::move(result);
    changed_.notify_all();
  }

  /// The end's code; nullopt for success. Waits.
  std::optional<ErrorCode> await_end() {
    std::unique_lock lock(mutex_);
    if (!wait(lock, [this] { return end_.has_value(); })) return ErrorCode::Internal;
    if (*end_) return std::nullopt;
    return end_->error().code();
  }
  std::string await_error() {
    (void)await_end();
    const std::lock_guard lock(mutex_);
    return end_ && !*end_ ? end_->error().to_string() : "no error";
  }
  std::optional<ResponseHead> await_head() {
    std::unique_lock lock(mutex_);
    wait(lock, [this] { return head_ || end_; });
    return head_;
  }
  /// Until at least so many bytes of the body came.
  std::string await_body(std::size_t size) {
    std::unique_lock lock(mutex_);
    wanted_ = size;
    wait(lock, [this, size] { return size_ >= size || end_; });
    wanted_ = SIZE_MAX;
    return body_;
  }

  bool ended() {
    const std::lock_guard lock(mutex_);
    return end_.has_value();
  }
  /// Up to kKept bytes of it.
  std::string body() {
    const std::lock_guard lock(mutex_);
    return body_;
  }
  std::size_t body_size() {
    const std::lock_guard lock(mutex_);
    return size_;
  }
  std::vector<std::string> chunks() {
    const std::lock_guard lock(mutex_);
    return chunks_;
  }
  /// Calls against the contract: out of order, twice, empty, from several threads.
  int violations() {
    const std::lock_guard lock(mutex_);
    return violations_;
  }
  std::thread::id io_thread() {
    const std::lock_guard lock(mutex_);
    return thread_;
  }

 private:
  void note_thread() {
    if (thread_ != std::thread::id() && thread_ != std::this_thread::get_id()) ++violations_;
    thread_ = std::this_thread::get_id();
  }
  template <class Ready>
  bool wait(std::unique_lock<std::mutex>& lock, Ready ready) {
    return changed_.wait_for(lock, testing::kPatience, ready);
  }

  const OnData decide_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<ResponseHead> head_;
  std::vector<std::string> chunks_;
  std::string body_;
  std::size_t size_ = 0;
  std::size_t wanted_ = SIZE_MAX;
  std::optional<Result<void>> end_;
  int violations_ = 0;
  std::thread::id thread_;
};

}  // namespace kube::transport
