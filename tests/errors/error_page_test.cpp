// SPDX-License-Identifier: Apache-2.0
//
// docs/error-messages.md says what users are told, and it is what they are told.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include <gtest/gtest.h>

#include "faults.hpp"

namespace errors {
namespace {

// What differs from run to run.
std::string settled(std::string text) {
  text =
      std::regex_replace(text, std::regex("127\\.0\\.0\\.1(:| port )[0-9]+"), "127.0.0.1$016443");
  text = std::regex_replace(text, std::regex("after [0-9]+ ms: "), "after 1 ms: ");
  text = std::regex_replace(text, std::regex("OpenSSL/[0-9.a-z]+: error:[0-9A-F]+:"), "OpenSSL: ");
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
      "# What the errors say\n\n"
      "`Error::to_string()` of what goes wrong between a client and a server. It names what was "
      "done, "
      "at which URL where\nthe answer may come from somebody else than the API server, and what "
      "came. "
      "The words are no promise; codes, reasons\nand predicates are "
      "([public-api.md](public-api.md)). "
      "Made by `tests/errors`, which fails when the page is out of\ndate: "
      "`KUBE_UPDATE_DOCS=1 build/release/bin/errors_test` writes it.\n";
  write("Before anything is sent", configuration_faults(), text);
  write("On the way", connection_faults(), text);
  write("In the answer", answer_faults(), text);
  return text;
}

TEST(ErrorPage, SaysWhatUsersAreTold) {
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
