// SPDX-License-Identifier: Apache-2.0
#include "json_frames.hpp"

#include <kube/json/text.hpp>

namespace kube {
namespace {

Error broken(std::size_t offset, const std::string& what) {
  return {ErrorCode::Decode, "offset " + std::to_string(offset) + " of the stream: " + what};
}

}  // namespace

Result<void> JsonFrames::feed(std::string_view chunk, std::vector<std::string>& frames) {
  std::size_t begin = 0;  // of what belongs to the object under way
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    const char c = chunk[i];
    if (depth_ == 0) {
      if (json::is_space(c)) continue;
      if (c != '{') {
        return broken(offset_ + i, "expected '{' at the start of an event");
      }
      begin = i;
      depth_ = 1;
    } else if (in_string_) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        in_string_ = false;
      }
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && --depth_ == 0) {
      partial_.append(chunk.substr(begin, i + 1 - begin));
      frames.push_back(std::move(partial_));
      partial_.clear();
    }
  }
  if (depth_ > 0) partial_.append(chunk.substr(begin));
  offset_ += chunk.size();
  if (partial_.size() > max_frame) {
    return broken(
        offset_, "object too large: an event of more than " + std::to_string(max_frame) + " bytes");
  }
  return {};
}

}  // namespace kube
