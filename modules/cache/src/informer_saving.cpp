// SPDX-License-Identifier: Apache-2.0
//
// The state of an informer from one run of the program to the next: InformerOptions::state_dir.
#include <utility>

#include <kube/base/backoff.hpp>
#include <kube/base/call_user_code.hpp>

#include "all_cells.hpp"
#include "informer_impl.hpp"

namespace kube::cache {

Result<void> InformerCore::Impl::check_options() const {
  if (!usable) return usable;
  if (state_file.path.empty() || (!transform && !stores_decoded)) return {};
  return Error(ErrorCode::InvalidArgument,
               std::string("InformerOptions::state_dir: expected no ") +
                   (transform ? "transform: the state would be of one that is not known later"
                              : "StoragePolicy::Decoded, which keeps no bytes"));
}

std::optional<SavedState> InformerCore::Impl::saved_state() {
  if (state_file.path.empty()) return std::nullopt;
  auto read = state_file.read(cell_type, runtime.clock()->wall_now());
  if (!read) {
    KUBE_LOG(runtime.logger, LogLevel::Warning, "informer", "the saved state is not used",
             {"resource", called()}, {"error", read.error().to_string()});
    return std::nullopt;
  }
  if (!*read) return std::nullopt;
  KUBE_LOG(runtime.logger, LogLevel::Info, "informer", "resumes from a saved state",
           {"resource", called()}, {"objects", std::to_string((*read)->objects.size())},
           {"resource_version", (*read)->version}, {"file", state_file.path});
  const MutexLock lock(mutex);
  saved = {0, (*read)->version};
  return *std::move(read);
}

void InformerCore::Impl::save_later() {
  if (state_file.path.empty() || save_period <= Duration::zero()) return;
  const auto pause = call_user_code("the source of randomness", [&]() -> Result<Duration> {
    return jittered(save_period, 0.5, runtime.random);
  });
  save_timer = strand.submit_after(pause.value_or(save_period), [weak = std::weak_ptr(self())] {
    const auto self = weak.lock();
    if (self && !self->calls->closed()) self->save_now();
  });
}

void InformerCore::Impl::save_now() {
  auto unsaved = unsaved_state();
  if (!unsaved) return save_later();
  // Where blocking holds up no cache. Stopping waits for it.
  auto task = [self = self(), state = std::make_shared<UnsavedState>(*std::move(unsaved))] {
    const auto inside = self->calls->enter();
    if (!inside) return;
    self->save(*state);
    self->post([](Impl& impl) {
      if (!impl.calls->closed()) impl.save_later();
    });
  };
  const Result<void> submitted =
      call_user_code("the executor", [&] { runtime.handler_executor()->submit(std::move(task)); });
  if (!submitted) save_later();
}

// The version before the objects: they have all changes up to it at least.
std::optional<UnsavedState> InformerCore::Impl::unsaved_state() const {
  const Reflector::Progress progress = reflector.progress();
  UnsavedState unsaved;
  SavedState& state = unsaved.state;
  state.version = store->resource_version();
  if (!synced.load() || version_problem(state.version)) return std::nullopt;
  unsaved.mark = {progress.lists, state.version};
  // What it lacks, the watch would not bring.
  if (progress.refusal || progress.in_doubt) return std::nullopt;
  {
    const MutexLock lock(mutex);
    if (unsaved.mark == saved) return std::nullopt;
  }
  state.objects = all_cells();
  return unsaved;
}

void InformerCore::Impl::save(const UnsavedState& unsaved) {
  const SavedState& state = unsaved.state;
  const Result<void> written = call_user_code(
      "the state file", [&] { return state_file.write(state, runtime.clock()->wall_now()); });
  if (!written) {
    KUBE_LOG(runtime.logger, LogLevel::Warning, "informer", "the state could not be saved",
             {"resource", called()}, {"error", written.error().to_string()});
    return;
  }
  KUBE_LOG(runtime.logger, LogLevel::Info, "informer", "state saved", {"resource", called()},
           {"objects", std::to_string(state.objects.size())}, {"resource_version", state.version});
  const MutexLock lock(mutex);
  saved = unsaved.mark;
}

void InformerCore::Impl::save_at_end() {
  if (state_file.path.empty() || saved_at_end.exchange(true)) return;
  if (const auto unsaved = unsaved_state()) save(*unsaved);
}

}  // namespace kube::cache
