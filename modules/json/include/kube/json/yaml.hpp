// SPDX-License-Identifier: Apache-2.0
//
// YAML into and out of json::Value, with YAML 1.2's core types as Kubernetes reads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kube/json/value.hpp>

namespace kube::yaml {

/// Reads a stream of documents (JSON is YAML too); empty ones are skipped. Anchors, aliases and
/// merge keys are resolved; the expansion is bounded. Errors are Decode and name the line.
Result<std::vector<json::Value>> parse_all(std::string_view text);

/// Reads exactly one document.
Result<json::Value> parse(std::string_view text);

/// Block style, two spaces, members in their order.
std::string dump(const json::Value& value);

}  // namespace kube::yaml
