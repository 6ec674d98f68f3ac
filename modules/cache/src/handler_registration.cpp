// SPDX-License-Identifier: Apache-2.0
//
// Removes handlers from their informer.
#include <kube/cache/handler_registration.hpp>

#include <utility>

#include "informer_impl.hpp"
#include "may_wait.hpp"

namespace kube {

HandlerRegistration::HandlerRegistration(std::weak_ptr<void> informer,
                                         const std::shared_ptr<cache::Listener>& listener)
    : informer_(std::move(informer)), listener_(listener), record_(listener->record()) {}

HandlerRegistration& HandlerRegistration::operator=(HandlerRegistration&& other) noexcept {
  if (this == &other) return *this;
  unregister_and_wait();
  informer_ = std::move(other.informer_);
  listener_ = std::move(other.listener_);
  record_ = std::move(other.record_);
  return *this;
}

void HandlerRegistration::unregister() {
  const std::shared_ptr<cache::Listener> listener = listener_.lock();
  if (!listener) return;  // destroyed with its informer, which has closed it
  listener->close();
  const auto informer = std::static_pointer_cast<cache::InformerCore::Impl>(informer_.lock());
  if (!informer) return;
  informer->post([listener](cache::InformerCore::Impl& impl) { impl.processor.remove(listener); });
}

void HandlerRegistration::unregister_and_wait() {
  unregister();
  if (const auto listener = listener_.lock()) listener->close_and_wait();
}

bool HandlerRegistration::has_synced() const {
  return record_ && record_->has_synced();
}

// The informer has had its reminder since the handler was added.
bool HandlerRegistration::wait_for_sync(std::stop_token stop) const {
  if (!record_) return false;
  if (record_->has_synced()) return true;
  if (const auto informer = std::static_pointer_cast<cache::InformerCore::Impl>(informer_.lock())) {
    Result<void> allowed = cache::may_wait_for(informer->strand);
    if (record_->calls().entered_here()) {
      allowed = Error(ErrorCode::InvalidArgument,
                      "a call that waits for a handler was made in it, and would never end; use "
                      "has_synced() there");
    }
    if (!cache::allowed_or_logged(allowed, informer->runtime.logger, "handler", record_->name()))
      return false;
  }
  return record_->wait_for_sync(std::move(stop));
}

HandlerStatus HandlerRegistration::status() const {
  return record_ ? record_->status() : HandlerStatus{};
}

}  // namespace kube
