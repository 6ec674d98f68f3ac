// SPDX-License-Identifier: Apache-2.0
//
// Lists: what is true first, then what the repertoire makes of it.
#include <algorithm>
#include <limits>
#include <utility>

#include "lying_source.hpp"

namespace kube::lying {

LyingSource::Or<ListStatement> LyingSource::page(const Delivery& to, std::uint64_t version,
                                                 std::size_t offset) {
  const TrueObjects old = version == truth_.version() ? TrueObjects() : truth_.at(version);
  const TrueObjects& objects = version == truth_.version() ? truth_.now() : old;
  const std::size_t limit =
      number(to.call().query("limit").value_or("")).value_or(std::numeric_limits<int>::max());
  ListStatement list;
  std::size_t index = 0;
  bool more = false;
  for (const auto& [key, object] : objects) {
    if (!client_.scope.includes(object)) continue;
    if (index++ < offset) continue;
    if (list.items.size() >= limit) {
      more = true;
      break;
    }
    ObjectStatement item = statement_of(object);
    item.with_kind = items_have_kind_;
    if (lying_ && !liar_.change_item(object, item)) continue;
    state(item.version);
    list.items.push_back(std::move(item));
  }
  list.version = Said::words(std::to_string(version));
  if (more) {
    list.token = Said::words("v" + std::to_string(version) + "/" + std::to_string(index - 1));
  }
  return list;
}

LyingSource::Or<ListStatement> LyingSource::honest_list(const Delivery& to) {
  std::uint64_t version = truth_.version();
  if (const auto token = to.call().query("continue")) {
    const std::size_t slash = token->find('/');
    if (slash == std::string::npos || !token->starts_with('v')) {
      return status_of(400, "BadRequest");
    }
    const auto at = version_of(std::string_view(*token).substr(1, slash - 1));
    const std::string_view rest = std::string_view(*token).substr(slash + 1);
    const auto offset = number(rest.substr(0, rest.find('/')));
    if (!at || !offset) return status_of(400, "BadRequest");
    if (*at < oldest_ || *at > version) return status_of(410, "Expired");
    return page(to, *at, static_cast<std::size_t>(*offset));
  }
  const std::string asked = to.call().query("resourceVersion").value_or("");
  if (asked == "0") {
    // As old as a watch cache may be.
    version = oldest_ + draw_.below(version - oldest_ + 1);
  } else if (!asked.empty()) {
    const auto at_least = version_of(asked);
    if (!at_least) return status_of(400, "BadRequest");
    if (*at_least > version && !(lying_ && takes_any_version_)) return too_large_version();
    if (*at_least < oldest_ && draw_.one_in(3)) return status_of(410, "Expired");
  }
  return page(to, version, 0);
}

void LyingSource::lie_by_pages(const Delivery& to, const std::string& version,
                               ListStatement& list) {
  const auto token = to.call().query("continue");
  if (token && tells(Lie::TokenRepeats)) list.token = Said::words(*token);
  if (tells(Lie::EmptyPages)) {
    // Of a page that is meant to be small one item is a lot.
    const bool small = number(to.call().query("limit").value_or("")).value_or(500) < 4;
    if (small || !draw_.one_in(3)) list.items.clear();
    // Where it goes on is where it would have begun, in the same list: nothing is left out for
    // good.
    const std::string from = token.value_or("v" + version + "/0");
    const std::size_t offset = from.find('/') + 1;
    list.token =
        Said::words(from.substr(0, from.find('/', offset)) + "/" + std::to_string(++fresh_tokens_));
  }
}

void LyingSource::list(Delivery to) {
  const auto token = to.call().query("continue");
  if (!token) {
    repeated_token_.clear();
  } else if (*token == repeated_token_) {
    findings_.add("a continue token that comes again is not followed", printable(*token));
  }
  if (lying_ && to.call().query("continue") && tells(Lie::TokenExpires)) {
    refuse(to, status_of(410, "Expired"));
    return;
  }
  Or<ListStatement> answer = honest_list(to);
  if (const auto* status = std::get_if<StatusStatement>(&answer)) {
    refuse(to, *status);
    return;
  }
  auto& list = std::get<ListStatement>(answer);
  ++lists_;
  if (lying_) {
    const std::string version = list.version.text;
    if (liar_.change_list(list)) steady_holds_ = false;
    lie_by_pages(to, version, list);
  }
  state(list.version);
  const bool last = list.token.as == Said::As::Nothing;
  if (token && !last && list.token.text == *token) repeated_token_ = *token;
  const std::uint64_t limit = number(to.call().query("limit").value_or("")).value_or(500);
  const bool full = list.items.size() * 2 >= std::min<std::uint64_t>(limit, 500);
  if (full && in_minute_ > 0) --in_minute_;
  mirror_.list(list, to.encoding(), !to.call().query("continue"), last);
  if (last) {
    given_.restart(list.version.text, executor_->clock()->now());
  }
  expired_.clear();
  std::string bytes = write(list, to.encoding());
  if (!to.call().query("continue")) list_bytes_ = 0;
  list_bytes_ += bytes.size();
  if (last) list_bytes_ = 0;
  findings_.note([&] { return "-> " + printable(write(list, Encoding::Json), 4000); });
  to.begin(std::move(bytes), true, false);
}

}  // namespace kube::lying
