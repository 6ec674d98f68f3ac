// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/http_cache.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/round_trip.hpp>
#include <kube/testing/scripted_transport.hpp>

#include "stored_response.hpp"

namespace kube::transport {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ScriptedCall;
using testing::ScriptedTransport;
using ::testing::StartsWith;

constexpr const char* kUrl = "https://h/openapi/v3?timeout=32s";

class HttpCacheTest : public ::testing::Test {
 protected:
  ~HttpCacheTest() override { fs::remove_all(root); }

  HttpResponse get(Headers headers = {}, const std::string& url = kUrl) {
    auto response = testing::round_trip(*cache, {.url = url, .headers = std::move(headers)}, {});
    EXPECT_TRUE(response) << response.error().to_string();
    return response ? *std::move(response) : HttpResponse{};
  }
  void serve(int status, const std::string& body, Headers headers) {
    base->on("GET", "*", [=](ScriptedCall call) { call.respond(status, body, headers); });
  }
  std::size_t sent() const { return base->requests().size(); }
  std::string sent_header(std::string_view name) const {
    return std::string(base->requests().back().headers.find(name).value_or("none"));
  }
  std::string file() const { return cache->file_of(kUrl); }
  static std::string content(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  static unsigned mode(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 0777U;
  }
  static bool from_cache(const HttpResponse& response) {
    return response.headers.find("X-From-Cache") == "1";
  }

  static fs::path new_folder() {
    std::string name = (fs::temp_directory_path() / "http-cache-XXXXXX").string();
    return ::mkdtemp(name.data());
  }
  const fs::path root = new_folder();
  std::chrono::system_clock::time_point now = std::chrono::system_clock::from_time_t(1'795'445'320);
  std::shared_ptr<ScriptedTransport> base = std::make_shared<ScriptedTransport>();
  std::shared_ptr<HttpCache> cache = std::make_shared<HttpCache>(
      base, HttpCache::Options{.folder = (root / "cache" / "http").string(),
                               .max_bytes = 1 << 20,
                               .now = [this] { return now; }});
};

TEST_F(HttpCacheTest, DISK_10_ASecondGetAsksByTheETagAnd304ServesTheKeptBody) {
  serve(200, "the body", {{"ETag", "\"a\""}, {"Content-Type", "application/json"}});
  EXPECT_FALSE(from_cache(get()));
  EXPECT_EQ(sent_header("If-None-Match"), "none");
  EXPECT_EQ(mode(file()), 0660U);
  EXPECT_EQ(mode((root / "cache" / "http").string()), 0750U);
  EXPECT_EQ(mode((root / "cache").string()), 0750U);

  serve(304, "", {{"ETag", "\"a\""}, {"Audit-Id", "new"}});
  const HttpResponse again = get();
  EXPECT_EQ(sent_header("If-None-Match"), "\"a\"");
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body, "the body");
  EXPECT_TRUE(from_cache(again));
  EXPECT_EQ(again.headers.find("Content-Type"), "application/json");
  EXPECT_EQ(again.headers.find("Audit-Id"), "new");

  serve(200, "changed", {{"ETag", "\"b\""}});
  const HttpResponse changed = get();
  EXPECT_EQ(changed.body, "changed");
  EXPECT_FALSE(from_cache(changed));
  serve(304, "", {});
  EXPECT_EQ(get().body, "changed");
  EXPECT_EQ(sent_header("If-None-Match"), "\"b\"");
}

TEST_F(HttpCacheTest, DISK_11_WhatIsNotAKeptResponseIsAMiss) {
  serve(200, "the body", {{"ETag", "\"a\""}});
  get();
  const std::string good = content(file());
  std::string flipped = good;
  flipped[good.size() - 3] ^= 1;
  std::string wrong_sum = good;
  wrong_sum[0] ^= 1;
  const std::string other = "a page of another program, longer than a sum of 32 bytes";
  for (const std::string& bytes : {flipped, good.substr(0, good.size() - 2), good.substr(0, 20),
                                   std::string(), wrong_sum, other}) {
    std::ofstream(file(), std::ios::binary) << bytes;
    EXPECT_EQ(get().body, "the body");
    EXPECT_EQ(sent_header("If-None-Match"), "none") << bytes;
    EXPECT_EQ(content(file()), good) << "written again";
  }
  fs::remove(file());
  ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
  EXPECT_EQ(get().body, "the body") << "does not wait for a pipe";

  cache->forget(kUrl);
  EXPECT_FALSE(fs::exists(file()));

  // A URL is no path.
  const std::string url = "https://h/../../x y?a=/b&\n";
  EXPECT_EQ(fs::path(cache->file_of(url)).parent_path(), root / "cache" / "http");
  EXPECT_EQ(fs::path(file()).filename().string(), sha256_hex(kUrl));
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_F(HttpCacheTest, AResponseWithALifetimeIsUsedWithoutARequest) {
  const Headers headers{{"Date", "Mon, 23 Nov 2026 14:48:39 GMT"},
                        {"Expires", "Tue, 23 Nov 2027 14:48:39 UTC"},
                        {"Cache-Control", "public, immutable"}};
  serve(200, "spec", headers);
  get();
  now = std::chrono::system_clock::from_time_t(1'795'445'319);  // the Date
  const HttpResponse kept = get();
  EXPECT_EQ(kept.body, "spec");
  EXPECT_TRUE(from_cache(kept));
  EXPECT_EQ(sent(), 1U);
  EXPECT_EQ(get({{"Cache-Control", "no-cache"}}).body, "spec");
  EXPECT_EQ(sent(), 2U) << "the caller wants to know";
  now += std::chrono::hours(24 * 366);
  get();
  EXPECT_EQ(sent(), 3U) << "its time is over";

  serve(200, "short", {{"Date", "Mon, 23 Nov 2026 14:48:39 GMT"}, {"Cache-Control", "max-age=10"}});
  get();
  now = std::chrono::system_clock::from_time_t(1'795'445'319 + 9);
  EXPECT_TRUE(from_cache(get()));
  now += std::chrono::seconds(2);
  EXPECT_FALSE(from_cache(get()));
}

TEST_F(HttpCacheTest, AResponseThatVariesIsForTheSameHeaderAlone) {
  serve(200, "aggregated", {{"ETag", "\"a\""}, {"Vary", "Accept"}});
  get({{"Accept", "application/json;v=v2"}});
  get({{"Accept", "application/json"}});
  EXPECT_EQ(sent_header("If-None-Match"), "none");
  EXPECT_THAT(content(file()), HasSubstr("X-Varied-Accept: application/json\r\n"));
  get({{"Accept", "application/json"}});
  EXPECT_EQ(sent_header("If-None-Match"), "\"a\"");
}

TEST_F(HttpCacheTest, WhatIsNotWorthItIsNotKept) {
  const auto kept = [&] { return fs::exists(file()); };
  serve(200, "x", {});
  get();
  EXPECT_FALSE(kept()) << "nothing to ask by";
  serve(200, "x", {{"ETag", "\"a\""}, {"Cache-Control", "no-store"}});
  get();
  EXPECT_FALSE(kept());
  serve(200, std::string((1 << 20) + 1, 'x'), {{"ETag", "\"a\""}});
  EXPECT_EQ(get().body.size(), (1U << 20) + 1);
  EXPECT_FALSE(kept()) << "too long";

  serve(200, "x", {{"ETag", "\"a\""}});
  get();
  EXPECT_TRUE(kept());
  get({{"Range", "bytes=0-1"}});
  EXPECT_EQ(sent_header("If-None-Match"), "none");
  serve(403, "no", {});
  get();
  EXPECT_FALSE(kept()) << "what was kept may be gone";

  serve(200, "x", {{"ETag", "\"a\""}});
  get();
  base->on("POST", "*", [](ScriptedCall call) { call.respond(200); });
  ASSERT_TRUE(testing::round_trip(*cache, {.method = "POST", .url = kUrl}, {}));
  EXPECT_FALSE(kept());
}

TEST_F(HttpCacheTest, ABrokenExchangeKeepsNothingAndLosesNothing) {
  serve(200, "x", {{"ETag", "\"a\""}});
  get();
  base->on("GET", "*", [](ScriptedCall call) {
    call.head(200, {{"ETag", "\"b\""}}).data("half").truncate();
  });
  EXPECT_FALSE(testing::round_trip(*cache, {.url = kUrl}, {}));
  serve(304, "", {});
  EXPECT_EQ(get().body, "x");
}

TEST_F(HttpCacheTest, AFolderThatCannotBeWrittenIsNotAnError) {
  std::ofstream(root / "cache") << "a file";
  serve(200, "x", {{"ETag", "\"a\""}});
  EXPECT_EQ(get().body, "x");
  EXPECT_EQ(get().body, "x");
}

TEST_F(HttpCacheTest, FilesOfGoAreRead) {
  const std::string text =
      "HTTP/2.0 200 OK\r\nConnection: close\r\nEtag: \"a\"\r\nVary: Accept\r\n"
      "X-Varied-Accept: application/json\r\n\r\nthe body";
  const std::string chunked =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nEtag: \"a\"\r\n\r\n"
      "4\r\nthe \r\n4\r\nbody\r\n0\r\n\r\n";
  serve(304, "", {});
  for (const std::string& response : {text, chunked}) {
    fs::create_directories(root / "cache" / "http");
    const std::string sum = [&] {
      const std::string hex = sha256_hex(response);
      std::string bytes;
      for (std::size_t i = 0; i < hex.size(); i += 2) {
        bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
      }
      return bytes;
    }();
    std::ofstream(file(), std::ios::binary) << sum << response;
    EXPECT_EQ(get({{"Accept", "application/json"}}).body, "the body");
    EXPECT_EQ(sent_header("If-None-Match"), "\"a\"");
  }
  EXPECT_THAT(content(file()).substr(32), StartsWith("HTTP/1.1 200 OK\r\n"));
}

// Pauses after the body.
class Pausing final : public ResponseHandler {
 public:
  void on_head(ResponseHead) override {}
  Flow on_data(std::string_view) override { return Flow::Pause; }
  void on_end(Result<void> result) override { ends.push_back(std::move(result)); }
  std::vector<Result<void>> ends;
};

TEST_F(HttpCacheTest, AHandlerThatPausesReceivesTheEndWhenItResumes) {
  serve(200, "spec", {{"Date", "Mon, 23 Nov 2026 14:48:39 GMT"}, {"Cache-Control", "max-age=9"}});
  get();
  now = std::chrono::system_clock::from_time_t(1'795'445'319);
  for (const bool cancelled : {false, true}) {
    const auto handler = std::make_shared<Pausing>();
    const auto exchange = cache->start({.url = kUrl}, handler, {});
    EXPECT_THAT(handler->ends, IsEmpty());
    cancelled ? exchange->cancel() : exchange->resume();
    exchange->resume();
    ASSERT_EQ(handler->ends.size(), 1U);
    EXPECT_EQ(static_cast<bool>(handler->ends.front()), !cancelled);
  }
}

}  // namespace
}  // namespace kube::transport
