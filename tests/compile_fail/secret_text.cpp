// SPDX-License-Identifier: Apache-2.0
//
// A token, a password or a key is not text, so that none gets into an output, a log line or an
// error by mistake: reveal() says where one goes.
#include <ostream>
#include <string>
#include <string_view>

#include <kube/base/error.hpp>
#include <kube/base/log.hpp>
#include <kube/base/secret_text.hpp>

using kube::Error;
using kube::ErrorCode;
using kube::LogField;
using kube::LogLevel;
using kube::SecretText;

struct Login {
  SecretText password;
};
Login login();

std::string right(SecretText& secret, const std::string& text, std::string_view view) {
  secret = "literal";
  secret = text;
  secret = view;
  const Login made{.password = text};
  if (secret.empty() || secret == made.password || secret == "literal") return "Bearer ";
  const std::string& token = secret.reveal();
  return "Bearer " + token + login().password.reveal();
}

void wrong(SecretText& secret) {
  secret = 0;                      // wrong: conversion SecretText
  const SecretText none(nullptr);  // wrong: deleted SecretText
}

void wrong(const SecretText& secret, std::ostream& out, std::string text) {
  out << secret;                         // wrong: deleted operator<<
  out << "token" << secret;              // wrong: deleted operator<<
  out << login().password;               // wrong: deleted operator<<
  text = "Bearer " + secret;             // wrong: conversion
  const std::string copy = secret;       // wrong: conversion
  const std::string_view view = secret;  // wrong: conversion
  text = std::to_string(secret);         // wrong: conversion
}

void wrong(kube::Logger* logger, const SecretText& secret) {
  KUBE_LOG(logger, LogLevel::Info, "config", "logged in", {"token", secret.reveal()});
  // What KUBE_LOG makes of its pairs.
  const LogField field{"token", secret};  // wrong: conversion
}

Error wrong(const SecretText& secret) {
  if (secret.empty()) return {ErrorCode::Credentials, "the token is empty"};
  Error error(ErrorCode::Credentials, secret);             // wrong: conversion
  error = Error(ErrorCode::Credentials, "bad " + secret);  // wrong: conversion
  error = error.with_context(secret);                      // wrong: conversion
  return {ErrorCode::Credentials, secret};                 // wrong: conversion
}
