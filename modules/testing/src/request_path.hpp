// SPDX-License-Identifier: Apache-2.0
//
// The path of a request's URL, and whether a rule matches it.
#pragma once

#include <string_view>

#include <kube/transport/http.hpp>

namespace kube::testing {

inline std::string_view path_of(std::string_view url) {
  const std::size_t scheme_end = url.find("://");
  const std::size_t authority = scheme_end == std::string_view::npos ? 0 : scheme_end + 3;
  const std::size_t begin = url.find_first_of("/?#", authority);
  if (begin == std::string_view::npos || url[begin] != '/') return "/";
  return url.substr(begin, url.find_first_of("?#", begin) - begin);
}

/// An empty method or path matches any; a path may end in "*".
inline bool request_matches(std::string_view method, std::string_view path,
                            const transport::HttpRequest& request) {
  if (!method.empty() && method != request.method) return false;
  const std::string_view asked = path_of(request.url);
  if (!path.empty() && path.back() == '*') {
    return asked.substr(0, path.size() - 1) == path.substr(0, path.size() - 1);
  }
  return asked == path;
}

}  // namespace kube::testing
