// SPDX-License-Identifier: Apache-2.0
//
// The events of a FakeWatch and the request that reads them.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include <kube/base/mutex.hpp>
#include <kube/fake/fake_watch.hpp>
#include <kube/testing/scripted_transport.hpp>

namespace kube::fake {

class FakeWatch::State {
 public:
  /// Returns false while another request reads it.
  bool open(const testing::ScriptedCall& call);
  /// An empty event ends the watch.
  void push(std::optional<std::string> event);
  bool is_open() const;
  /// Ends the request that reads it, as when the server dies.
  void cut();

 private:
  bool read_by_any() const KUBE_REQUIRES(mutex_);
  void send_all();

  mutable Mutex mutex_;
  std::deque<std::optional<std::string>> events_ KUBE_GUARDED_BY(mutex_);
  std::optional<testing::ScriptedCall> reader_ KUBE_GUARDED_BY(mutex_);
  bool begun_ KUBE_GUARDED_BY(mutex_) = false;    // the reader has the head of the response
  bool sending_ KUBE_GUARDED_BY(mutex_) = false;  // some thread is in send_all()
};

}  // namespace kube::fake
