// SPDX-License-Identifier: Apache-2.0
//
// What is around objects, in JSON and protobuf, read without decoding the objects: lists, watch
// events, and what kind of thing an answer holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/client/content.hpp>
#include <kube/client/list.hpp>

namespace kube {

struct TypeNames {
  std::string api_version{};
  std::string kind{};
};

/// apiVersion and kind of an object; empty where missing.
/// @par Errors   Decode, with the offset of the first mistake that was met: only as much is read as
///   it takes to find the two.
Result<TypeNames> type_names(std::string_view object);

struct ListParts {
  TypeNames type{};
  ListInfo info{};
  Encoding encoding = Encoding::Json;
  std::vector<std::pair<std::size_t, std::size_t>>
      items{};  ///< Offset and length in the bytes. In protobuf, of the bare messages.
};

Result<ListParts> split_list(std::string_view list);

struct EventParts {
  std::string type{};
  std::string_view object{};  ///< In the text.
};

/// {"type": ..., "object": {...}}; the type is empty where missing.
Result<EventParts> split_event(std::string_view event);

}  // namespace kube
