// SPDX-License-Identifier: Apache-2.0
//
// kube::SecretText: a token, a password or a private key. Text becomes one by itself; it becomes
// text again by reveal() alone, so it gets into no log, no error and no output by mistake:
//
//   config.bearer_token = token;  // a literal, a std::string or a std::string_view
//   request.headers.set("Authorization", "Bearer " + config.bearer_token.reveal());
//
// Of this type are the tokens, passwords and private keys of this library, the variables of exec
// plugins, and user and password of a parsed URL. Not of this type, because they are texts in which
// a secret may be: the URL of a proxy, the arguments of an exec plugin, and the headers of a
// request (Authorization). What this library prints leaves those out, and what a user prints is
// theirs to check.
#pragma once

#include <cstddef>
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
  SecretText(const char* text);         ///< Null is empty, as std::getenv() returns it.
  SecretText(std::nullptr_t) = delete;  // Write {} for none; 0 is not a secret.

  bool empty() const { return text_ == nullptr; }
  /// Compares the texts; a literal, a std::string or a std::string_view becomes a SecretText. Not
  /// in constant time: not for a check of what a client has sent.
  bool operator==(const SecretText& other) const { return reveal() == other.reveal(); }

  /// Returns the text, for the place that it is meant for. The reference is valid until this object
  /// is assigned to or destroyed.
  const std::string& reveal() const&;
  std::string reveal() const&& { return reveal(); }

  friend std::ostream& operator<<(std::ostream& out, const SecretText& secret) =
      delete;  // Print what it is for, or whether it is empty().

 private:
  // On the heap: GoogleTest prints the bytes of objects that it knows no better form of.
  std::shared_ptr<const std::string> text_{};  // Null: empty.
};

}  // namespace kube
