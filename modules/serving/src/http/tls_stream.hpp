// SPDX-License-Identifier: Apache-2.0
//
// TLS of a connection. It has no memory for bytes that are not there: Asio's own stream keeps four
// buffers of 17 KiB as long as it lives (docs/decisions/0034).
#pragma once

#include <openssl/ssl.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/compose.hpp>
#include <boost/asio/coroutine.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace kube::serving {

/// The server's side of TLS, without a socket: bytes of the client come in by input() and
/// received(), bytes for it are in output().
///
/// @par Thread safety   None: for one thread at a time.
class TlsEngine {
 public:
  using ErrorCode = boost::system::error_code;
  /// What has become of an operation; empty when it needs more bytes of the client.
  struct Outcome {
    ErrorCode error{};
    std::size_t size = 0;
  };

  explicit TlsEngine(SSL_CTX* context);
  TlsEngine(const TlsEngine&) = delete;
  TlsEngine& operator=(const TlsEngine&) = delete;

  std::optional<Outcome> shake_hands();
  /// Its size is that of the plain bytes, at most those of one record. error::eof is the client's
  /// close_notify.
  std::optional<Outcome> read(boost::asio::mutable_buffer out);
  /// Makes one record of the first bytes, up to 16 KiB; its size says of how many. Never empty.
  Outcome seal(std::span<const boost::asio::const_buffer> plain);
  /// Tells the client that nothing follows.
  void seal_end();

  /// Where the client's next bytes go, after an operation that needs some.
  boost::asio::mutable_buffer input();
  void received(std::size_t size);
  /// The bytes for the client that nobody has taken yet.
  std::string& output() { return output_; }
  bool has_output() const { return !output_.empty(); }

 private:
  std::optional<Outcome> outcome_of(int result) const;
  static const BIO_METHOD* bytes_of_engine();

  struct Free {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  std::unique_ptr<SSL, Free> ssl_;
  std::unique_ptr<char[]> input_;
  std::size_t input_size_ = 0;  ///< Of the memory.
  std::size_t begin_ = 0;       ///< Of the bytes that are not read yet.
  std::size_t end_ = 0;
  std::string output_;
};

/// A stream of plain bytes over a socket, as Asio's composed operations need one. One read and one
/// write may be under way at once. Timeouts are those of the socket's stream.
///
/// @par Thread safety   None: for one strand.
class TlsStream {
 public:
  using ErrorCode = boost::system::error_code;
  using Stream = boost::beast::basic_stream<boost::asio::generic::stream_protocol>;
  using executor_type = Stream::executor_type;

  /// `next` must outlive this, `context` the constructor.
  /// @pre The socket is non-blocking.
  TlsStream(Stream& next, SSL_CTX* context) : next_(next), engine_(context) {}
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  executor_type get_executor() { return next_.get_executor(); }

  template <class Token>
  auto async_handshake(Token&& token) {
    return boost::asio::async_compose<Token, void(ErrorCode)>(Handshake{{}, *this}, token, next_);
  }

  /// Fails with ssl::error::stream_truncated when the connection ends without a close_notify.
  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    boost::asio::mutable_buffer into;
    for (auto at = boost::asio::buffer_sequence_begin(buffers);
         into.size() == 0 && at != boost::asio::buffer_sequence_end(buffers); ++at) {
      into = *at;
    }
    return boost::asio::async_compose<Token, void(ErrorCode, std::size_t)>(Read{{}, *this, into},
                                                                           token, next_);
  }

  /// Sends one record, see TlsEngine::seal(); the bytes are read before it returns.
  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    const auto sealed = seal(buffers);
    return boost::asio::async_compose<Token, void(ErrorCode, std::size_t)>(Write{{}, *this, sealed},
                                                                           token, next_);
  }

  /// Makes one record of the first bytes and sends it, as far as the socket takes it at once.
  /// Returns the number of plain bytes; 0 after an error, which async_write_some() finds again, or
  /// while earlier bytes are unsent.
  /// @pre No write is under way.
  template <class Buffers>
  std::size_t write_now(const Buffers& buffers) {
    if (has_unsent()) return 0;
    const std::size_t size = seal(buffers).size;
    send_now();
    return size;
  }
  /// Whether bytes of the network's are still to be sent, by async_write_some(), which need not be
  /// given any others.
  bool has_unsent() const { return is_sending_ || engine_.has_output(); }

  /// Tells the client that nothing follows, if the socket takes it at once.
  void notify_close() {
    engine_.seal_end();
    send_now();
  }

 private:
  template <class Buffers>
  TlsEngine::Outcome seal(const Buffers& buffers) {
    std::array<boost::asio::const_buffer, 64> plain;
    std::size_t count = 0;
    for (auto at = boost::asio::buffer_sequence_begin(buffers);
         count != plain.size() && at != boost::asio::buffer_sequence_end(buffers); ++at) {
      plain[count++] = *at;
    }
    return engine_.seal({plain.data(), count});
  }

  struct Handshake : boost::asio::coroutine {
    TlsStream& stream;
    std::optional<TlsEngine::Outcome> done{};

    // The client begins; what is sent after a failure tells it why.
    template <class Self>
    void operator()(Self& self, ErrorCode error = {}, std::size_t size = 0) {
      BOOST_ASIO_CORO_REENTER(*this) {
        while (!done) {
          BOOST_ASIO_CORO_YIELD stream.receive(std::move(self));
          if (error) return self.complete(truncated_if_eof(error));
          stream.engine_.received(size);
          done = stream.engine_.shake_hands();
          if (stream.engine_.output().empty()) continue;
          BOOST_ASIO_CORO_YIELD stream.send(std::move(self));
          stream.sent();
          if (error) return self.complete(error);
        }
        self.complete(done->error);
      }
    }
  };

  struct Read : boost::asio::coroutine {
    TlsStream& stream;
    boost::asio::mutable_buffer into;
    std::optional<TlsEngine::Outcome> done{};

    template <class Self>
    void operator()(Self& self, ErrorCode error = {}, std::size_t size = 0) {
      BOOST_ASIO_CORO_REENTER(*this) {
        if (done = stream.read(into); done) {
          BOOST_ASIO_CORO_YIELD boost::asio::post(stream.get_executor(), std::move(self));
        }
        while (!done) {
          BOOST_ASIO_CORO_YIELD stream.receive(std::move(self));
          if (error) return self.complete(truncated_if_eof(error), 0);
          stream.engine_.received(size);
          done = stream.read(into);
        }
        self.complete(done->error, done->size);
      }
    }
  };

  struct Write : boost::asio::coroutine {
    TlsStream& stream;
    TlsEngine::Outcome sealed;

    template <class Self>
    void operator()(Self& self, ErrorCode error = {}, std::size_t = 0) {
      BOOST_ASIO_CORO_REENTER(*this) {
        if (sealed.error) {
          BOOST_ASIO_CORO_YIELD boost::asio::post(stream.get_executor(), std::move(self));
          return self.complete(sealed.error, 0);
        }
        BOOST_ASIO_CORO_YIELD stream.send(std::move(self));
        stream.sent();
        self.complete(error, error ? 0 : sealed.size);
      }
    }
  };

  static ErrorCode truncated_if_eof(ErrorCode error) {
    if (error != boost::asio::error::eof) return error;
    return boost::asio::ssl::error::stream_truncated;
  }

  template <class Handler>
  void receive(Handler&& handler) {
    next_.async_read_some(engine_.input(), std::forward<Handler>(handler));
  }
  template <class Handler>
  void send(Handler&& handler) {
    sending_ = std::exchange(engine_.output(), {});
    is_sending_ = true;
    boost::asio::async_write(next_, boost::asio::buffer(sending_), std::forward<Handler>(handler));
  }
  void sent() {
    is_sending_ = false;
    sending_.clear();
    sending_.shrink_to_fit();
  }
  std::optional<TlsEngine::Outcome> read(boost::asio::mutable_buffer into);
  void send_now();

  Stream& next_;
  TlsEngine engine_;
  std::string sending_;
  bool is_sending_ = false;
};

}  // namespace kube::serving
