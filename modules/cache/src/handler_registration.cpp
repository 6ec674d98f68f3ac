// SPDX-License-Identifier: Apache-2.0
#include <kube/cache/handler_registration.hpp>

#include <utility>

#include "informer_impl.hpp"

namespace kube {

HandlerRegistration::HandlerRegistration(std::weak_ptr<void> informer,
                                         std::shared_ptr<cache::Listener> listener)
    : informer_(std::move(informer)), listener_(std::move(listener)) {}

HandlerRegistration& HandlerRegistration::operator=(HandlerRegistration&& other) noexcept {
  if (this == &other) return *this;
  unregister_and_wait();
  informer_ = std::move(other.informer_);
  listener_ = std::move(other.listener_);
  return *this;
}

void HandlerRegistration::unregister() {
  if (!listener_) return;
  listener_->close();
  const auto informer = std::static_pointer_cast<cache::InformerCore::Impl>(informer_.lock());
  if (!informer) return;
  informer->post(
      [listener = listener_](cache::InformerCore::Impl& impl) { impl.processor.remove(listener); });
}

void HandlerRegistration::unregister_and_wait() {
  unregister();
  if (listener_) listener_->close_and_wait();
}

bool HandlerRegistration::has_synced() const {
  return listener_ && listener_->has_synced();
}

bool HandlerRegistration::wait_for_sync(std::stop_token stop) const {
  if (!listener_) return false;
  if (const auto informer = std::static_pointer_cast<cache::InformerCore::Impl>(informer_.lock())) {
    informer->start_reminder->waited_for();
  }
  return listener_->wait_for_sync(std::move(stop));
}

HandlerStatus HandlerRegistration::status() const {
  return listener_ ? listener_->status() : HandlerStatus{};
}

}  // namespace kube
