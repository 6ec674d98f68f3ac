// SPDX-License-Identifier: Apache-2.0
//
// What a reflector does with each object of a list, and with each event of a watch.
#include <utility>

#include "reflector.hpp"
#include "reflector_errors.hpp"

namespace kube::cache {

Error Reflector::list_too_large() const {
  return Error(ErrorCode::Decode, "the list exceeds InformerOptions::max_list_bytes, which is " +
                                      std::to_string(options_.max_list_bytes));
}

void Reflector::refuse_initial(Refusals& refusals, const Error& error, const CellRef& object) {
  refusals.add(error);
  target_.refused(error, key_or_none(object), Origin::List);
}

// ---- lists

void Reflector::on_list_items(std::vector<Arrived> items) {
  auto& listing = std::get<Listing>(state_.phase);
  for (Arrived& item : items) {
    if (!item.refused) {
      if (!take_list_item(listing, std::move(item.cell))) return;
      continue;
    }
    refuse_initial(listing.refusals, item.refused->error, item.cell);
    CellRef known = item.cell ? target_.known(item.cell->key()) : CellRef();
    if (known) listing.items.push_back(std::move(known));
  }
  progress_.write([&](Progress& progress) {
    progress.received = listing.items.size();
    progress.expected = listing.expected;
  });
}

bool Reflector::take_list_item(Listing& listing, CellRef arrived) {
  const auto fail = [&](const Error& error) {
    abandon();
    take(input::Fault{error.with_context("list " + subject())});
    return false;
  };
  listing.bytes += arrived->memory();
  if (options_.max_list_bytes > 0 && listing.bytes > options_.max_list_bytes) {
    return fail(list_too_large());
  }
  auto accepted = target_.accept(arrived, Origin::List);
  if (!accepted) return fail(accepted.error());
  if (accepted->refused) refuse_initial(listing.refusals, *accepted->refused, arrived);
  if (accepted->cell) listing.items.push_back(std::move(accepted->cell));
  ++listing.page_items;
  return true;
}

// ---- streams of the initial state

bool Reflector::handle_initial(Streaming& streaming, WatchEvent& event) {
  const auto fail = [&](const Error& error) {
    take(input::ErrorEvent{error.with_context("watch " + subject())});
    return false;
  };
  if (event.type == WatchEventType::Error) return fail(event.refused->error);
  ++streaming.request.events;
  if (event.type == WatchEventType::Bookmark) {
    if (!event.initial_events_end) return true;
    take(input::Announced{std::string(event.cell->resource_version())});
    return std::holds_alternative<Watching>(state_.phase);
  }
  InitialObjects& objects = streaming.objects;
  if (event.refused) {
    streaming.in_doubt = streaming.in_doubt || (event.type != WatchEventType::Added &&
                                                event.refused->error.code() == ErrorCode::Decode);
    refuse_initial(streaming.refusals, event.refused->error, event.cell);
    if (!event.cell || objects.has(event.cell->key())) return true;
    if (CellRef known = target_.known(event.cell->key())) objects.keep(std::move(known));
  } else if (event.type == WatchEventType::Deleted) {
    objects.drop(event.cell->key());
    target_.initial_lacks(event.cell->key());
  } else {
    keep_initial(streaming, std::move(event.cell));
    if (options_.max_list_bytes > 0 && objects.bytes() > options_.max_list_bytes) {
      return fail(list_too_large());
    }
  }
  return true;
}

void Reflector::keep_initial(Streaming& streaming, CellRef object) {
  auto accepted = target_.accept(object, Origin::List);
  if (!accepted) return refuse_initial(streaming.refusals, accepted.error(), object);
  if (accepted->refused) {
    refuse_initial(streaming.refusals, *accepted->refused, object);
    // The stream's own state of the object is newer than what was known before.
    if (!accepted->cell || streaming.objects.has(accepted->cell->key())) return;
  }
  streaming.objects.keep(std::move(accepted->cell));
}

// ---- watches

void Reflector::on_watch_events(std::vector<WatchEvent> events) {
  const std::uint64_t generation = generation_;
  if (auto* streaming = std::get_if<Streaming>(&state_.phase)) {
    streaming->heard = runtime_.clock()->now();
  }
  for (WatchEvent& event : events) {
    auto* streaming = std::get_if<Streaming>(&state_.phase);
    const bool goes_on = streaming != nullptr ? handle_initial(*streaming, event) : handle(event);
    if (!goes_on || generation != generation_) break;
  }
  metrics_.reached(state_.versions.last);
  const auto* streaming = std::get_if<Streaming>(&state_.phase);
  progress_.write([&](Progress& progress) {
    progress.events += events.size();
    progress.version = state_.versions.last;
    if (streaming != nullptr) progress.received = streaming->objects.size();
  });
  target_.flush();
}

bool Reflector::handle(WatchEvent& event) {
  if (event.type == WatchEventType::Error) {
    const Error error = event.refused->error.with_context("watch " + subject());
    take(input::ErrorEvent{error, pauses_.retries(error)});
    return false;
  }
  ++std::get<Watching>(state_.phase).request.events;
  const bool deletes = event.type == WatchEventType::Deleted;
  const Origin origin = deletes ? Origin::Deletion : Origin::Watch;
  // The cell may be moved; its version counts in any case, for refused objects too.
  std::string version;
  if (event.cell) {
    version = event.cell->resource_version();
  } else if (event.refused) {
    version = event.refused->version;
  }
  if (event.refused) {
    // The event may have been a change of any object.
    bool& in_doubt = state_.versions.in_doubt;
    in_doubt = in_doubt || event.refused->error.code() == ErrorCode::Decode;
    refuse_event(event.refused->error, event.cell, origin);
  } else if (event.type == WatchEventType::Bookmark) {
    target_.bookmark(std::move(event.cell));
  } else if (auto accepted = target_.accept(event.cell, origin); !accepted) {
    refuse_event(accepted.error(), event.cell, origin);
  } else if (accepted->refused) {
    refuse_event(*accepted->refused, event.cell, origin);  // the known state remains
  } else if (event.type == WatchEventType::Added) {
    target_.add(std::move(accepted->cell));
  } else if (event.type == WatchEventType::Modified) {
    target_.update(std::move(accepted->cell));
  } else {
    target_.remove(std::move(accepted->cell));
  }
  state_.versions.came(std::move(version));
  return true;
}

void Reflector::refuse_event(const Error& why, const CellRef& object, Origin origin) {
  const Error error = why.with_context("watch " + subject());
  progress_.refused(error);
  target_.refused(error, key_or_none(object), origin);
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
