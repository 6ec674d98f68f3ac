// SPDX-License-Identifier: Apache-2.0
#include "json_frames.hpp"

#include <kube/json/text.hpp>

namespace kube {
namespace {

using State = json::ValueScanner::State;

Error broken(std::size_t offset, const std::string& what) {
  return {ErrorCode::Decode, "offset " + std::to_string(offset) + " of the stream: " + what};
}

}  // namespace

Result<void> JsonFrames::feed(std::string_view chunk, std::vector<std::string>& frames) {
  const std::size_t end = offset_ + chunk.size();
  const auto at = [&] { return end - chunk.size(); };
  while (!chunk.empty()) {
    if (!inside_) {
      if (json::is_space(chunk.front())) {
        chunk.remove_prefix(1);
        continue;
      }
      if (chunk.front() != '{') return broken(at(), "expected '{' at the start of an event");
      inside_ = true;
      scanner_.reset();
    }
    const std::size_t taken = scanner_.feed(chunk);
    partial_.append(chunk.substr(0, taken));
    chunk.remove_prefix(taken);
    if (partial_.size() > max_frame) {
      return broken(
          at(), "object too large: an event of more than " + std::to_string(max_frame) + " bytes");
    }
    if (scanner_.state() == State::TooDeep) return broken(at(), "nested too deep");
    if (scanner_.state() == State::More) break;
    frames.push_back(std::move(partial_));
    partial_.clear();
    inside_ = false;
  }
  offset_ = end;
  return {};
}

}  // namespace kube
