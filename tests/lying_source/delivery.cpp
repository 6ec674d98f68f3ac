// SPDX-License-Identifier: Apache-2.0
#include "delivery.hpp"

#include <algorithm>
#include <utility>

namespace kube::lying {
namespace {

using std::chrono::milliseconds;

constexpr const char* kContentTypes[] = {"",
                                         "application/json;charset=utf-8",
                                         "APPLICATION/JSON",
                                         "text/html; charset=utf-8",
                                         "application/yaml",
                                         "application/cbor",
                                         "application/vnd.kubernetes.protobuf",
                                         "application/json",
                                         "application/vnd.kubernetes.protobuf;stream=watch",
                                         "application/json;as=Table;v=v1;g=meta.k8s.io",
                                         ";;;=",
                                         "json",
                                         "*/*"};

}  // namespace

Delivery::Delivery(kube::testing::ScriptedCall call, std::shared_ptr<Executor> executor, Draw& draw,
                   Repertoire* lies, Encoding encoding)
    : state_(std::make_shared<State>(
          State{std::move(call), std::move(executor), draw, lies, encoding})) {}

bool Delivery::over() const {
  return state_->call.ended() || state_->call.cancelled();
}

void Delivery::begin(std::string bytes, bool ends, bool is_watch) {
  std::string type(state_->encoding == Encoding::Json ? kJsonMediaType : kProtobufMediaType);
  if (is_watch && state_->encoding == Encoding::Protobuf) type += ";stream=watch";
  transport::Headers headers{{"Content-Type", type}};
  if (tells(*state_, Lie::ContentTypeIsOdd)) {
    const std::string odd = state_->draw.of(kContentTypes);
    headers.remove("Content-Type");
    if (!odd.empty()) headers.set("Content-Type", odd);
  }
  begin(200, std::move(headers), std::move(bytes), ends);
}

void Delivery::begin(int status, transport::Headers headers, std::string bytes, bool ends) {
  State& state = *state_;
  if (tells(state, Lie::Late)) {
    state.waiting = true;
    state.timer = state.executor->submit_after(
        milliseconds(state.draw.below(state.draw.one_in(4) ? 100'000 : 3000)),
        [weak = std::weak_ptr(state_), status, headers = std::move(headers)] {
          const std::shared_ptr<State> self = weak.lock();
          if (!self) return;
          self->waiting = false;
          if (self->silent) return;
          self->call.head(status, headers);
          send(*self, std::exchange(self->held, {}), self->held_end);
        });
    state.held = std::move(bytes);
    state.held_end = ends;
    return;
  }
  state.call.head(status, std::move(headers));
  send(state, std::move(bytes), ends);
}

void Delivery::more(std::string bytes) {
  if (state_->waiting) {
    state_->held += bytes;
  } else {
    send(*state_, std::move(bytes), false);
  }
}

void Delivery::end() {
  if (state_->waiting) {
    state_->held_end = true;
  } else if (!state_->silent) {
    state_->call.end();
  }
}

void Delivery::reset() {
  state_->silent = true;
  state_->timer.cancel();
  state_->call.reset();
}

void Delivery::send_pieces(State& state, const std::string& bytes) {
  if (bytes.empty()) return;
  if (!tells(state, Lie::SmallPieces)) {
    state.call.data(bytes);
    return;
  }
  const std::size_t longest = bytes.size() / 20 + (state.draw.one_in(3) ? 1 : 50);
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t size = std::min(1 + state.draw.index(longest), bytes.size() - at);
    state.call.data(bytes.substr(at, size));
    at += size;
  }
}

void Delivery::send(State& state, std::string bytes, bool ends) {
  if (state.silent) return;
  Draw& draw = state.draw;
  if (!bytes.empty() && tells(state, Lie::BytesChange)) {
    bytes[draw.index(bytes.size())] = static_cast<char>(draw.below(256));
  }
  if (tells(state, Lie::Garbage)) {
    constexpr const char* kGarbage[] = {"garbage}]", "{",          "\xff\xfe", "]",  "}",
                                        ",",         "[{\"a\":1}", "null",     "\"", "\n\n\n"};
    const std::string what = draw.one_in(4) ? std::string(1, '\0') : draw.of(kGarbage);
    bytes.insert(draw.one_in(2) ? bytes.size() : draw.index(bytes.size() + 1), what);
  }
  const bool stops = tells(state, Lie::EndsWithin);
  const bool resets = tells(state, Lie::Resets);
  const bool falls_silent = tells(state, Lie::Silence);
  const bool fails = tells(state, Lie::FailsOddly);
  if (stops || resets || falls_silent || fails) bytes.resize(draw.index(bytes.size() + 1));
  send_pieces(state, bytes);
  if (fails) {
    constexpr ErrorCode kCodes[] = {ErrorCode::Decode,      ErrorCode::Credentials,
                                    ErrorCode::Internal,    ErrorCode::Timeout,
                                    ErrorCode::Cancelled,   ErrorCode::Server,
                                    ErrorCode::Unreachable, ErrorCode::InvalidArgument};
    state.call.fail(Error(draw.of(kCodes), "the transport failed"));
  } else if (resets) {
    state.call.reset();
  } else if (stops) {
    if (draw.one_in(2)) {
      state.call.truncate();
    } else {
      state.call.end();
    }
  } else if (falls_silent) {
    state.silent = true;
  } else if (ends) {
    state.call.end();
  }
}

void Delivery::flow(std::size_t limit) {
  state_->flow_limit = limit;
  flow_on(state_);
}

void Delivery::flow_on(const std::shared_ptr<State>& state) {
  constexpr std::size_t kChunk = 64 << 10;
  if (state->silent || state->call.ended() || state->call.cancelled()) return;
  if (state->flowed >= state->flow_limit) return;
  state->flowed += kChunk;
  state->call.data(std::string(kChunk, 'e'));
  state->timer = state->executor->submit_after(milliseconds(100), [weak = std::weak_ptr(state)] {
    if (const std::shared_ptr<State> self = weak.lock()) flow_on(self);
  });
}

}  // namespace kube::lying
