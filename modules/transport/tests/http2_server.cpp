// SPDX-License-Identifier: Apache-2.0
#include "http2_server.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include <nghttp2/nghttp2.h>

namespace kube::transport {
namespace {

// nghttp2 sends 64 KiB, and no longer head.
constexpr std::size_t kLongestHead = std::size_t{1} << 20;
constexpr std::size_t kTrailerSize = 1000;

// nghttp2 copies what it is given.
nghttp2_nv field(const std::string& name, const std::string& value) {
  nghttp2_nv made{};
  made.name = reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data()));
  made.namelen = name.size();
  made.value = reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data()));
  made.valuelen = value.size();
  return made;
}

struct Stream {
  Http2Request request{};
  Http2Answer answer{};
  std::size_t sent = 0;
};

class Session {
 public:
  Session(Peer& peer, const Http2Script& script, std::uint32_t max_streams)
      : peer_(peer), script_(script) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    nghttp2_option* option = nullptr;
    nghttp2_option_new(&option);
    nghttp2_option_set_max_send_header_block_length(option, kLongestHead);
    nghttp2_session_server_new2(&session_, callbacks, this, option);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    allow(max_streams);
  }
  ~Session() { nghttp2_session_del(session_); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void run() {
    while (flush()) {
      if (cut_) return peer_.end();
      const std::string input = peer_.read_some();
      if (input.empty()) return;
      const auto* bytes = reinterpret_cast<const std::uint8_t*>(input.data());
      if (nghttp2_session_mem_recv(session_, bytes, input.size()) < 0) return;
    }
  }

 private:
  static Session& of(void* user) { return *static_cast<Session*>(user); }

  void allow(std::uint32_t streams) {
    const nghttp2_settings_entry limit{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, streams};
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, &limit, 1);
  }

  bool flush() {
    for (;;) {
      const std::uint8_t* bytes = nullptr;
      const ssize_t size = nghttp2_session_mem_send(session_, &bytes);
      if (size <= 0) return size == 0;
      const std::string_view output(reinterpret_cast<const char*>(bytes),
                                    static_cast<std::size_t>(size));
      if (!peer_.write(output)) return false;
    }
  }

  static int on_header(nghttp2_session* /*session*/, const nghttp2_frame* frame,
                       const std::uint8_t* name, std::size_t name_size, const std::uint8_t* value,
                       std::size_t value_size, std::uint8_t /*flags*/, void* user) {
    const std::string_view key(reinterpret_cast<const char*>(name), name_size);
    const std::string text(reinterpret_cast<const char*>(value), value_size);
    Http2Request& request = of(user).streams_[frame->hd.stream_id].request;
    if (key == ":method") request.method = text;
    if (key == ":path") request.path = text;
    if (key == ":authority") request.authority = text;
    return 0;
  }

  static int on_data(nghttp2_session* /*session*/, std::uint8_t /*flags*/, std::int32_t id,
                     const std::uint8_t* data, std::size_t size, void* user) {
    of(user).streams_[id].request.body.append(reinterpret_cast<const char*>(data), size);
    return 0;
  }

  static int on_frame(nghttp2_session* /*session*/, const nghttp2_frame* frame, void* user) {
    if (frame->hd.type == NGHTTP2_PING && (frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) {
      Http2Request ping{};
      ping.method = "PING";
      (void)of(user).script_(ping);
    }
    if (frame->hd.type == NGHTTP2_HEADERS && of(user).answer_early(frame->hd.stream_id)) return 0;
    const bool part = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
    if (part && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
      of(user).answer(frame->hd.stream_id);
    }
    return 0;
  }

  static int on_close(nghttp2_session* /*session*/, std::int32_t id, std::uint32_t /*error*/,
                      void* user) {
    of(user).streams_.erase(id);
    return 0;
  }

  // nghttp2 would send the reset before the body, so these frames pass it by.
  bool answer_early(std::int32_t id) {
    const Http2Request& request = streams_[id].request;
    if (!request.path.starts_with("/early")) return false;
    const Http2Answer answer = script_(request);
    // A literal with the indexed name ":status".
    const std::string head = std::string("\x08\x03") + std::to_string(answer.status);
    peer_.write(frame_of(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, id, head));
    const std::string body =
        answer.body.empty() ? "" : frame_of(NGHTTP2_DATA, NGHTTP2_FLAG_END_STREAM, id, answer.body);
    peer_.write(body + frame_of(NGHTTP2_RST_STREAM, NGHTTP2_FLAG_NONE, id, std::string(4, '\0')));
    return true;
  }

  static std::string frame_of(std::uint8_t type, std::uint8_t flags, std::int32_t id,
                              const std::string& payload) {
    const auto byte = [](std::size_t number, int shift) {
      return static_cast<char>((number >> static_cast<unsigned>(shift)) & 0xffU);
    };
    const auto stream = static_cast<std::size_t>(id);
    const std::size_t size = payload.size();
    return std::string{byte(size, 16),   byte(size, 8),   byte(size, 0),
                       byte(type, 0),    byte(flags, 0),  byte(stream, 24),
                       byte(stream, 16), byte(stream, 8), byte(stream, 0)} +
           payload;
  }

  void answer(std::int32_t id) {
    Stream& stream = streams_[id];
    stream.answer = script_(stream.request);
    const Http2Answer& answer = stream.answer;
    if (answer.cut) cut_ = true;
    if (answer.max_streams) allow(*answer.max_streams);
    if (answer.silent && answer.go_away) {
      nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, 0, NGHTTP2_NO_ERROR, nullptr, 0);
    }
    if (answer.silent || answer.cut) return;
    if (answer.refuse) {
      nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_REFUSED_STREAM);
      return;
    }
    const std::string name = ":status";
    const std::string early = "103";
    const std::string status = std::to_string(answer.status);
    const nghttp2_nv hint = field(name, early);
    const nghttp2_nv head = field(name, status);
    for (std::size_t i = 0; i < answer.hints; ++i) {
      nghttp2_submit_headers(session_, NGHTTP2_FLAG_NONE, id, nullptr, &hint, 1, nullptr);
    }
    nghttp2_data_provider provider{};
    provider.source.ptr = &stream;
    provider.read_callback = read_body;
    nghttp2_submit_response(session_, id, &head, 1, &provider);
    if (answer.go_away) {
      nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_NO_ERROR, nullptr, 0);
    }
  }

  static void submit_trailers(nghttp2_session* session, std::int32_t id, std::size_t count) {
    const std::string name = "x-more";
    const std::string value(kTrailerSize - name.size(), 'm');
    const std::vector<nghttp2_nv> trailers(count, field(name, value));
    nghttp2_submit_trailer(session, id, trailers.data(), trailers.size());
  }

  static ssize_t read_body(nghttp2_session* session, std::int32_t id, std::uint8_t* buffer,
                           std::size_t size, std::uint32_t* flags, nghttp2_data_source* source,
                           void* /*user*/) {
    Stream& stream = *static_cast<Stream*>(source->ptr);
    const std::string& body = stream.answer.body;
    const std::size_t total = body.size() + stream.answer.filler;
    if (stream.sent == total) {
      if (stream.answer.open) return NGHTTP2_ERR_DEFERRED;
      *flags |= NGHTTP2_DATA_FLAG_EOF;
      if (stream.answer.trailers > 0) {
        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
        submit_trailers(session, id, stream.answer.trailers);
      }
      return 0;
    }
    std::size_t count = 0;
    if (stream.sent < body.size()) {
      count = std::min(size, body.size() - stream.sent);
      std::memcpy(buffer, body.data() + stream.sent, count);
    } else {
      count = std::min(size, total - stream.sent);
      std::memset(buffer, 'x', count);
    }
    stream.sent += count;
    return static_cast<ssize_t>(count);
  }

  Peer& peer_;
  const Http2Script& script_;
  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, Stream> streams_;
  bool cut_ = false;
};

}  // namespace

LoopbackServer::Script http2(Http2Script script, std::uint32_t max_streams) {
  return [script = std::move(script), max_streams](Peer& peer) {
    Session(peer, script, max_streams).run();
  };
}

}  // namespace kube::transport
