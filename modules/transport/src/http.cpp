// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/http.hpp>

#include <algorithm>

#include <kube/base/ascii.hpp>
#include <kube/base/printable.hpp>
#include <kube/transport/url.hpp>

namespace kube::transport {

void Headers::add(std::string name, std::string value) {
  fields_.emplace_back(std::move(name), std::move(value));
}

void Headers::set(std::string_view name, std::string value) {
  const auto matches = [name](const Field& field) {
    return ascii::equal_ignoring_case(field.first, name);
  };
  const auto first = std::find_if(fields_.begin(), fields_.end(), matches);
  if (first == fields_.end()) {
    fields_.emplace_back(std::string(name), std::move(value));
    return;
  }
  first->second = std::move(value);
  fields_.erase(std::remove_if(first + 1, fields_.end(), matches), fields_.end());
}

void Headers::remove(std::string_view name) {
  std::erase_if(fields_, [name](const Field& field) {
    return ascii::equal_ignoring_case(field.first, name);
  });
}

std::optional<std::string_view> Headers::find(std::string_view name) const& {
  for (const Field& field : fields_) {
    if (ascii::equal_ignoring_case(field.first, name)) return field.second;
  }
  return std::nullopt;
}

std::string printable_request(const HttpRequest& request) {
  return printable(request.method) + " " + printable_url(request.url);
}

}  // namespace kube::transport
