// SPDX-License-Identifier: Apache-2.0
//
// Content-Type values: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList".
#pragma once

#include <map>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kube::rest {

struct MediaType {
  std::string type{};  ///< "application/json", lower case.
  std::map<std::string, std::string, std::less<>> parameters{};  ///< Names in lower case.

  std::string_view parameter(std::string_view name) const;
};

/// Fails with Decode, with the message of Go's mime package, when it is malformed.
Result<MediaType> parse_media_type(std::string_view text);

}  // namespace kube::rest
