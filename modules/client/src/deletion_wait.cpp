// SPDX-License-Identifier: Apache-2.0
//
// Waits until objects are gone, by their metadata.
#include <kube/client/api.hpp>

#include <map>
#include <string>
#include <utility>

#include <kube/base/join.hpp>
#include <kube/base/printable.hpp>
#include <kube/meta/partial_object_metadata.hpp>

#include "state_wait.hpp"

namespace kube::detail {
namespace {

using meta::ObjectMeta;
using meta::PartialObjectMetadata;

constexpr std::size_t kMaxNamed = 5;

ObjectKey key_of(const ObjectMeta& metadata) {
  return {metadata.namespace_, metadata.name};
}

// The objects that the first list has and that are not gone yet.
class LeftObjects final : public AwaitedState {
 public:
  /// With a name, only the object of that name; with a uid, only that one.
  explicit LeftObjects(std::string_view name = {}, std::string_view uid = {})
      : name_(name), uid_(uid) {}

  Result<void> take_list(const RawList& list) override {
    std::map<ObjectKey, ObjectMeta> now;
    for (std::size_t i = 0; i < list.size(); ++i) {
      Result<PartialObjectMetadata> object = decode_item<PartialObjectMetadata>(list, i);
      if (!object) return object.error();
      if (is_awaited(object->metadata))
        now.emplace(key_of(object->metadata), std::move(object->metadata));
    }
    left_ = std::move(now);
    if (!std::exchange(listed_, true)) number_ = left_.size();
    return {};
  }

  Result<std::string> read_event(const std::string& object) override {
    Result<PartialObjectMetadata> read = decode_object<PartialObjectMetadata>(object);
    if (!read) return read.error();
    next_ = std::move(read->metadata);
    return next_.resource_version;
  }

  void take_event(bool deleted) override {
    const auto found = left_.find(key_of(next_));
    if (found == left_.end()) return;
    if (deleted || found->second.uid != next_.uid) {
      left_.erase(found);
    } else {
      found->second = std::move(next_);
    }
  }

  Result<bool> is_over() override { return left_.empty(); }

  std::string last_seen() const override {
    if (!listed_) return "";
    std::vector<std::string> texts;
    for (const auto& [key, metadata] : left_) {
      if (texts.size() == kMaxNamed) {
        texts.emplace_back("...");
        break;
      }
      texts.push_back(printable(key.to_string()) + " (" + state_of(metadata) + ")");
    }
    return std::to_string(left_.size()) + " of " + std::to_string(number_) +
           " left: " + join(texts, ", ");
  }

 private:
  bool is_awaited(const ObjectMeta& metadata) const {
    // A server that knows no field selector sends others, too.
    if (!name_.empty() && metadata.name != name_) return false;
    if (!listed_) return uid_.empty() || metadata.uid == uid_;
    const auto found = left_.find(key_of(metadata));
    return found != left_.end() && found->second.uid == metadata.uid;
  }

  static std::string state_of(const ObjectMeta& metadata) {
    if (!metadata.deletion_timestamp) return "nobody has deleted it";
    std::string text = "being deleted since " + metadata.deletion_timestamp->to_string();
    if (!metadata.finalizers.empty())
      text += ", finalizers " + printable(join(metadata.finalizers, ", "), 256);
    return text;
  }

  const std::string name_;
  const std::string uid_;
  std::map<ObjectKey, ObjectMeta> left_;
  ObjectMeta next_{};
  std::size_t number_ = 0;
  bool listed_ = false;
};

RawApi metadata_of(const RawApi& api) {
  return api.preferring(preferred_encoding<PartialObjectMetadata>(),
                        response_form<PartialObjectMetadata>());
}

constexpr const char* kDeletion = "the deletion of ";

}  // namespace

Result<void> wait_object_deleted(const RawApi& api, const ObjectKey& key, std::string_view uid,
                                 Duration timeout, std::stop_token stop) {
  if (!key.namespace_.empty() && key.namespace_ != api.namespace_()) {
    return Error(ErrorCode::InvalidArgument,
                 "expected an object in " +
                     (api.namespace_().empty() ? "no namespace"
                                               : "namespace \"" + api.namespace_() + "\"") +
                     ", got " + key.to_string())
        .with_context("wait for the deletion of " + api.resource().plural);
  }
  LeftObjects left(key.name, uid);
  return wait_for_object(metadata_of(api), key.name, kDeletion, left, timeout, std::move(stop));
}

Result<void> wait_selected_deleted(const RawApi& api, const std::string& label_selector,
                                   const std::string& field_selector, Duration timeout,
                                   std::stop_token stop) {
  LeftObjects left;
  std::string what =
      kDeletion +
      ResourcePath{.resource = api.resource(), .namespace_ = api.namespace_()}.to_string();
  if (!label_selector.empty()) what += ", labels " + printable(label_selector);
  if (!field_selector.empty()) what += ", fields " + printable(field_selector);
  return wait_for_state(metadata_of(api),
                        {.label_selector = label_selector, .field_selector = field_selector}, what,
                        left, timeout, std::move(stop));
}

}  // namespace kube::detail
