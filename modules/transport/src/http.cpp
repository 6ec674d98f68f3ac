// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/http.hpp>

#include <algorithm>

#include <kube/base/ascii.hpp>

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

namespace {

// As URLs write what they can't hold: no line break comes into a log by way of a path.
std::string on_one_line(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string line;
  line.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      line += c;
    } else {
      line += {'%', digits[byte >> 4U], digits[byte & 0xfU]};
    }
  }
  return line;
}

}  // namespace

std::string printable_url(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const std::size_t scheme_end = url.find("://");
  const std::size_t authority = scheme_end == std::string_view::npos ? 0 : scheme_end + 3;
  const std::size_t path = std::min(url.find('/', authority), url.size());
  const std::size_t at = url.substr(0, path).rfind('@');
  if (at == std::string_view::npos || at < authority) return on_one_line(url);
  return on_one_line(url.substr(0, authority)) + on_one_line(url.substr(at + 1));
}

std::string printable_request(const HttpRequest& request) {
  return on_one_line(request.method) + " " + printable_url(request.url);
}

}  // namespace kube::transport
