// SPDX-License-Identifier: Apache-2.0
#include "listen_address.hpp"

#include <map>

#include <boost/asio/ip/address.hpp>

#include <kube/base/printable.hpp>

namespace kube::portforward {

Result<std::vector<ListenAddress>> parse_addresses(const std::vector<std::string>& texts) {
  std::map<std::string, bool> required;
  for (const std::string& text : texts) {
    if (text == "localhost") {
      required.emplace("127.0.0.1", false);
      required.emplace("::1", false);
      continue;
    }
    boost::system::error_code failed;
    boost::asio::ip::make_address(text, failed);
    if (failed) {
      return Error(ErrorCode::InvalidArgument, printable(text) + " is not a valid IP");
    }
    required[text] = true;
  }
  if (required.empty()) {
    return Error(ErrorCode::InvalidArgument, "you must specify at least 1 address");
  }
  std::vector<ListenAddress> addresses;
  addresses.reserve(required.size());
  for (const auto& [ip, is_required] : required) addresses.push_back({ip, is_required});
  return addresses;
}

}  // namespace kube::portforward
