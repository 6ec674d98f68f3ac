// SPDX-License-Identifier: Apache-2.0
//
// kube::transport::HttpCache: keeps responses to GETs on disk and asks the server whether they have
// changed, in the files that kubectl keeps in ~/.kube/cache/http: kubectl reads ours, and we read
// kubectl's (docs/reference/clients-and-config.md 13.3).
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <kube/base/log.hpp>
#include <kube/transport/round_tripper.hpp>

namespace kube::transport {

/// A transport in front of another one, for documents that many processes read again and again:
/// discovery and OpenAPI.
///
/// A response to a GET without Range that has an ETag, a Last-Modified or a lifetime is kept in the
/// file whose name is the SHA-256 of the URL. While its lifetime (max-age, Expires) lasts it is the
/// answer; after that the server is asked by If-None-Match and If-Modified-Since, and for its 304
/// the caller receives the kept response. A response from the file has the header X-From-Cache. A
/// response that varies by a request header is used for a request with the same header alone.
/// Another response than 200 and 304 removes the file; so does another method for the same URL.
///
/// Files are written in one step, for several processes at once, with mode 0660 in a folder of mode
/// 0750. A file begins with the SHA-256 of the rest: one that is broken, cut off or of another
/// program is asked for again. A failure to write is logged and nothing else.
///
/// The responses of one server are shared by all users of the folder: do not put it in front of
/// requests for objects.
///
/// @par Thread safety   All functions may be called from any thread. A response from the cache is
///   delivered to the handler inside start(), or inside Exchange::resume() when it has paused.
class HttpCache final : public RoundTripper {
 public:
  struct Options {
    std::string folder{};
    std::size_t max_bytes = std::size_t{32} << 20;  ///< Longer bodies are passed on, not kept.
    std::shared_ptr<Logger> logger{};
    /// The date and time of day. Empty: the system's.
    std::function<std::chrono::system_clock::time_point()> now{};
  };
  HttpCache(std::shared_ptr<RoundTripper> base, Options options);

  /// @par Blocks   While it reads a file.
  std::shared_ptr<Exchange> start(HttpRequest request, std::shared_ptr<ResponseHandler> handler,
                                  std::stop_token stop) override;

  /// Returns the path of the file for a URL.
  std::string file_of(std::string_view url) const;
  /// Removes what is kept for a URL, if anything.
  void forget(std::string_view url) const;

 private:
  struct Core;
  class Recorder;
  std::shared_ptr<const Core> core_;
  std::shared_ptr<RoundTripper> base_;
};

}  // namespace kube::transport
