// SPDX-License-Identifier: Apache-2.0
//
// Splits lists in JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <kube/client/list_splitter.hpp>

#include "json_object_reader.hpp"

namespace kube {

/// Splits the JSON body of a list. Holds at most the incomplete item and the fields of the list.
class JsonListSplitter final : public ListSplitter {
 public:
  JsonListSplitter(OnItem on_item, std::size_t max_item_bytes)
      : on_item_(std::move(on_item)), object_(max_item_bytes) {}

  Result<void> feed(std::string_view chunk) override;
  Result<ListMetadata> finish() override;

 private:
  enum class Phase { Head, BeforeItem, InItem, AfterItem, Tail };

  // Each consumes a prefix of the chunk.
  Result<void> head(std::string_view& chunk);
  Result<void> between(std::string_view& chunk);
  Result<void> item(std::string_view& chunk);
  Result<void> tail(std::string_view& chunk);
  Result<void> add_to_envelope(std::string_view text);
  Error error(std::string_view what, std::string_view rest) const;

  OnItem on_item_;
  Phase phase_ = Phase::Head;
  std::uint64_t received_ = 0;
  std::string envelope_;  // the body without its items
  JsonObjectReader object_;
  bool expecting_item_ = false;  // after a comma

  // Head: the position in the grammar of the envelope.
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  bool after_items_key_ = false;  // after "items" and its colon
  std::string last_string_;       // as in the body, with its quotes; at most kMaxKeyBytes
};

}  // namespace kube
