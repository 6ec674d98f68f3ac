// SPDX-License-Identifier: Apache-2.0
#include <kube/base/error.hpp>

#include <kube/base/result.hpp>

namespace kube {

struct Error::State {
  ErrorCode code;
  std::string message;
  std::string context;  // "outer: inner: ", ready to print
  int http_status = 0;
  std::string reason;
  std::optional<std::chrono::seconds> retry_after;
  std::shared_ptr<const ErrorDetail> detail;
};

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::Server:
      return "Server";
    case ErrorCode::Unreachable:
      return "Unreachable";
    case ErrorCode::Credentials:
      return "Credentials";
    case ErrorCode::Decode:
      return "Decode";
    case ErrorCode::Config:
      return "Config";
    case ErrorCode::InvalidArgument:
      return "InvalidArgument";
    case ErrorCode::Timeout:
      return "Timeout";
    case ErrorCode::Cancelled:
      return "Cancelled";
    case ErrorCode::Internal:
      return "Internal";
  }
  return "Internal";
}

Error::Error(ErrorCode code, std::string message) {
  auto state = std::make_shared<State>();
  state->code = code;
  state->message = std::move(message);
  state_ = std::move(state);
}

ErrorCode Error::code() const {
  return state_->code;
}
const std::string& Error::message() const& {
  return state_->message;
}
int Error::http_status() const {
  return state_->http_status;
}
const std::string& Error::reason() const& {
  return state_->reason;
}
std::optional<std::chrono::seconds> Error::retry_after() const {
  return state_->retry_after;
}
const std::shared_ptr<const ErrorDetail>& Error::detail() const& {
  return state_->detail;
}

std::string Error::to_string() const {
  return state_->context + state_->message;
}

Error Error::with_context(std::string_view doing) const {
  auto state = std::make_shared<State>(*state_);
  state->context = std::string(doing) + ": " + state_->context;
  Error copy = *this;
  copy.state_ = std::move(state);
  return copy;
}

Error Error::with_http_status(int status) const {
  auto state = std::make_shared<State>(*state_);
  state->http_status = status;
  Error copy = *this;
  copy.state_ = std::move(state);
  return copy;
}

Error Error::with_reason(std::string reason) const {
  auto state = std::make_shared<State>(*state_);
  state->reason = std::move(reason);
  Error copy = *this;
  copy.state_ = std::move(state);
  return copy;
}

Error Error::with_retry_after(std::chrono::seconds delay) const {
  auto state = std::make_shared<State>(*state_);
  state->retry_after = delay;
  Error copy = *this;
  copy.state_ = std::move(state);
  return copy;
}

Error Error::with_detail(std::shared_ptr<const ErrorDetail> detail) const {
  auto state = std::make_shared<State>(*state_);
  state->detail = std::move(detail);
  Error copy = *this;
  copy.state_ = std::move(state);
  return copy;
}

ApiException::ApiException(Error error) : error_(std::move(error)), text_(error_.to_string()) {}
const char* ApiException::what() const noexcept {
  return text_.c_str();
}

namespace detail {
void throw_api_exception(const Error& error) {
  throw ApiException(error);
}
void throw_bad_optional_access() {
  throw std::bad_optional_access();
}
}  // namespace detail

}  // namespace kube
