// SPDX-License-Identifier: Apache-2.0
#include "watch_decoder.hpp"

#include <utility>
#include <vector>

#include "json_watch_reader.hpp"
#include "list_decoder.hpp"
#include "protobuf_watch_reader.hpp"

#include <kube/base/joined.hpp>
#include <kube/meta/errors.hpp>

namespace kube::cache {

WatchEventType watch_event_type(std::string_view text) {
  if (text == "ADDED") return WatchEventType::Added;
  if (text == "MODIFIED") return WatchEventType::Modified;
  if (text == "DELETED") return WatchEventType::Deleted;
  if (text == "BOOKMARK") return WatchEventType::Bookmark;
  if (text == "ERROR") return WatchEventType::Error;
  return WatchEventType::Unknown;
}

Error error_of_event(std::string_view object) {
  constexpr std::size_t max_message = 4096;
  if (object.size() > kMaxEnvelope) {
    return Error(ErrorCode::Decode,
                 "an error event of " + std::to_string(object.size()) + " bytes");
  }
  auto read = meta::read_status(object);
  if (!read) return read.error().with_context("an error event");
  json::Value& status = *read;
  const std::string_view kind = status.string_at({"kind"});
  if (!kind.empty() && kind != "Status") {
    return Error(ErrorCode::Decode, "an error event with kind \"" +
                                        std::string(kind.substr(0, max_message)) +
                                        "\" instead of a Status");
  }
  const std::string_view said = status.string_at({"message"});
  if (!said.empty() && said.size() <= max_message) return meta::error_from_status(status);

  std::string message(said.substr(0, max_message));
  if (!said.empty()) {
    message += "...";
  } else {
    std::vector<std::string> rest;
    const std::string_view reason = status.string_at({"reason"}).substr(0, max_message);
    if (!reason.empty()) rest.push_back("reason " + std::string(reason));
    if (const auto code = status.int_at({"code"})) rest.push_back("code " + std::to_string(*code));
    message = "an error event without a message" + std::string(rest.empty() ? "" : ": ") +
              joined(rest, ", ");
  }
  if (json::Object* members = status.if_object()) members->set("message", message);
  return meta::error_from_status(status);
}

WatchDecoder::WatchDecoder(const CellType& type, StoragePolicy policy, OnEvent on_event,
                           std::optional<ObjectDefaults> defaults, std::size_t max_object)
    : type_(type),
      maker_(type, policy, std::move(defaults), max_object),
      on_event_(std::move(on_event)) {}

void WatchDecoder::begin(Encoding encoding) {
  if (encoding == Encoding::Protobuf) {
    reader_ = std::make_unique<ProtobufWatchReader>(type_, std::move(maker_), std::move(on_event_));
  } else {
    reader_ = std::make_unique<JsonWatchReader>(std::move(maker_), std::move(on_event_));
  }
}

Result<void> WatchDecoder::feed(std::string_view chunk) {
  if (chunk.empty()) return {};
  if (!reader_) {
    // The length of a frame, 16 MiB at most, begins with a byte that no JSON begins with.
    const bool protobuf = static_cast<unsigned char>(chunk.front()) <= 1;
    const Encoding encoding = protobuf ? Encoding::Protobuf : Encoding::Json;
    if (auto ok = check_encoding(type_, encoding); !ok) return ok;
    begin(encoding);
  }
  return reader_->feed(chunk);
}

Result<void> WatchDecoder::finish() {
  return reader_ ? reader_->finish() : Result<void>();
}

}  // namespace kube::cache
