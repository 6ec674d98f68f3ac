// SPDX-License-Identifier: Apache-2.0
#include <kube/base/secret_text.hpp>

#include <utility>

namespace kube {

SecretText::SecretText(std::string text) {
  if (!text.empty()) text_ = std::make_shared<const std::string>(std::move(text));
}
SecretText::SecretText(std::string_view text) : SecretText(std::string(text)) {}
SecretText::SecretText(const char* text)
    : SecretText(text == nullptr ? std::string() : std::string(text)) {}

const std::string& SecretText::reveal() const& {
  // Never destroyed: threads of transports may run at the end of the program.
  static const std::string& empty = *new std::string;
  return text_ ? *text_ : empty;
}

}  // namespace kube
