// SPDX-License-Identifier: Apache-2.0
#include "http/tls_stream.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace kube::serving {

namespace asio = boost::asio;

namespace {

// The plain bytes of a record, at most.
constexpr std::size_t kMaxRecord = std::size_t{16} << 10U;
// A connection that is idle keeps this much for its next bytes. Most requests fit; what follows a
// piece that has filled it is read in larger ones.
constexpr std::size_t kIdleInput = std::size_t{1} << 10U;
constexpr std::size_t kBusyInput = std::size_t{16} << 10U;
// The maximum that reads may have for a client that does not receive: refusals of TLS 1.2 to
// negotiate again.
constexpr std::size_t kMaxUnasked = std::size_t{64} << 10U;

}  // namespace

const BIO_METHOD* TlsEngine::bytes_of_engine() {
  static const BIO_METHOD* const method = [] {
    BIO_METHOD* const made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "engine");
    if (made == nullptr) throw std::bad_alloc();
    BIO_meth_set_create(made, [](BIO* bio) {
      BIO_set_init(bio, 1);
      return 1;
    });
    BIO_meth_set_ctrl(
        made, [](BIO*, int what, long, void*) -> long { return what == BIO_CTRL_FLUSH ? 1 : 0; });
    BIO_meth_set_read(made, [](BIO* bio, char* out, int size) {
      auto& self = *static_cast<TlsEngine*>(BIO_get_data(bio));
      const std::size_t n = std::min(static_cast<std::size_t>(size), self.end_ - self.begin_);
      BIO_clear_retry_flags(bio);
      if (n == 0) {
        BIO_set_retry_read(bio);
        return -1;
      }
      std::memcpy(out, self.input_.get() + self.begin_, n);
      self.begin_ += n;
      return static_cast<int>(n);
    });
    BIO_meth_set_write(made, [](BIO* bio, const char* bytes, int size) {
      static_cast<TlsEngine*>(BIO_get_data(bio))
          ->output_.append(bytes, static_cast<std::size_t>(size));
      return size;
    });
    return made;
  }();
  return method;
}

TlsEngine::TlsEngine(SSL_CTX* context) : ssl_(SSL_new(context)) {
  BIO* const bio = ssl_ ? BIO_new(bytes_of_engine()) : nullptr;
  if (bio == nullptr) throw std::bad_alloc();
  BIO_set_data(bio, this);
  SSL_set_bio(ssl_.get(), bio, bio);
  SSL_set_accept_state(ssl_.get());
  SSL_set_mode(ssl_.get(), SSL_MODE_RELEASE_BUFFERS);
}

asio::mutable_buffer TlsEngine::input() {
  const std::size_t size = input_size_ != 0 && end_ == input_size_ ? kBusyInput : kIdleInput;
  if (size != input_size_) input_.reset(new char[size]);
  input_size_ = size;
  begin_ = end_ = 0;
  return {input_.get(), input_size_};
}

void TlsEngine::received(std::size_t size) {
  end_ = size;
}

std::optional<TlsEngine::Outcome> TlsEngine::outcome_of(int result) const {
  if (result > 0) return Outcome{{}, static_cast<std::size_t>(result)};
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return std::nullopt;
    case SSL_ERROR_ZERO_RETURN:
      return Outcome{asio::error::eof};
    default:
      break;
  }
  const auto code = static_cast<int>(ERR_get_error());
  if (code == 0) return Outcome{asio::ssl::error::unexpected_result};
  return Outcome{{code, asio::error::get_ssl_category()}};
}

std::optional<TlsEngine::Outcome> TlsEngine::shake_hands() {
  ERR_clear_error();
  auto outcome = outcome_of(SSL_do_handshake(ssl_.get()));
  if (outcome) outcome->size = 0;
  return outcome;
}

std::optional<TlsEngine::Outcome> TlsEngine::read(asio::mutable_buffer out) {
  if (out.size() == 0) return Outcome{};
  if (output_.size() > kMaxUnasked) return Outcome{asio::error::no_buffer_space};
  ERR_clear_error();
  return outcome_of(
      SSL_read(ssl_.get(), out.data(), static_cast<int>(std::min(out.size(), kMaxRecord))));
}

// A record is made of bytes in one place, so those of a short head and its body are copied to one.
TlsEngine::Outcome TlsEngine::seal(std::span<const asio::const_buffer> plain) {
  std::array<char, kMaxRecord> joined;
  asio::const_buffer record;
  for (const asio::const_buffer& each : plain) {
    if (record.size() == 0 && each.size() >= kMaxRecord) {
      record = asio::buffer(each, kMaxRecord);
      break;
    }
    const std::size_t n = std::min(each.size(), kMaxRecord - record.size());
    if (n != 0) std::memcpy(joined.data() + record.size(), each.data(), n);
    record = asio::buffer(joined, record.size() + n);
    if (record.size() == kMaxRecord) break;
  }
  if (record.size() == 0) return {};
  ERR_clear_error();
  const auto size = static_cast<int>(record.size());
  const auto outcome = outcome_of(SSL_write(ssl_.get(), record.data(), size));
  return outcome.value_or(Outcome{asio::ssl::error::unexpected_result});
}

void TlsEngine::seal_end() {
  ERR_clear_error();
  SSL_shutdown(ssl_.get());
}

// What a read has for the client, such as an alert, must not come between the bytes of a write; it
// waits for the next one then.
std::optional<TlsEngine::Outcome> TlsStream::read(asio::mutable_buffer into) {
  auto outcome = engine_.read(into);
  send_now();
  return outcome;
}

void TlsStream::send_now() {
  std::string& bytes = engine_.output();
  if (is_sending_ || bytes.empty()) return;
  ErrorCode ignored;
  bytes.erase(0, next_.socket().write_some(asio::buffer(bytes), ignored));
  if (bytes.empty()) bytes.shrink_to_fit();
}

}  // namespace kube::serving
