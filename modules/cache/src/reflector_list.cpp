// SPDX-License-Identifier: Apache-2.0
//
// How a reflector lists: versions, pages, and what remains of a list that fails.
#include "reflector.hpp"

#include <algorithm>
#include <utility>

#include "reflector_bounds.hpp"
#include "reflector_errors.hpp"

namespace kube::cache {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kPageSize = 500;
// A server may take a minute before the first byte; after that bytes flow.
constexpr milliseconds kListSilence{90'000};

}  // namespace

std::string Reflector::list_version() const {
  if (version_unavailable_) return "";
  return last_version_.empty() ? "0" : last_version_;
}

// With a limit, a server can't list from its watch cache unless any version is acceptable.
std::int64_t Reflector::page_size_for(std::string_view version) const {
  if (options_.page_size > 0) return options_.page_size;
  if (zero_list_was_paged_) return kPageSize;
  return version.empty() || version == "0" ? kPageSize : 0;
}

void Reflector::drop_list() {
  std::size_t bytes = list_.bytes;
  if (options_.storage == StoragePolicy::Decoded)
    bytes += list_.items.size() * form_.type.object_size;
  list_ = {};
  if (bytes > 0) target_.freed(bytes);
}

void Reflector::list(std::string version) {
  drop_list();
  begin_refusals();
  list_.begun = runtime_.clock()->now();
  list_.limit = page_size_for(version);
  list_.asked_version = std::move(version);
  metrics_.list_begins();
  list_deadline_ = strand_.submit_after(kMaxListTime, [weak = self_] {
    const std::shared_ptr<Reflector> self = weak.lock();
    if (self && !self->stopped_) self->step([&] { self->on_list_late(); });
  });
  request_page();
}

void Reflector::on_list_late() {
  abandon();
  cycle_failed(Error(ErrorCode::Timeout,
                     "the list did not end within an hour: " + std::to_string(list_.items.size()) +
                         " objects received")
                   .with_context("list " + subject()));
}

void Reflector::list_everything_at(std::string version) {
  const bool newest = list_.newest;
  const TimePoint begun = list_.begun;
  drop_list();
  begin_refusals();
  list_.begun = begun;
  list_.newest = newest;
  list_.whole = true;
  list_.asked_version = std::move(version);
  request_page();
}

void Reflector::list_newest() {
  version_unavailable_ = true;
  const std::int64_t limit = list_.limit;
  const TimePoint begun = list_.begun;
  drop_list();
  begin_refusals();
  list_.begun = begun;
  list_.limit = limit;
  list_.newest = true;
  request_page();
}

void Reflector::request_page() {
  when_paced(&Reflector::send_page_request);
}

void Reflector::send_page_request() {
  report(InformerState::Listing);
  list_.page_items = 0;
  ListOptions options;
  options.limit = list_.limit;
  if (list_.token.empty()) {
    options.resource_version = list_.asked_version;
  } else {
    options.continue_ = list_.token;
  }
  auto stream = std::make_shared<ListStream>(
      strand_, life_,
      ListStream::Receiver{[] {}, for_this_request(&Reflector::on_list_items),
                           for_this_request(&Reflector::on_list_end)},
      "list " + subject(), form_.type, options_.storage, form_.changes, form_.max_object_bytes);
  start_request(std::move(stream), &Reflector::on_list_threw,
                [&](const std::shared_ptr<ListStream>& to) {
                  return source_->list(options, kListSilence, to, stop_);
                });
}

void Reflector::on_list_threw(Error error) {
  cycle_failed(error.with_context("list " + subject()));
}

void Reflector::on_list_items(std::vector<Arrived> items) {
  for (Arrived& item : items) {
    if (item.refused) {
      refuse_initial(item.refused->error, item.cell);
      if (item.cell) keep_known(item.cell->key());
    } else if (!take_list_item(std::move(item.cell))) {
      return;
    }
  }
  note_received(list_.items.size(), list_.expected);
}

void Reflector::keep_known(std::string_view key) {
  if (CellRef known = target_.known(key)) list_.items.push_back(std::move(known));
}

bool Reflector::take_list_item(CellRef arrived) {
  const auto fail = [&](const Error& error) {
    abandon();
    cycle_failed(error.with_context("list " + subject()));
    return false;
  };
  list_.bytes += arrived->memory();
  if (options_.max_list_bytes > 0 && list_.bytes > options_.max_list_bytes) {
    return fail(list_too_large());
  }
  auto accepted = target_.accept(arrived, Origin::List);
  if (!accepted) return fail(accepted.error());
  if (accepted->refused) refuse_initial(*accepted->refused, arrived);
  if (accepted->cell) list_.items.push_back(std::move(accepted->cell));
  ++list_.page_items;
  return true;
}

Error Reflector::list_too_large() const {
  return Error(ErrorCode::Decode, "the list exceeds InformerOptions::max_list_bytes, which is " +
                                      std::to_string(options_.max_list_bytes));
}

void Reflector::begin_refusals() {
  refusals_ = {};
  target_.initial_begins();
}

void Reflector::refuse_initial(const Error& error, const CellRef& object) {
  refusals_.add(error);
  target_.refused(error, key_or_none(object), Origin::List);
}

bool Reflector::report_refusals() {
  const Refusals refusals = std::exchange(refusals_, {});
  if (!refusals.first) return true;
  const std::uint64_t generation = generation_;
  const Error error = refusals.sum("list " + subject());
  note_refusal(error);
  target_.incomplete(error);
  return generation == generation_ && !stopped_;
}

void Reflector::on_list_end(Result<ListInfo> result) {
  if (!result) {
    on_list_failed(result.error());
    return;
  }
  pace_.page_came(list_.page_items, list_.limit);
  const auto fail = [&](const Error& error) {
    cycle_failed(error.with_context("list " + subject()));
  };
  if (list_.token.empty()) {
    if (const auto problem = version_problem(result->resource_version)) return fail(*problem);
    list_.version = std::move(result->resource_version);
  }
  if (!result->continue_.empty()) {
    if (auto added = list_.tokens.add(result->continue_); !added) return fail(added.error());
    list_.bytes += result->continue_.size();
    if (list_.asked_version == "0") zero_list_was_paged_ = true;
    list_.token = std::move(result->continue_);
    if (const auto remaining = result->remaining_item_count; remaining && *remaining >= 0) {
      list_.expected = list_.items.size() + static_cast<std::size_t>(*remaining);
    }
    note_received(list_.items.size(), list_.expected);
    request_page();
    return;
  }
  list_deadline_.cancel();
  version_unavailable_ = false;
  lists_at_version_ = 0;
  report_answer(&Progress::lists);
  note_received(0, std::nullopt);
  metrics_.list_came(list_.items.size(), runtime_.clock()->now() - list_.begun);
  std::string version = std::move(list_.version);
  list_.bytes = 0;  // the target counts them now
  // Only a list of any version comes from a server's cache. What was refused is not compared.
  const bool checked =
      options_.detect_inconsistency && list_.asked_version == "0" && refusals_.count == 0;
  std::vector<CellRef> received = checked ? list_.items : std::vector<CellRef>();
  auto replaced = target_.replace(std::exchange(list_.items, {}), version);
  if (!replaced) return fail(replaced.error());
  if (checked) {
    check_consistency({.resource_version = list_.asked_version, .limit = list_.limit}, version,
                      std::move(received));
  }
  last_version_ = std::move(version);
  in_doubt_ = false;
  target_.flush();
  if (!report_refusals()) return;
  arm_resync();
  watch();
}

void Reflector::on_list_failed(const Error& error) {
  if (stop_.stop_requested()) return;
  if (note_response(error)) {
    request_page();
    return;
  }
  if (!list_.token.empty() && !list_.whole && version_gone(error)) {
    // The continue token has expired: list everything at once, at the version of the first page.
    list_everything_at(list_.asked_version);
    return;
  }
  const bool at_version =
      list_.token.empty() && !list_.asked_version.empty() && list_.asked_version != "0";
  if (!list_.newest && (version_gone(error) || is_too_large_resource_version(error) ||
                        (at_version && may_refuse_version(error)))) {
    list_newest();
    return;
  }
  // A server that fails because of the version itself would fail for ever.
  if (at_version && is_internal_error(error) && ++lists_at_version_ >= kMaxListsAtVersion) {
    version_unavailable_ = true;
  }
  cycle_failed(error);
}

}  // namespace kube::cache
