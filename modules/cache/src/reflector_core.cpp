// SPDX-License-Identifier: Apache-2.0
//
// The functions of Reflector<T> that do not depend on T.
#include <kube/cache/detail/reflector_core.hpp>

#include <utility>

#include <kube/cache/transaction.hpp>

#include "reflector_owner.hpp"

namespace kube::cache {
namespace {

/// Returns the function of a store that takes such a change, for errors.
std::string_view function_of(DeltaType type) {
  if (type == DeltaType::Added) return "add";
  if (type == DeltaType::Deleted) return "remove";
  return type == DeltaType::Bookmark ? "bookmark" : "update";
}

}  // namespace

struct ReflectorCore::Impl final : ReflectorOwner {
  Impl(Runtime runtime_in, std::shared_ptr<ListerWatcher> source_in,
       const meta::ResourceInfo& resource, const ReflectorOptions& options,
       const InformerType& type, std::unique_ptr<CellReceiver> store_in)
      : ReflectorOwner(std::move(runtime_in), std::move(source_in), type, resource, options,
                       {"reflector", "informer",
                        options.name.empty() ? resource.group_resource().to_string() : options.name,
                        "used, but not started: call start()"}),
        period(options.resync_period),
        name(options.name),
        store(std::move(store_in)) {
    if (!store) usable = Error(ErrorCode::InvalidArgument, "there is no store");
  }

  // ---- ReflectorTarget, on the strand

  CellRef known(std::string_view key) const override {
    const auto names = parse_object_key(key);
    const auto inside = calls->enter();
    if (!names || !inside) return {};
    return call_user_code("the store", [&]() -> Result<CellRef> { return store->known(*names); })
        .value_or(CellRef());
  }
  Result<void> accept(Arrived&) override { return {}; }
  void apply(Delta change) override {
    const Result<void> done = apply_to_store(change);
    if (done) return;
    const Error error = done.error().with_context(std::string(function_of(change.type)) + " " +
                                                  std::string(change.cell->key()));
    refused(error);
    if (store_reports.try_accept()) call_watch_error_handler(error);
    if (change.type != DeltaType::Deleted || change.final_state_unknown) return;
    // A key function may need what the final state does not have.
    const CellUser final_state(change.cell);
    if (!final_state.decoded()) delete_known(*this, std::move(change));
  }
  Result<void> apply_to_store(const Delta& change) {
    const auto inside = calls->enter();
    if (!inside) return {};
    return call_user_code("the store", [&] { return store->apply(change); });
  }
  Result<void> replace(std::vector<CellRef> items, std::string resource_version) override {
    Refusals left_out;
    {
      const auto inside = calls->enter();
      if (!inside) return Error(ErrorCode::Cancelled, "the reflector has stopped");
      const Result<void> done = call_user_code(
          "the store", [&] { return store->replace(std::move(items), resource_version); });
      if (!done) {
        const Error error = done.error();
        const TransactionError* some = transaction_error(error);
        if (some == nullptr) return error.with_context("replace");
        for (const Error& each : some->errors) {
          refused(each.with_context("replace"));
          left_out.add(each);
        }
      }
    }
    {
      const MutexLock lock(mutex);
      synced.store(true, std::memory_order_release);
      state_changed.notify_all();
    }
    if (!left_out.first) return {};
    const Error error = left_out.sum("replace");
    reflector.note_refused(error);
    incomplete(error);
    return {};
  }
  Result<void> resync() override {
    const auto inside = calls->enter();
    if (!inside) return {};
    return call_user_code("the store", [&] { return store->resync(); });
  }
  void flush() override {}
  Duration resync_period() const override { return period; }

  // ---- ReflectorOwner

  std::string called() const override {
    if (!name.empty()) return name;
    return call_user_code("the source",
                          [&]() -> Result<std::string> { return source->to_string(); })
        .value_or("");
  }

  const Duration period;
  const std::string name;

  // ---- used on the strand
  const std::unique_ptr<CellReceiver> store;
  TokenBucket store_reports{kRefusalsPerSecond, kRefusalsAtOnce, runtime.clock()};
};

ReflectorCore::ReflectorCore(Runtime runtime, std::shared_ptr<ListerWatcher> source,
                             const meta::ResourceInfo& resource, const ReflectorOptions& options,
                             InformerType type, std::unique_ptr<CellReceiver> store)
    : impl_(std::make_shared<Impl>(std::move(runtime), std::move(source), resource, options, type,
                                   std::move(store))) {}

ReflectorCore::~ReflectorCore() {
  stop_and_wait();
}

Result<void> ReflectorCore::set_watch_error_handler(std::function<void(const Error&)> handler) {
  return impl_->set("a watch error handler", impl_->watch_error_handler, std::move(handler));
}

Result<void> ReflectorCore::set_condition_handler(
    std::function<void(InformerCondition, const Optional<Error>&)> handler) {
  return impl_->set("a condition handler", impl_->condition_handler, std::move(handler));
}

Result<void> ReflectorCore::start() {
  return impl_->start();
}

void ReflectorCore::stop() {
  impl_->stop();
}

void ReflectorCore::stop_and_wait() {
  stop();
  impl_->calls->close_and_wait();
}

bool ReflectorCore::has_synced() const {
  return impl_->synced.load(std::memory_order_acquire);
}

bool ReflectorCore::wait_for_sync(std::stop_token stop) const {
  return impl_->wait_for_sync(std::move(stop));
}

std::string ReflectorCore::name() const {
  return impl_->called();
}

std::string ReflectorCore::last_sync_resource_version() const {
  return impl_->reflector.progress().version;
}

bool ReflectorCore::is_last_sync_resource_version_unavailable() const {
  return impl_->reflector.progress().version_unavailable;
}

InformerStatus ReflectorCore::status() const {
  return impl_->status();
}

}  // namespace kube::cache
