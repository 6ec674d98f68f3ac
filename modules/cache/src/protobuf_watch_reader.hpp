// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <kube/meta/watch_frames.hpp>

#include "list_decoder.hpp"
#include "watch_decoder.hpp"

namespace kube::cache {

/// Frames with a length in front.
class ProtobufWatchReader final : public WatchReader {
 public:
  ProtobufWatchReader(const CellType& type, CellMaker maker, OnEvent on_event)
      : type_(type),
        maker_(std::move(maker)),
        on_event_(std::move(on_event)),
        splitter_(std::min(maker_.max_object(), meta::FrameSplitter::default_limit)) {}

  kube::Result<void> feed(std::string_view chunk) override;
  kube::Result<void> finish() override;

 private:
  /// `where` it was, for errors.
  template <class Where>
  kube::Result<void> frame(std::string_view bytes, Where&& where);
  kube::Result<void> bookmark(std::string_view object, WatchEvent& event);
  /// The bare message of an object of our type.
  kube::Result<std::string_view> message_of(std::string_view object) const;

  const CellType& type_;
  CellMaker maker_;
  OnEvent on_event_;
  meta::FrameSplitter splitter_;
  std::uint64_t received_ = 0;
  std::uint64_t frame_at_ = 0;  // where the next frame begins
};

}  // namespace kube::cache
