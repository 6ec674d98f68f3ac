// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json_object_reader.hpp"
#include "watch_decoder.hpp"

namespace kube::cache {

/// Events one behind the other, with any white space between them.
class JsonWatchReader final : public WatchReader {
 public:
  JsonWatchReader(CellMaker maker, OnEvent on_event)
      : maker_(std::move(maker)), on_event_(std::move(on_event)), frame_(maker_.max_object()) {}

  kube::Result<void> feed(std::string_view chunk) override;
  kube::Result<void> finish() override;

 private:
  struct Frame;
  static kube::Result<Frame> split(std::string_view text, Extent extent);
  /// `where` it was, for errors.
  template <class Where>
  kube::Result<void> frame(Where&& where);
  template <class Where>
  kube::Result<void> too_large_frame(Where&& where);
  std::string at(std::string_view rest) const;

  CellMaker maker_;
  OnEvent on_event_;
  std::uint64_t received_ = 0;
  bool in_frame_ = false;
  JsonObjectReader frame_;
};

}  // namespace kube::cache
