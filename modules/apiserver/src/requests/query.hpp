// SPDX-License-Identifier: Apache-2.0
//
// The query part of a request: decoding, and the options of the API verbs read from it.
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

namespace kube::apiserver {

/// "%2F" to "/", and with `plus_is_space` "+" to " ". Nothing for a broken escape.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space);

/// Parameters in their order; the first of a name counts.
class Query {
 public:
  /// A 400 for a broken escape.
  static Result<Query> parse(std::string_view text);

  /// Empty when absent.
  std::string_view get(std::string_view name) const;
  bool has(std::string_view name) const;
  std::vector<std::string> all(std::string_view name) const;
  const QueryParameters& parameters() const& { return parameters_; }

 private:
  QueryParameters parameters_;
};

/// A boolean as request classification reads it: absent, "0" and "false" in any case are false, the
/// rest is true.
bool is_true(const Query& query, std::string_view name);

/// Whether the answer is to be indented: ?pretty=true, or what else Go reads as true.
bool wants_pretty(const Query& query);

/// 400 for what can't be read, 422 for what can't be together.
Result<ListOptions> read_list_options(const Query& query, bool watch);

enum class WriteKind { Create, Update, Patch, Apply };
Result<PatchOptions> read_write_options(const Query& query, WriteKind kind);

/// From the body when there is one, else from the query. `body` is null when there is none.
Result<DeleteOptions> read_delete_options(const Query& query, const json::Value& body);

/// A resourceVersion parameter: 0 for "" and "0"; nothing when it is not a number.
std::optional<std::uint64_t> parse_revision(std::string_view text);

}  // namespace kube::apiserver
