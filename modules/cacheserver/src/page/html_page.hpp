// SPDX-License-Identifier: Apache-2.0
//
// The HTML at "/", and what it may do in a browser.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/http_message.hpp"
#include "reading/route.hpp"

namespace kube::cacheserver {

/// Returns the Content-Security-Policy of a page: a browser runs the scripts and uses the styles
/// that are elements of it, known by their hashes, and loads from this server alone. What a text of
/// others would add to the page does nothing.
std::string content_policy(std::string_view html);

/// @par Thread safety   Immutable.
class HtmlPage {
 public:
  /// `own`: the program's page; empty for that of this server.
  explicit HtmlPage(std::string_view own);

  /// Returns the page, which has nothing of the cluster, to a browser that asks for "/".
  std::optional<serving::HttpResponse> serve(const serving::HttpRequest& request,
                                             const serving::Route& route) const;

 private:
  const std::string html_;
  const std::string policy_;
};

}  // namespace kube::cacheserver
