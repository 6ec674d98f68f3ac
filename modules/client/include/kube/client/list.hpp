// SPDX-License-Identifier: Apache-2.0
//
// kube::List<T>: a list of objects, and kube::RawList: a list whose items are not decoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/client/content.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/object.hpp>

namespace kube {

/// The metadata of a list.
struct ListInfo {
  std::string resource_version{};  ///< The version to start a watch from.
  std::string
      continue_{};  ///< Not empty when there are more pages: pass it in ListOptions::continue_.
  std::optional<std::int64_t> remaining_item_count{};
  bool operator==(const ListInfo&) const = default;
};

/// The continue tokens of one iteration over the pages of a list.
/// @par Thread safety   Not thread-safe.
class ContinueTokens {
 public:
  /// Call with each token before sending it. (Pages without items are valid: servers that filter
  /// return them.)
  /// @par Errors   Decode when the token was added before: the iteration would not end.
  Result<void> add(const std::string& token);

 private:
  std::unordered_set<std::string> seen_;
};

/// One page of objects, or all objects.
/// @par Thread safety   A value.
template <Object T>
struct List : ListInfo {
  std::vector<T> items{};

  auto begin() const& { return items.begin(); }
  auto end() const& { return items.end(); }
  void begin() const&& = delete;  // Give the List a name first.
  void end() const&& = delete;    // Give the List a name first.
  std::size_t size() const { return items.size(); }
  bool empty() const { return items.empty(); }
};

/// A list whose items are not decoded. Move-only, because it is mostly one large string.
/// @par Thread safety   A value.
class RawList {
 public:
  /// Finds the items of a list, JSON or protobuf, without decoding them.
  /// @par Errors   Decode: not a list.
  static Result<RawList> parse(std::string body);

  RawList(RawList&&) noexcept = default;
  RawList& operator=(RawList&&) noexcept = default;

  const ListInfo& info() const& { return info_; }
  ListInfo info() const&& { return info_; }
  const std::string& api_version() const& { return api_version_; }
  std::string api_version() const&& { return api_version_; }
  const std::string& kind() const& { return kind_; }  ///< "PodList"
  std::string kind() const&& { return kind_; }
  std::size_t size() const { return items_.size(); }
  Encoding encoding() const { return encoding_; }
  /// Returns the bytes of an item, valid as long as this list: JSON, without kind and apiVersion as
  /// servers send it, or a bare protobuf message.
  std::string_view item(std::size_t index) const& {
    return std::string_view(body_).substr(items_[index].first, items_[index].second);
  }
  std::string_view item(std::size_t index) const&& = delete;  // Give the RawList a name first.

 private:
  RawList() = default;
  std::string body_;
  Encoding encoding_ = Encoding::Json;
  std::vector<std::pair<std::size_t, std::size_t>> items_;  // offset, length
  ListInfo info_;
  std::string api_version_;
  std::string kind_;
};

/// Decodes an item. An item without kind and apiVersion takes those of the list.
/// @par Errors   Decode, with the index: the item is not a JSON object.
Result<Unstructured> unstructured_item(const RawList& list, std::size_t index);

/// Decodes an item.
/// @par Errors   Decode, with the index: the item is not a T.
template <Object T>
Result<T> decode_item(const RawList& list, std::size_t index) {
  if constexpr (std::same_as<T, Unstructured>) {
    return unstructured_item(list, index);
  } else {
    auto object = Result<T>::make();
    const auto read = [&]() -> Result<void> {
      if (list.encoding() == Encoding::Protobuf) {
        return meta::read_protobuf(list.item(index), T::descriptor(), &*object);
      }
      if constexpr (response_form<T>() == ResponseForm::Metadata) {
        return read_metadata(list.item(index), *object);
      } else {
        return meta::read_json(list.item(index), T::descriptor(), &*object);
      }
    }();
    if (!read) object = read.error().with_context("items[" + std::to_string(index) + "]");
    return object;
  }
}

/// Decodes all items and appends them to `into`.
/// @par Errors   Decode, with the index of the first item that is not a T; `into` then has the
///   items before it.
template <Object T>
Result<void> append_items(const RawList& list, std::vector<T>& into) {
  into.reserve(into.size() + list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    Result<T> object = decode_item<T>(list, i);
    if (!object) return object.error();
    into.push_back(std::move(*object));
  }
  return {};
}

}  // namespace kube
