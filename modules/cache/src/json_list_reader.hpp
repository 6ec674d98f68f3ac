// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json_object_reader.hpp"
#include "list_decoder.hpp"

namespace kube::cache {

/// Splits the JSON body of a list. Held at any time: the object under way and the list's own few
/// fields.
class JsonListReader final : public ListReader {
 public:
  JsonListReader(CellMaker maker, OnItem on_item)
      : maker_(std::move(maker)), on_item_(std::move(on_item)), object_(maker_.max_object()) {}

  Result<void> feed(std::string_view chunk) override;
  Result<ListMeta> finish() override;

 private:
  enum class Phase { Head, BeforeItem, InItem, AfterItem, Tail };

  // Each consumes a prefix of the chunk.
  Result<void> head(std::string_view& chunk);
  Result<void> between(std::string_view& chunk);
  Result<void> item(std::string_view& chunk);
  Result<void> tail(std::string_view& chunk);
  Result<void> add_to_envelope(std::string_view text);
  Error error(std::string_view what, std::string_view rest) const;

  CellMaker maker_;
  OnItem on_item_;
  Phase phase_ = Phase::Head;
  std::uint64_t received_ = 0;
  std::string envelope_;  // the body without its items
  JsonObjectReader object_;
  bool expecting_item_ = false;  // behind a comma

  // Head: where in the envelope's grammar we are.
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  bool after_items_key_ = false;  // "items" and its colon have passed
  std::string last_string_;       // as written, with its quotes; cut
};

}  // namespace kube::cache
