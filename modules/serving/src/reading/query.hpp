// SPDX-License-Identifier: Apache-2.0
//
// The query of a request: decoding, and the options of the API verbs in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/codec/query.hpp>
#include <kube/json/value.hpp>
#include <kube/meta/options.hpp>

namespace kube::serving {

/// Parameters in their order; the first one with a name counts.
class Query {
 public:
  /// Fails with a 400 for an invalid escape.
  static Result<Query> parse(std::string_view text);

  /// Empty when absent.
  std::string_view get(std::string_view name) const;
  bool has(std::string_view name) const;
  std::vector<std::string> all(std::string_view name) const;
  const QueryParameters& parameters() const& { return parameters_; }

 private:
  QueryParameters parameters_;
};

/// A boolean as in the classification of requests: absent, "0" and "false" in any case are false,
/// all else is true.
bool is_true(const Query& query, std::string_view name);

/// Whether to indent the response: ?pretty=true, or another value that Go parses as true.
bool wants_pretty(const Query& query);

/// Fail with a 400 for values that can't be read, with a 422 for options that exclude each other.
Result<ListOptions> read_list_options(const Query& query, bool watch);

enum class WriteKind { Create, Update, Patch, Apply };
Result<PatchOptions> read_write_options(const Query& query, WriteKind kind);

/// Reads the body when there is one, else the query. `body` is null when there is none.
Result<DeleteOptions> read_delete_options(const Query& query, const json::Value& body);

/// Returns a resourceVersion parameter: 0 for "" and "0"; nothing when it is not a number.
std::optional<std::uint64_t> parse_revision(std::string_view text);

}  // namespace kube::serving
