// SPDX-License-Identifier: Apache-2.0
//
// The server's end of an exchange of ScriptedTransport.
#include <algorithm>
#include <utility>

#include <kube/base/percent.hpp>
#include <kube/transport/exchange_failure.hpp>

#include "request_path.hpp"
#include "scripted_exchange.hpp"

namespace kube::testing {

using transport::HttpRequest;
using transport::ResponseHead;

namespace {

std::string query_decoded(std::string_view text) {
  return percent_decoded(text, Plus::IsSpace).value_or(std::string(text));
}

}  // namespace

const HttpRequest& ScriptedCall::request() const& {
  return exchange_->request;
}

std::string ScriptedCall::path() const {
  return std::string(path_of(exchange_->request.url));
}

std::optional<std::string> ScriptedCall::query(std::string_view name) const {
  std::string_view rest = exchange_->request.url;
  rest = rest.substr(0, rest.find('#'));
  const std::size_t begin = rest.find('?');
  if (begin == std::string_view::npos) return std::nullopt;
  rest.remove_prefix(begin + 1);
  while (!rest.empty()) {
    const std::string_view parameter = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(parameter.size() + 1, rest.size()));
    const std::size_t equals = std::min(parameter.find('='), parameter.size());
    if (query_decoded(parameter.substr(0, equals)) != name) continue;
    return query_decoded(parameter.substr(std::min(equals + 1, parameter.size())));
  }
  return std::nullopt;
}

ScriptedCall& ScriptedCall::head(int status, transport::Headers headers) {
  exchange_->send(ResponseHead{status, std::move(headers)});
  return *this;
}

ScriptedCall& ScriptedCall::data(std::string bytes) {
  if (!bytes.empty()) exchange_->send(std::move(bytes));
  return *this;
}

ScriptedCall& ScriptedCall::data_in_pieces(std::string_view bytes, std::size_t piece) {
  piece = std::max<std::size_t>(piece, 1);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    data(std::string(bytes.substr(0, piece)));
  }
  return *this;
}

void ScriptedCall::end() {
  exchange_->send(Result<void>());
}

void ScriptedCall::respond(int status, std::string body, transport::Headers headers) {
  head(status, std::move(headers)).data(std::move(body)).end();
}

void ScriptedCall::fail(Error error) {
  exchange_->send(Result<void>(std::move(error)));
}

void ScriptedCall::refuse() {
  fail(transport::with_exchange_failure(
      exchange_->error(ErrorCode::Unreachable, "connection refused"),
      transport::ExchangeFailure::NoConnection));
}

void ScriptedCall::reset() {
  fail(transport::with_exchange_failure(
      exchange_->error(ErrorCode::Unreachable, "connection reset by peer"),
      transport::ExchangeFailure::LostAfterRequest));
}

void ScriptedCall::truncate() {
  fail(transport::with_exchange_failure(
      exchange_->error(ErrorCode::Unreachable,
                       "the connection was closed before the body was complete"),
      transport::ExchangeFailure::LostAfterRequest));
}

bool ScriptedCall::paused() const {
  const MutexLock lock(exchange_->core->mutex);
  return exchange_->paused && !exchange_->ended;
}

bool ScriptedCall::cancelled() const {
  const MutexLock lock(exchange_->core->mutex);
  return exchange_->gave_up;
}

bool ScriptedCall::ended() const {
  const MutexLock lock(exchange_->core->mutex);
  return exchange_->ended;
}

std::size_t ScriptedCall::undelivered() const {
  const MutexLock lock(exchange_->core->mutex);
  std::size_t bytes = 0;
  for (const ScriptedStep& step : exchange_->steps) {
    if (const auto* chunk = std::get_if<std::string>(&step)) bytes += chunk->size();
  }
  return bytes;
}

bool ScriptedCall::await_cancelled(std::stop_token stop) const {
  MutexLock lock(exchange_->core->mutex);
  return exchange_->core->changed.wait_for(lock, std::move(stop), kPatience,
                                           [this] { return exchange_->gave_up; });
}

bool ScriptedCall::await_ended(std::stop_token stop) const {
  MutexLock lock(exchange_->core->mutex);
  return exchange_->core->changed.wait_for(lock, std::move(stop), kPatience,
                                           [this] { return exchange_->ended; });
}

}  // namespace kube::testing
