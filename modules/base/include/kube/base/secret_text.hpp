// SPDX-License-Identifier: Apache-2.0
//
// kube::SecretText: a token, a password or a private key. Text becomes one by itself; it becomes
// text again by reveal() alone, so it gets into no log, no error and no output by mistake:
//
//   config.bearer_token = token;  // a literal, a std::string or a std::string_view
//   request.headers.set("Authorization", "Bearer " + config.bearer_token.reveal());
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

namespace kube {

/// A text that is not printed. Copies share it. Its memory is not cleared: the text was somewhere
/// before, and goes to a socket or a file.
/// @par Thread safety   A value.
class SecretText {
 public:
  SecretText() = default;
  // Not explicit: nothing is shown by keeping a secret.
  SecretText(std::string text);
  SecretText(std::string_view text);
  SecretText(const char* text);

  bool empty() const { return text_ == nullptr; }
  bool operator==(const SecretText& other) const { return reveal() == other.reveal(); }

  /// Returns the text, for the place that it is meant for.
  const std::string& reveal() const&;
  std::string reveal() const&& { return reveal(); }

  friend std::ostream& operator<<(std::ostream& out, const SecretText& secret) =
      delete;  // Print what it is for, or whether it is empty().

 private:
  // On the heap: GoogleTest prints the bytes of objects that it knows no better form of.
  std::shared_ptr<const std::string> text_{};  // Null: empty.
};

}  // namespace kube
