// SPDX-License-Identifier: Apache-2.0
#include <kube/fake/fake_watch.hpp>

#include <utility>

#include <kube/json/value.hpp>
#include <kube/meta/status.hpp>

#include "fake_watch_state.hpp"

namespace kube::fake {

bool FakeWatch::State::read_by_any() const {
  return reader_ && !reader_->cancelled() && !reader_->ended();
}

bool FakeWatch::State::is_open() const {
  const MutexLock lock(mutex_);
  return read_by_any();
}

bool FakeWatch::State::open(const testing::ScriptedCall& call) {
  std::optional<testing::ScriptedCall> before = call;  // destroyed without the lock
  {
    const MutexLock lock(mutex_);
    if (read_by_any()) return false;
    reader_.swap(before);
    begun_ = false;
  }
  send_all();
  return true;
}

void FakeWatch::State::push(std::optional<std::string> event) {
  {
    const MutexLock lock(mutex_);
    events_.push_back(std::move(event));
  }
  send_all();
}

// Without the lock while the reader receives: it may ask for the next watch.
void FakeWatch::State::send_all() {
  MutexLock lock(mutex_);
  if (sending_) return;
  sending_ = true;
  while (read_by_any() && (!begun_ || !events_.empty())) {
    testing::ScriptedCall reader = *reader_;
    if (!std::exchange(begun_, true)) {
      lock.unlock();
      reader.head(200);
      lock.lock();
      continue;
    }
    std::optional<std::string> event = std::move(events_.front());
    events_.pop_front();
    if (!event) reader_.reset();
    lock.unlock();
    if (event) {
      reader.data(*std::move(event));
    } else {
      reader.end();
    }
    lock.lock();
  }
  sending_ = false;
}

void FakeWatch::State::cut() {
  std::optional<testing::ScriptedCall> reader;
  {
    const MutexLock lock(mutex_);
    reader.swap(reader_);
  }
  if (reader) reader->reset();
}

FakeWatch::FakeWatch() : state_(std::make_shared<State>()) {}

void FakeWatch::push(std::string_view type, json::Value object) {
  const json::Value event =
      json::Object{{"type", std::string(type)}, {"object", std::move(object)}};
  state_->push(json::dump(event) + "\n");
}

void FakeWatch::add(const Unstructured& object) {
  push("ADDED", object.content);
}
void FakeWatch::modify(const Unstructured& object) {
  push("MODIFIED", object.content);
}
void FakeWatch::remove(const Unstructured& object) {
  push("DELETED", object.content);
}
void FakeWatch::bookmark(const Unstructured& object) {
  push("BOOKMARK", object.content);
}
void FakeWatch::fail(const Error& error) {
  push("ERROR", meta::status_json(error));
}
void FakeWatch::stop() {
  state_->push(std::nullopt);
}
bool FakeWatch::is_open() const {
  return state_->is_open();
}

}  // namespace kube::fake
