// SPDX-License-Identifier: Apache-2.0
//
// Requests the documents of discovery and OpenAPI.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/client/rest_client.hpp>
#include <kube/json/value.hpp>

namespace kube {

inline constexpr std::chrono::seconds kDiscoveryTimeout{32};
inline constexpr std::string_view kAcceptDiscovery = "application/json";

/// A GET with the bounds of discovery: the client's timeout or 32 s, which is also passed to the
/// server, and 32 MiB.
Request discovery_request(const RestClient& client, std::string path);

/// Fails with the errors of RestClient::send(), and with Decode for a response that is empty or not
/// JSON, by its Content-Type or its first character. That error has the URL and says what came.
Result<transport::HttpResponse> get_discovery(const RestClient& client, std::string path,
                                              std::string_view accept, std::stop_token stop);
/// Fails with Decode, too, for invalid JSON.
Result<json::Value> get_discovery_document(const RestClient& client, const std::string& path,
                                           std::stop_token stop);

/// Asks for documents with up to `at_once` requests under way, and calls `take` with the result of
/// each path, in order. Each has the bounds of discovery_request(), all attempts included; those
/// that are to be asked for again wait at the same time.
/// @par Blocks   Until the last one has been taken.
void get_discovery_documents(const RestClient& client, const std::vector<std::string>& paths,
                             std::size_t at_once, const std::stop_token& stop,
                             const std::function<void(Result<json::Value>)>& take);

}  // namespace kube
