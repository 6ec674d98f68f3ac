// SPDX-License-Identifier: Apache-2.0
//
// docs/error-messages.md says what users are told, and it is what they are told.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "faults.hpp"

namespace errors {
namespace {

// What libcurl says of the same, and in another version than that of Debian 12.
const std::pair<const char*, const char*> kSayings[] = {
    {"end of response with ([0-9]+) bytes missing",
     "transfer closed with $1 bytes remaining to read"},
    {"target ipv4 address '", "target host name '"},
    {"TLS connect error: error:[0-9A-F]+:", "OpenSSL: "},
    {"OpenSSL SSL_read: OpenSSL: SSL routines::unexpected eof while reading, errno 0",
     "HTTP/2 stream 1 was not closed cleanly before end of the underlying stream"},
};

// What differs from run to run, or with libcurl's version.
std::string settled(std::string text) {
  text =
      std::regex_replace(text, std::regex("127\\.0\\.0\\.1(:| port )[0-9]+"), "127.0.0.1$016443");
  text = std::regex_replace(text, std::regex("after [0-9]+ ms: "), "after 1 ms: ");
  text = std::regex_replace(text, std::regex("OpenSSL/[0-9.a-z]+: error:[0-9A-F]+:"), "OpenSSL: ");
  for (const auto& [there, here] : kSayings)
    text = std::regex_replace(text, std::regex(there), here);
  return text;
}

void write(const std::string& title, const std::vector<Fault>& faults, std::string& page) {
  page += "\n## " + title + "\n";
  for (const Fault& fault : faults) {
    const std::string text =
        std::regex_replace(settled(fault.make().to_string()), std::regex("\n"), "\n    ");
    page += "\n" + fault.what + ":\n\n    " + text + "\n";
  }
}

std::string page() {
  std::string text =
      "# Error messages\n\n"
      "What `Error::to_string()` returns for errors between a client and a server. A message names "
      "the operation, the\n"
      "URL when the answer may come from something other than the API server, and the cause. The "
      "texts may change; codes,\n"
      "reasons and predicates do not ([public-api.md](public-api.md)). `tests/errors` makes this "
      "page and fails when it is\n"
      "out of date: `KUBE_UPDATE_DOCS=1 build/release/bin/errors_test` updates it.\n";
  write("Before a request is sent", configuration_faults(), text);
  write("Connections", connection_faults(), text);
  write("Answers", answer_faults(), text);
  return text;
}

TEST(ErrorPage, IsUpToDate) {
  for (const char* name : {"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY"}) {
    ::unsetenv(name);
  }
  const std::string made = page();
  if (std::getenv("KUBE_UPDATE_DOCS") != nullptr) {
    std::ofstream(ERROR_PAGE, std::ios::binary) << made;
    return;
  }
  std::ifstream file(ERROR_PAGE, std::ios::binary);
  const std::string kept{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(made, kept) << "KUBE_UPDATE_DOCS=1 build/release/bin/errors_test writes the page";
}

TEST(ErrorPage, HasFiftyMessagesAndMore) {
  EXPECT_GE(configuration_faults().size() + connection_faults().size() + answer_faults().size(),
            50U);
}

}  // namespace
}  // namespace errors
