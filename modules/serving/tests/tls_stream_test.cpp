// SPDX-License-Identifier: Apache-2.0
#include "http/tls_stream.hpp"

#include <malloc.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/beast/core/error.hpp>
#include <filesystem>
#include <functional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/eventually.hpp>

#include "certificate_files.hpp"

namespace kube::serving {
namespace {

namespace asio = boost::asio;
using ErrorCode = TlsStream::ErrorCode;
using Context = std::shared_ptr<SSL_CTX>;

Context client_context() {
  return {SSL_CTX_new(TLS_client_method()), SSL_CTX_free};
}

Context server_context() {
  std::string folder = "/tmp/tls_stream-XXXXXX";
  ::mkdtemp(folder.data());
  test::write_certificate(folder + "/cert", folder + "/key");
  Context made(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  SSL_CTX_use_certificate_file(made.get(), (folder + "/cert").c_str(), SSL_FILETYPE_PEM);
  SSL_CTX_use_PrivateKey_file(made.get(), (folder + "/key").c_str(), SSL_FILETYPE_PEM);
  std::filesystem::remove_all(folder);
  return made;
}

// The bytes of a body: no piece of it is like another.
std::string body_of(std::size_t size) {
  std::string out;
  for (std::uint32_t i = 0; out.size() < size; ++i) out += std::to_string(i * 2654435761U);
  out.resize(size);
  return out;
}

/// A client of OpenSSL on one end of a pair of sockets. It sends and receives in step() alone, and
/// at most `piece` bytes each.
class Client {
 public:
  Client(asio::local::stream_protocol::socket socket, const Context& context)
      : socket_(std::move(socket)), ssl_(SSL_new(context.get()), SSL_free) {
    socket_.non_blocking(true);
    in_ = BIO_new(BIO_s_mem());
    out_ = BIO_new(BIO_s_mem());
    SSL_set_bio(ssl_.get(), in_, out_);
    SSL_set_connect_state(ssl_.get());
  }

  SSL* ssl() { return ssl_.get(); }
  auto& socket() { return socket_; }

  void write(std::string_view text) {
    ASSERT_EQ(SSL_write(ssl(), text.data(), static_cast<int>(text.size())),
              static_cast<int>(text.size()));
  }
  void step() {
    if (!ssl_) return;
    send();
    if (receives) receive();
    ERR_clear_error();
    std::array<char, 20'000> bytes{};
    int n = 0;  // the handshake is a part of the first
    while ((n = SSL_read(ssl(), bytes.data(), bytes.size())) > 0) {
      got.append(bytes.data(), static_cast<std::size_t>(n));
    }
    if (SSL_get_error(ssl(), n) == SSL_ERROR_SSL && failed == 0) failed = ERR_get_error();
  }
  /// Frees all memory of the client; its socket stays open.
  void forget() {
    ssl_.reset();
    got = std::string();
    got.shrink_to_fit();
  }

  std::size_t piece = 1 << 20;
  bool receives = true;
  std::string got{};         ///< The plain bytes so far.
  unsigned long failed = 0;  ///< OpenSSL's last error.

 private:
  void send() {
    char* bytes = nullptr;
    const auto size = static_cast<std::size_t>(BIO_get_mem_data(out_, &bytes));
    ErrorCode ignored;
    const std::size_t n = socket_.write_some(asio::buffer(bytes, std::min(size, piece)), ignored);
    std::string sent(n, '\0');
    BIO_read(out_, sent.data(), static_cast<int>(n));
  }
  void receive() {
    std::array<char, 20'000> bytes{};
    ErrorCode none;
    const std::size_t n = socket_.read_some(asio::buffer(bytes, piece), none);
    if (n != 0) BIO_write(in_, bytes.data(), static_cast<int>(n));
  }

  asio::local::stream_protocol::socket socket_;
  std::shared_ptr<SSL> ssl_;
  BIO* in_ = nullptr;
  BIO* out_ = nullptr;
};

/// A stream and its client, in turns on one thread.
class TlsPair {
 public:
  TlsPair(asio::io_context& io, const Context& server, const Context& clients) : io_(io) {
    asio::local::stream_protocol::socket here(io);
    asio::local::stream_protocol::socket there(io);
    asio::local::connect_pair(here, there);
    here.set_option(asio::socket_base::send_buffer_size(4096));  // so that a record does not fit
    here.non_blocking(true);
    below.emplace(asio::generic::stream_protocol::socket(std::move(here)));
    stream.emplace(*below, server.get());
    client.emplace(std::move(there), clients);
  }

  void run_until(const std::function<bool()>& done) {
    const auto deadline = std::chrono::steady_clock::now() + kube::testing::kPatience;
    while (!done() && std::chrono::steady_clock::now() < deadline) {
      io_.restart();
      io_.poll();
      client->step();
    }
    ASSERT_TRUE(done());
  }
  void shake_hands() {
    std::optional<ErrorCode> result;
    stream->async_handshake([&](ErrorCode error) { result = error; });
    run_until([&] { return result && SSL_is_init_finished(client->ssl()); });
    ASSERT_FALSE(*result) << result->message();
  }

  std::optional<TlsStream::Stream> below;
  std::optional<TlsStream> stream;
  std::optional<Client> client;

 private:
  asio::io_context& io_;
};

class TlsStreamTest : public ::testing::Test {
 protected:
  /// Reads until the end, or an error.
  void read() {
    pair.stream->async_read_some(asio::buffer(piece_), [this](ErrorCode error, std::size_t size) {
      if (error) {
        read_error = error;
        return;
      }
      received.append(piece_.data(), size);
      read();
    });
  }
  template <class Buffers>
  void write(const Buffers& buffers) {
    asio::async_write(*pair.stream, buffers, [this](ErrorCode error, std::size_t size) {
      write_error = error;
      written = size;
    });
  }
  void open() { ASSERT_NO_FATAL_FAILURE(pair.shake_hands()); }

  asio::io_context io;
  Context server = server_context();
  Context clients = client_context();
  TlsPair pair{io, server, clients};
  std::string received{};
  std::optional<ErrorCode> read_error{};
  std::optional<ErrorCode> write_error{};
  std::size_t written = 0;

 private:
  std::array<char, 3000> piece_{};
};

TEST_F(TlsStreamTest, BytesThatComeOneByOneAreOneMessage) {
  pair.client->piece = 1;
  open();
  read();
  pair.client->write("a request");
  const std::string answer = body_of(5'000);
  write(asio::buffer(answer));
  pair.run_until([&] { return received == "a request" && pair.client->got == answer; });
  EXPECT_EQ(written, answer.size());
}

TEST_F(TlsStreamTest, LargeBodiesComeWholeInBothDirectionsAtOnce) {
  open();
  read();
  const std::string there = body_of(3 << 20);
  const std::string back = body_of(2 << 20);
  // Slices as a list has them: short and long, one empty, more than a call takes at once.
  std::vector<asio::const_buffer> slices(1);
  for (std::size_t at = 0; at < back.size();) {
    const std::size_t size = std::min(back.size() - at, slices.size() % 3 == 0 ? 70'000UL : 90UL);
    slices.emplace_back(back.data() + at, size);
    at += size;
  }
  ASSERT_GT(slices.size(), 80U);
  pair.client->write(there);
  write(slices);
  pair.run_until(
      [&] { return received.size() == there.size() && pair.client->got.size() == back.size(); });
  EXPECT_TRUE(received == there);
  EXPECT_TRUE(pair.client->got == back);
  EXPECT_EQ(written, back.size());
}

TEST_F(TlsStreamTest, AHeadAndAShortBodyAreOneRecord) {
  open();
  const std::string head(300, 'h');
  const std::string body(5'000, 'b');
  int records = 0;
  SSL_set_msg_callback_arg(pair.client->ssl(), &records);
  SSL_set_msg_callback(pair.client->ssl(),
                       [](int, int, int type, const void*, std::size_t, SSL*, void* count) {
                         if (type == SSL3_RT_HEADER) ++*static_cast<int*>(count);
                       });
  write(std::array{asio::buffer(head), asio::buffer(body)});
  pair.run_until([&] { return pair.client->got == head + body; });
  EXPECT_EQ(records, 1);
}

TEST_F(TlsStreamTest, AClientThatRenewsItsKeysDuringAWriteGetsAllOfItAndNewKeys) {
  open();
  read();
  int renewals = 0;
  SSL_set_msg_callback_arg(pair.client->ssl(), &renewals);
  SSL_set_msg_callback(pair.client->ssl(), [](int sent, int, int type, const void* bytes,
                                              std::size_t size, SSL*, void* count) {
    const auto* const message = static_cast<const unsigned char*>(bytes);
    if (!sent && type == SSL3_RT_HANDSHAKE && size != 0 && message[0] == SSL3_MT_KEY_UPDATE) {
      ++*static_cast<int*>(count);
    }
  });
  pair.client->receives = false;
  const std::string body = body_of(200'000);
  write(asio::buffer(body));
  for (int i = 1; i <= 3; ++i) {
    ASSERT_EQ(SSL_key_update(pair.client->ssl(), SSL_KEY_UPDATE_REQUESTED), 1);
    pair.client->write("x");
    pair.run_until([&] { return received.size() == static_cast<std::size_t>(i); });
  }
  EXPECT_FALSE(write_error);
  pair.client->receives = true;
  pair.run_until([&] { return write_error && pair.client->got.size() == body.size(); });
  EXPECT_TRUE(pair.client->got == body);
  EXPECT_GE(renewals, 1);
}

TEST_F(TlsStreamTest, WhatIsSentAtOnceIsFollowedByTheRest) {
  open();
  const std::string body = body_of(40'000);
  // The socket takes a part of the first record alone.
  std::size_t size = pair.stream->write_now(asio::buffer(body));
  EXPECT_EQ(size, 16U << 10U);
  EXPECT_TRUE(pair.stream->has_unsent());
  EXPECT_EQ(pair.stream->write_now(asio::buffer(body) + size), 0U);
  write(asio::buffer(body) + size);
  pair.run_until([&] { return pair.client->got == body && written == body.size() - size; });

  // With room for all, nothing is left.
  pair.client->got.clear();
  EXPECT_EQ(pair.stream->write_now(asio::buffer(body, 100)), 100U);
  EXPECT_FALSE(pair.stream->has_unsent());
  pair.run_until([&] { return pair.client->got == body.substr(0, 100); });
}

TEST_F(TlsStreamTest, AnAlertWaitsForTheRecordThatIsBeingSent) {
  open();
  asio::write(pair.client->socket(), asio::buffer(std::string("no record of TLS")));
  read();
  const std::string body = body_of(16'000);
  write(asio::buffer(body));
  // The socket has a part of the record, and room again when the wrong one is read.
  pair.client->step();
  ASSERT_EQ(pair.client->got, "");
  pair.run_until([&] { return read_error && pair.client->got == body; });
  EXPECT_EQ(read_error->category(), asio::error::get_ssl_category()) << read_error->message();
}

TEST_F(TlsStreamTest, AClientWhoseRecordIsWrongIsTold) {
  open();
  read();
  asio::write(pair.client->socket(), asio::buffer(std::string("no record of TLS")));
  pair.run_until([&] { return read_error && pair.client->failed != 0; });
  EXPECT_GE(ERR_GET_REASON(pair.client->failed), SSL_AD_REASON_OFFSET) << pair.client->failed;
}

TEST_F(TlsStreamTest, AHandshakeThatFailsTellsTheClientWhy) {
  SSL_CTX_set_min_proto_version(server.get(), TLS1_3_VERSION);
  TlsPair strict(io, server, clients);
  SSL_set_max_proto_version(strict.client->ssl(), TLS1_2_VERSION);
  std::optional<ErrorCode> result;
  strict.stream->async_handshake([&](ErrorCode error) { result = error; });
  strict.run_until([&] { return result && strict.client->failed != 0; });
  EXPECT_EQ(ERR_GET_REASON(static_cast<unsigned long>(result->value())),
            SSL_R_UNSUPPORTED_PROTOCOL);
  EXPECT_EQ(ERR_GET_REASON(strict.client->failed), SSL_R_TLSV1_ALERT_PROTOCOL_VERSION);
}

TEST_F(TlsStreamTest, ACloseNotifyIsTheEnd) {
  open();
  read();
  pair.client->write("last");
  SSL_shutdown(pair.client->ssl());
  pair.run_until([&] { return read_error.has_value(); });
  EXPECT_EQ(*read_error, asio::error::eof);
  EXPECT_EQ(received, "last");
}

TEST_F(TlsStreamTest, AConnectionThatEndsWithoutACloseNotifyIsCutOff) {
  open();
  read();
  pair.client->write("a part");
  pair.client->step();
  pair.client->socket().close();
  pair.client->forget();
  pair.run_until([&] { return read_error.has_value(); });
  EXPECT_EQ(*read_error, asio::ssl::error::stream_truncated);
  EXPECT_EQ(received, "a part");
}

TEST_F(TlsStreamTest, AClientIsToldThatNothingFollows) {
  open();
  pair.stream->notify_close();
  pair.run_until(
      [&] { return (SSL_get_shutdown(pair.client->ssl()) & SSL_RECEIVED_SHUTDOWN) != 0; });
}

TEST_F(TlsStreamTest, TheTimeoutsOfTheSocketEndEachOperation) {
  pair.client->receives = false;
  pair.below->expires_after(std::chrono::milliseconds(1));
  std::optional<ErrorCode> result;
  pair.stream->async_handshake([&](ErrorCode error) { result = error; });
  pair.run_until([&] { return result.has_value(); });
  EXPECT_EQ(*result, boost::beast::error::timeout);

  TlsPair other(io, server, clients);
  ASSERT_NO_FATAL_FAILURE(other.shake_hands());
  other.client->receives = false;
  other.below->expires_after(std::chrono::milliseconds(1));
  const std::string body = body_of(16'000);
  other.stream->async_write_some(asio::buffer(body), [&](ErrorCode error, std::size_t size) {
    write_error = error;
    written = size;
  });
  other.run_until([&] { return write_error.has_value(); });
  EXPECT_EQ(*write_error, boost::beast::error::timeout);
  EXPECT_EQ(written, 0U);
}

/// Writes records of a client of TLS 1.2 with AES128-GCM that OpenSSL would not send.
class RawRecords {
 public:
  /// After the handshake, before any other record.
  explicit RawRecords(SSL* ssl) {
    std::array<unsigned char, 48> master{};
    SSL_SESSION_get_master_key(SSL_get_session(ssl), master.data(), master.size());
    std::string seed = "key expansion" + std::string(64, '\0');
    auto* const randoms = reinterpret_cast<unsigned char*>(seed.data()) + seed.size() - 64;
    SSL_get_server_random(ssl, randoms, 32);
    SSL_get_client_random(ssl, randoms + 32, 32);
    std::string digest = "SHA256";
    const std::array params = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SECRET, master.data(), master.size()),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SEED, seed.data(), seed.size()),
        OSSL_PARAM_construct_end()};
    EVP_KDF* const prf = EVP_KDF_fetch(nullptr, "TLS1-PRF", nullptr);
    EVP_KDF_CTX* const context = EVP_KDF_CTX_new(prf);
    // The keys of client and server, and the fixed parts of their nonces.
    std::array<unsigned char, 2 * 16 + 2 * 4> block{};
    EXPECT_EQ(EVP_KDF_derive(context, block.data(), block.size(), params.data()), 1);
    std::copy_n(block.data(), 16, key_.data());
    std::copy_n(block.data() + 32, 4, nonce_.data());
    EVP_KDF_CTX_free(context);
    EVP_KDF_free(prf);
  }

  std::string seal(char type, std::string_view plain) {
    const std::string number = bytes_of(++sent_, 8);
    std::copy(number.begin(), number.end(), nonce_.begin() + 4);
    const std::string version = "\x03\x03";
    const std::string associated = number + type + version + bytes_of(plain.size(), 2);
    std::string sealed(plain.size() + 16, '\0');
    auto* const out = reinterpret_cast<unsigned char*>(sealed.data());
    const auto size = static_cast<int>(plain.size());
    EVP_CIPHER_CTX* const context = EVP_CIPHER_CTX_new();
    int n = 0;
    EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), nullptr, key_.data(), nonce_.data());
    EVP_EncryptUpdate(context, nullptr, &n,
                      reinterpret_cast<const unsigned char*>(associated.data()),
                      static_cast<int>(associated.size()));
    EVP_EncryptUpdate(context, out, &n, reinterpret_cast<const unsigned char*>(plain.data()), size);
    EVP_EncryptFinal_ex(context, out + size, &n);
    EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, out + size);
    EVP_CIPHER_CTX_free(context);
    return type + version + bytes_of(8 + sealed.size(), 2) + number + sealed;
  }

 private:
  static std::string bytes_of(std::uint64_t value, std::size_t size) {
    std::string out(size, '\0');
    for (; size != 0; value >>= 8U) out[--size] = static_cast<char>(value & 0xffU);
    return out;
  }

  std::array<unsigned char, 16> key_{};
  std::array<unsigned char, 12> nonce_{};
  std::uint64_t sent_ = 0;  ///< The end of the handshake has 0.
};

// It asks for a new handshake, each of which is refused, and never receives a refusal.
TEST_F(TlsStreamTest, AClientThatAsksForAnswersAndReceivesNoneIsCutOff) {
  SSL_set_max_proto_version(pair.client->ssl(), TLS1_2_VERSION);
  SSL_set_cipher_list(pair.client->ssl(), "ECDHE-ECDSA-AES128-GCM-SHA256");
  open();
  RawRecords records(pair.client->ssl());
  constexpr std::string_view kHello("\x01\0\0\0", 4);  // of which OpenSSL looks at the start
  pair.client->receives = false;
  read();
  std::size_t asked = 0;
  std::string bytes;
  pair.run_until([&] {
    if (read_error) return true;
    for (int i = 0; bytes.empty() && i < 100; ++i, ++asked) {
      bytes += records.seal(SSL3_RT_HANDSHAKE, kHello);
    }
    ErrorCode full;
    bytes.erase(0, pair.client->socket().write_some(asio::buffer(bytes), full));
    return false;
  });
  EXPECT_EQ(*read_error, asio::error::no_buffer_space) << read_error->message();
  // A refusal is a record of 31 bytes: 64 KiB of them, and what the socket has taken.
  EXPECT_GT(asked, 2'000U);
  EXPECT_LT(asked, 6'000U);
}

// While it receives, it may ask as often as it likes.
TEST_F(TlsStreamTest, AClientThatReceivesItsRefusalsIsNotCutOff) {
  SSL_set_max_proto_version(pair.client->ssl(), TLS1_2_VERSION);
  SSL_set_cipher_list(pair.client->ssl(), "ECDHE-ECDSA-AES128-GCM-SHA256");
  open();
  RawRecords records(pair.client->ssl());
  pair.client->receives = false;
  read();
  constexpr std::size_t kTimes = 10'000;
  constexpr std::size_t kRefusal = 31;
  std::size_t asked = 0;
  std::size_t came = 0;
  std::string bytes;
  pair.run_until([&] {
    if (bytes.empty() && asked < kTimes && came + 50 * kRefusal > asked * kRefusal) {
      bytes = records.seal(SSL3_RT_HANDSHAKE, std::string_view("\x01\0\0\0", 4));
      ++asked;
    }
    ErrorCode none;
    bytes.erase(0, pair.client->socket().write_some(asio::buffer(bytes), none));
    std::array<char, 4096> refusals{};
    came += pair.client->socket().read_some(asio::buffer(refusals), none);
    return read_error || came == kTimes * kRefusal;
  });
  EXPECT_FALSE(read_error) << read_error->message();
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Asio's stream takes 68 KiB and more.
TEST_F(TlsStreamTest, AnIdleConnectionHoldsNoBuffers) {
  struct Reader {
    Reader(asio::io_context& io, const Context& server, const Context& clients)
        : pair(io, server, clients) {}

    TlsPair pair;
    std::array<char, 3000> piece{};
    std::size_t read_bytes = 0;
    bool has_written = false;

    void read() {
      pair.stream->async_read_some(asio::buffer(piece), [this](ErrorCode error, std::size_t size) {
        read_bytes += size;
        if (!error) read();
      });
    }
  };
  constexpr std::size_t kReaders = 32;
  const std::string body = body_of(100'000);
  std::vector<std::unique_ptr<Reader>> readers;
  const auto add = [&] {
    readers.push_back(std::make_unique<Reader>(io, server, clients));
    Reader& added = *readers.back();
    ASSERT_NO_FATAL_FAILURE(added.pair.shake_hands());
    added.read();
    added.pair.client->write(body);
    asio::async_write(*added.pair.stream, asio::buffer(body),
                      [&](ErrorCode error, std::size_t) { added.has_written = !error; });
    added.pair.run_until([&] {
      return added.read_bytes == body.size() && added.has_written && added.pair.client->got == body;
    });
    added.pair.client->forget();
  };
  add();  // what OpenSSL keeps for all
  const std::size_t before = ::mallinfo2().uordblks;
  for (std::size_t i = 0; i < kReaders; ++i) ASSERT_NO_FATAL_FAILURE(add());
  const std::size_t each = (::mallinfo2().uordblks - before) / kReaders;
  RecordProperty("bytes", static_cast<int>(each));
  EXPECT_LT(each, 24U << 10U);
}
#endif

}  // namespace
}  // namespace kube::serving
