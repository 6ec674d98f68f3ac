// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json_scan.hpp"
#include "watch_decoder.hpp"

#include <kube/json/value_scanner.hpp>

namespace kube::cache {

/// Events one behind the other, with any white space between them.
class JsonWatchReader final : public WatchReader {
 public:
  JsonWatchReader(CellMaker maker, OnEvent on_event)
      : maker_(std::move(maker)), on_event_(std::move(on_event)) {}

  kube::Result<void> feed(std::string_view chunk) override;
  kube::Result<void> finish() override;

 private:
  /// `where` it was, for errors.
  template <class Where>
  kube::Result<void> frame(std::string_view text, Where&& where);
  std::string at(std::string_view rest) const;

  CellMaker maker_;
  OnEvent on_event_;
  std::uint64_t received_ = 0;
  std::string partial_;
  bool in_frame_ = false;
  json::ValueScanner scanner_;
};

}  // namespace kube::cache
