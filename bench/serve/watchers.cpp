// SPDX-License-Identifier: Apache-2.0
#include "watchers.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string_view>

namespace kube::bench {
namespace {

constexpr std::string_view kMark = "\"written\":\"@";
// A mark with its number and its end.
constexpr std::size_t kMaxMark = kMark.size() + 24;
constexpr std::size_t kBuffer = std::size_t{256} << 10U;

}  // namespace

std::string mark_of(Clock::time_point written) {
  return std::string(kMark) + std::to_string(written.time_since_epoch().count()) + "\"";
}

Watchers::Watchers(const Address& address, const std::vector<std::string>& targets)
    : buffer_(kMaxMark + kBuffer) {
  for (const std::string& target : targets) {
    Watch& watch = watches_.emplace_back();
    watch.connection = std::make_unique<Connection>(address);
    watch.connection->ask(target);
    watch.connection->read_head();
    watch.connection->stop_waiting();
  }
  reader_ = std::thread([this] { read(); });
}

Watchers::~Watchers() {
  stop();
}

void Watchers::stop() {
  stopping_.store(true);
  if (reader_.joinable()) reader_.join();
}

void Watchers::wait_for(std::size_t events) const {
  std::size_t before = 0;
  auto heard = Clock::now();
  while (events_.load() < events) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const std::size_t now = events_.load();
    if (now != std::exchange(before, now)) heard = Clock::now();
    const auto silence = Clock::now() - heard;
    if (silence > std::chrono::seconds(ended_.load() == 0 ? 20 : 2)) return;
  }
}

std::vector<float> Watchers::take_delays() {
  stop();
  return std::move(delays_);
}

void Watchers::read() {
  const int poll = ::epoll_create1(0);
  for (Watch& watch : watches_) {
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    wanted.data.ptr = &watch;
    ::epoll_ctl(poll, EPOLL_CTL_ADD, watch.connection->descriptor(), &wanted);
  }
  std::array<epoll_event, 256> ready{};
  while (!stopping_.load()) {
    const int count = ::epoll_wait(poll, ready.data(), ready.size(), 100);
    for (int i = 0; i < count; ++i) {
      read_from(*static_cast<Watch*>(ready[static_cast<std::size_t>(i)].data.ptr), poll);
    }
  }
  ::close(poll);
}

void Watchers::read_from(Watch& watch, int poll) {
  std::ranges::copy(watch.rest, buffer_.begin());
  const std::size_t kept = watch.rest.size();
  const auto n = watch.connection->read_some(std::span(buffer_).subspan(kept));
  if (n < 0) {
    ::epoll_ctl(poll, EPOLL_CTL_DEL, watch.connection->descriptor(), nullptr);
    ended_.fetch_add(1);
    return;
  }
  note_marks(watch, kept + static_cast<std::size_t>(n), Clock::now());
}

void Watchers::note_marks(Watch& watch, std::size_t size, Clock::time_point now) {
  const char* at = buffer_.data();
  const char* const end = at + size;
  while (true) {
    const auto left = static_cast<std::size_t>(end - at);
    const auto* mark = static_cast<const char*>(::memmem(at, left, kMark.data(), kMark.size()));
    if (mark == nullptr) break;
    const char* const digits = mark + kMark.size();
    std::int64_t written = 0;
    const auto number = std::from_chars(digits, end, written);
    if (number.ptr == end) {
      at = mark;
      break;
    }
    const std::chrono::duration<float, std::micro> delay =
        now - Clock::time_point(Clock::duration(written));
    delays_.push_back(delay.count());
    at = number.ptr;
    last_ = now;
    events_.fetch_add(1, std::memory_order_release);
  }
  const auto left = static_cast<std::size_t>(end - at);
  watch.rest.assign(end - std::min(left, kMaxMark), std::min(left, kMaxMark));
}

}  // namespace kube::bench
