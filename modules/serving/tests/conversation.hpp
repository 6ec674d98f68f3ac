// SPDX-License-Identifier: Apache-2.0
//
// A connection of a TestSite: random requests, sent and received in random pieces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "stepped_client.hpp"
#include "test_site.hpp"

namespace kube::serving::test {

struct Question {
  std::string method;
  std::string target;
  std::string body;
  std::string head_text;
  std::string body_text;    ///< As it is sent.
  bool waits_for_continue;  ///< Before it sends the body.
};

inline std::string chunks_of(const std::string& body, std::mt19937_64& random) {
  std::string out;
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t size = std::min<std::size_t>(body.size() - at, 1 + random() % 20'000);
    std::array<char, 20> line{};
    std::snprintf(line.data(), line.size(), "%zx%s\r\n", size, random() % 4 == 0 ? ";a=b" : "");
    out.append(line.data()).append(body, at, size).append("\r\n");
    at += size;
  }
  return out + "0\r\n" + (random() % 3 == 0 ? "Trailer: of no use\r\n" : "") + "\r\n";
}

inline Question random_question(std::mt19937_64& random, bool is_last) {
  static constexpr std::array kKinds = {"whole", "slices", "stream", "await", "whole"};
  static constexpr std::array<std::size_t, 6> kSizes = {0, 1, 90, 5'000, 40'000, 700'000};
  Question out{};
  const std::size_t size = kSizes[random() % (random() % 3 == 0 ? 6 : 4)];
  out.target = std::string("/") + kKinds[random() % kKinds.size()] + "/" + std::to_string(size);
  out.method = random() % 8 == 0 ? "HEAD" : random() % 2 == 0 ? "GET" : "PATCH";
  out.head_text = out.method + " ";
  if (is_last && random() % 2 == 0) {
    out.method = "GET";
    out.target = "/watch/" + std::to_string(random() % 20);
    out.head_text = "GET ";
  }
  out.head_text += out.target + " HTTP/1.1\r\nHost: a\r\n";
  for (std::size_t i = random() % 4; i != 0; --i) {
    out.head_text +=
        "Pad: " + std::string(random() % (random() % 20 == 0 ? 60'000 : 600), 'p') + "\r\n";
  }
  if (is_last && random() % 3 == 0) out.head_text += "Connection: close\r\n";
  if (out.method == "PATCH") {
    out.body = text_of(kSizes[random() % 5] + random() % 3, random() % 1000);
    if (random() % 2 == 0) {
      out.body_text = chunks_of(out.body, random);
      out.head_text += "Transfer-Encoding: chunked\r\n";
    } else {
      out.body_text = out.body;
      out.head_text += "Content-Length: " + std::to_string(out.body.size()) + "\r\n";
    }
    if (random() % 5 == 0) {
      out.head_text += "Expect: 100-continue\r\n";
      out.waits_for_continue = !out.body.empty() && random() % 2 == 0;
    }
  }
  out.head_text += "\r\n";
  return out;
}

/// A connection's requests, and the answers that it has to get. Pieces are as long as its pace.
class Conversation {
 public:
  Conversation(const HttpServer& server, SSL_CTX* tls, std::mt19937_64& random,
               bool in_turn = false)
      : random_(random),
        socket(server, tls, 0),
        pace_(std::size_t{1} << (random() % 17)),
        in_turn_(in_turn || random() % 3 == 0) {
    const std::size_t count = 1 + random() % 6;
    for (std::size_t i = 1; i <= count; ++i) {
      questions_.push_back(random_question(random, i == count));
      // Byte by byte takes too long for all that is large.
      if (questions_.back().head_text.size() + questions_.back().body_text.size() > 2000 * pace_) {
        pace_ *= 16;
      }
    }
    if (pace_ < 512 && !is_small()) pace_ = 512;
  }

  /// Sends or receives a little; returns whether there was anything to do.
  bool step() {
    const bool sends = random_() % 2 == 0;
    const bool done = sends ? send() : receive();
    return done || (sends ? receive() : send());
  }
  bool is_done() const { return questions_.empty(); }
  bool watches() const { return !is_done() && questions_.front().target.starts_with("/watch/"); }
  std::size_t answered() const { return answered_; }
  std::size_t sent_whole() const { return next_; }
  std::string where() const {
    const Question& first = questions_.front();
    return first.method + " " + first.target + ", " + std::to_string(next_) + " of " +
           std::to_string(questions_.size()) + " sent, " + std::to_string(socket.in.size()) +
           " bytes not taken, " + std::to_string(reader_.body.size()) + " of the body";
  }

 private:
  bool is_small() const {
    for (const Question& each : questions_) {
      if (each.target.size() > std::string("/whole/5000").size()) return false;
      if (each.body_text.size() + each.head_text.size() > 6'000) return false;
    }
    return true;
  }

  bool send() {
    if (socket.all_sent()) write_more();
    return socket.send(1 + random_() % pace_);
  }
  // Some write all ahead, others a request at a time.
  void write_more() {
    if (next_ >= questions_.size() || (in_turn_ && next_ > 0)) return;
    Question& next = questions_[next_];
    if (!head_written_) {
      head_written_ = true;
      socket.write(next.head_text);
    }
    if (next.waits_for_continue && !(next_ == 0 && reader_.continued)) return;
    socket.write(next.body_text);
    head_written_ = false;
    ++next_;
  }

  bool receive() {
    const bool received = socket.receive(1 + random_() % pace_);
    while (!is_done() &&
           reader_.take(socket.in, questions_.front().method == "HEAD", socket.ended)) {
      check();
      reader_ = {};
      questions_.pop_front();
      ++answered_;
      if (next_ > 0) --next_;
    }
    return received;
  }
  void check() const {
    const Question& asked = questions_.front();
    ASSERT_EQ(reader_.status, 200) << asked.target;
    if (asked.method == "HEAD") return;
    if (!asked.target.starts_with("/watch/")) {
      ASSERT_TRUE(reader_.body == TestSite::answer_to(asked.method, asked.target, asked.body))
          << asked.method << " " << asked.target << ": " << reader_.body.substr(0, 200);
      return;
    }
    std::string events;
    const std::uint64_t from = std::stoul(reader_.headers.at("from"));
    const std::uint64_t count = std::stoul(asked.target.substr(asked.target.rfind('/') + 1));
    for (std::uint64_t i = from + 1; i <= from + count; ++i) events += event_text(i);
    ASSERT_TRUE(reader_.body == events || stopped) << reader_.body.substr(0, 200);
    ASSERT_TRUE(events.starts_with(reader_.body)) << reader_.body.substr(0, 200);
  }

  std::mt19937_64& random_;

 public:
  SteppedSocket socket;
  bool stopped = false;  ///< Watches may end early.

 private:
  std::size_t pace_;
  const bool in_turn_;  ///< Each request after the answer before it.
  std::deque<Question> questions_;
  std::size_t next_ = 0;  ///< The question that is being written.
  bool head_written_ = false;
  std::size_t answered_ = 0;
  AnswerReader reader_;
};

}  // namespace kube::serving::test
