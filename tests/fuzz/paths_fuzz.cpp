// SPDX-License-Identifier: Apache-2.0
//
// A line with a path to a field, behind it a document: the path is an error, or is followed through
// any document.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <kube/json/json_path.hpp>

#include <kube/api/example/v1.hpp>
#include <kube/codec/field_view.hpp>
#include <kube/json/value.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using kube::example::v1::Everything;
  using kube::json::JsonPath;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(input.find('\n'), size);
  const std::string_view path = input.substr(0, end);
  const std::string_view document = input.substr(std::min(end + 1, size));

  const auto json_path = JsonPath::compile(path);
  if (json_path) {
    (void)json_path->leading_names();
    if (const auto value = kube::json::parse(document)) {
      // What is found is of the document, each part at most once.
      const auto found = json_path->find(*value);
      if (found.size() > document.size()) std::abort();
      for (const kube::json::Value* each : found) (void)kube::json::dump(*each);
    }
  } else if (json_path.error().code() != kube::ErrorCode::InvalidArgument) {
    std::abort();
  }

  const auto field = kube::meta::FieldLocator::compile<Everything>(path);
  if (!field) {
    if (field.error().code() != kube::ErrorCode::InvalidArgument) std::abort();
    return 0;
  }
  if (!kube::meta::FieldLocator::compile<Everything>(field->text())) std::abort();
  (void)field->find(document);
  (void)field->find_in_message(document);
  return 0;
}
