// SPDX-License-Identifier: Apache-2.0
//
// A line with a path to a field, behind it a document: the path is an error, or is followed through
// any document.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <kube/api/example/v1.hpp>
#include <kube/codec/field_view.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using kube::example::v1::Everything;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(input.find('\n'), size);
  const std::string_view path = input.substr(0, end);
  const std::string_view document = input.substr(std::min(end + 1, size));

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
