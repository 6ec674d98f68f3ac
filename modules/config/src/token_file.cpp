// SPDX-License-Identifier: Apache-2.0
#include <kube/config/token_file.hpp>

#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/base/file.hpp>

namespace kube::rest {

Result<std::shared_ptr<TokenFile>> TokenFile::create(Options options,
                                                     std::shared_ptr<Clock> clock) {
  std::shared_ptr<TokenFile> source(new TokenFile(std::move(options), std::move(clock)));
  if (!source->options_.initial.empty()) return source;
  Result<SecretText> first = source->read();
  if (!first) return first.error();
  const MutexLock lock(source->mutex_);
  source->token_ = *std::move(first);
  source->read_at_ = source->clock_->now();
  source->due_ = false;
  return source;
}

TokenFile::TokenFile(Options options, std::shared_ptr<Clock> clock)
    : options_(std::move(options)), clock_(std::move(clock)), token_(options_.initial) {}

SecretText TokenFile::token() {
  bool tell = false;
  SecretText token;
  std::string why;
  {
    const MutexLock lock(mutex_);
    const TimePoint now = clock_->now();
    if (due_ || now + options_.leeway >= read_at_ + options_.period) {
      Result<SecretText> read = this->read();
      if (read) {
        token_ = *std::move(read);
        read_at_ = now;
        due_ = false;
        unreadable_ = false;
      } else {
        tell = !std::exchange(unreadable_, true);
        why = read.error().to_string();
      }
    }
    token = token_;
  }
  if (tell) {
    KUBE_LOG(options_.logger, LogLevel::Warning, "config",
             "token file can't be read; the last token is still used", {"file", options_.path},
             {"error", why});
  }
  return token;
}

void TokenFile::refused(TimePoint since) {
  const MutexLock lock(mutex_);
  if (read_at_ < since) due_ = true;
}

Result<SecretText> TokenFile::read() const {
  const Result<DatedFile> file = read_regular_file(options_.path);
  if (!file) {
    return Error(ErrorCode::Credentials,
                 "failed to read token file \"" + options_.path + "\": " + file.error().message());
  }
  const std::string_view token = ascii::trim_space(file->text);
  if (token.empty()) {
    return Error(ErrorCode::Credentials, "read empty token from file \"" + options_.path + "\"");
  }
  for (const char c : token) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte == 0x7f) {
      return Error(ErrorCode::Credentials,
                   "the token in file \"" + options_.path + "\" is not one line of text");
    }
  }
  return SecretText(token);
}

}  // namespace kube::rest
