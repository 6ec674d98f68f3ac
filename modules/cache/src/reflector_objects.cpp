// SPDX-License-Identifier: Apache-2.0
//
// What a reflector does with each object of a list, and with each event of a watch.
#include <utility>

#include "reflector.hpp"
#include "reflector_errors.hpp"

namespace kube::cache {

bool delete_known(ReflectorTarget& target, Delta deletion) {
  target.flush();  // what came before it may be queued
  CellRef known = target.known(deletion.cell->key());
  if (!known) return false;
  target.apply({.type = DeltaType::Deleted, .final_state_unknown = true, .cell = std::move(known)});
  deletion.type = DeltaType::Bookmark;  // the known state has an older version
  if (!deletion.cell->resource_version().empty()) target.apply(std::move(deletion));
  return true;
}

Error Reflector::list_too_large() const {
  return Error(ErrorCode::Decode, "the list exceeds InformerOptions::max_list_bytes, which is " +
                                      std::to_string(options_.max_list_bytes));
}

void Reflector::refuse_initial(Refusals& refusals, const Error& error, const Delta& object) {
  refusals.add(error);
  target_.refused(error, object);
}

// ---- lists

void Reflector::on_list_items(std::vector<Arrived> items) {
  auto& listing = std::get<Listing>(state_.phase);
  for (Arrived& item : items) {
    if (!item.refused && !accept_list_item(listing, item)) return;
    CellRef& cell = item.delta.cell;
    if (item.refused) {
      refuse_initial(listing.refusals, item.refused->error, item.delta);
      if (cell) cell = target_.known(cell->key());
    }
    if (cell) listing.items.push_back(std::move(cell));
  }
  progress_.write([&](Progress& progress) {
    progress.received = listing.items.size();
    progress.expected = listing.expected;
  });
}

bool Reflector::accept_list_item(Listing& listing, Arrived& item) {
  const auto fail = [&](const Error& error) {
    abandon();
    take(input::Fault{error.with_context("list " + subject())});
    return false;
  };
  listing.bytes += item.delta.cell->memory();
  if (options_.max_list_bytes > 0 && listing.bytes > options_.max_list_bytes) {
    return fail(list_too_large());
  }
  if (const auto done = target_.accept(item); !done) return fail(done.error());
  ++listing.page_items;
  return true;
}

// ---- streams of the initial state

bool Reflector::handle_initial(Streaming& streaming, Arrived& event) {
  if (event.ends_watch()) {
    take(input::ErrorEvent{event.refused->error.with_context("watch " + subject())});
    return false;
  }
  ++streaming.request.events;
  Delta& delta = event.delta;
  CellRef& cell = delta.cell;
  InitialObjects& objects = streaming.objects;
  if (delta.type == DeltaType::Bookmark) {
    if (!delta.is_initial) return true;
    take(input::Announced{std::string(cell->resource_version())});
    return std::holds_alternative<Watching>(state_.phase);
  }
  if (delta.type == DeltaType::Deleted && cell) {
    objects.drop(cell->key());
    target_.initial_lacks(cell->key());
    return true;
  }
  if (event.refused) {
    streaming.in_doubt = streaming.in_doubt || (delta.type != DeltaType::Added &&
                                                event.refused->error.code() == ErrorCode::Decode);
  }
  delta.type = DeltaType::Replaced;  // a state, whatever led to it
  if (!event.refused) {
    if (const auto done = target_.accept(event); !done) event.refused = Refusal{done.error()};
  }
  if (event.refused) {
    if (cell) streaming.refused_bytes += cell->memory();
    refuse_initial(streaming.refusals, event.refused->error, delta);
    // The stream's own state of the object is newer than what was known before.
    const bool is_known = cell && !objects.has(cell->key());
    cell = is_known ? target_.known(cell->key()) : CellRef();
  }
  if (cell) objects.keep(std::move(cell));
  const std::size_t bytes = objects.bytes() + streaming.refused_bytes;
  if (options_.max_list_bytes == 0 || bytes <= options_.max_list_bytes) return true;
  take(input::Fault{list_too_large().with_context("watch " + subject())});
  return false;
}

// ---- watches

void Reflector::on_watch_events(std::vector<Arrived> events) {
  const std::uint64_t generation = generation_;
  if (auto* streaming = std::get_if<Streaming>(&state_.phase)) {
    streaming->heard = runtime_.clock()->now();
  }
  for (Arrived& event : events) {
    auto* streaming = std::get_if<Streaming>(&state_.phase);
    const bool goes_on = streaming != nullptr ? handle_initial(*streaming, event) : handle(event);
    if (!goes_on || generation != generation_) break;
  }
  metrics_.reached(state_.versions.last);
  const auto* streaming = std::get_if<Streaming>(&state_.phase);
  progress_.write([&](Progress& progress) {
    progress.events += events.size();
    progress.version = state_.versions.last;
    progress.in_doubt = state_.versions.in_doubt;
    if (streaming != nullptr) progress.received = streaming->objects.size();
  });
  target_.flush();
}

bool Reflector::handle(Arrived& event) {
  if (event.ends_watch()) {
    const Error error = event.refused->error.with_context("watch " + subject());
    take(input::ErrorEvent{error, pauses_.retries(error)});
    return false;
  }
  if (std::holds_alternative<Resuming>(state_.phase)) take(input::Event{});
  auto* watching = std::get_if<Watching>(&state_.phase);
  if (watching == nullptr) return false;  // stopped, or the saved state was not taken
  ++watching->request.events;
  Delta& delta = event.delta;
  // The cell is moved; its version counts in any case, for refused objects too.
  std::string version;
  if (delta.cell) {
    version = delta.cell->resource_version();
  } else if (event.refused) {
    version = event.refused->version;
  }
  bool in_doubt = false;
  if (event.refused) {
    // The event may have been a change of any object.
    in_doubt = event.refused->error.code() == ErrorCode::Decode;
  } else if (delta.type != DeltaType::Bookmark) {
    if (const auto done = target_.accept(event); !done) event.refused = Refusal{done.error()};
  }
  if (event.refused) {
    refuse_event(event.refused->error, delta);  // the known state remains, unless it was deleted
    const bool deletes = delta.type == DeltaType::Deleted && delta.cell;
    if (deletes && delete_known(target_, std::move(delta))) in_doubt = false;
    state_.versions.in_doubt = state_.versions.in_doubt || in_doubt;
  } else {
    target_.apply(std::move(delta));
  }
  state_.versions.came(std::move(version));
  return true;
}

void Reflector::refuse_event(const Error& why, const Delta& object) {
  const Error error = why.with_context("watch " + subject());
  progress_.refused(error);
  target_.refused(error, object);
  refused_events_.add(why);
  if (refusal_reports_.try_accept()) report_refused_events();
}

void Reflector::report_refused_events() {
  const Refusals refused = std::exchange(refused_events_, {});
  if (!refused.first) return;
  const std::string from = "watch " + subject();
  target_.incomplete(refused.count == 1 ? refused.first->with_context(from) : refused.sum(from));
}

}  // namespace kube::cache
