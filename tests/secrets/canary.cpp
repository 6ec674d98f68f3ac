// SPDX-License-Identifier: Apache-2.0
#include "canary.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <gtest/gtest.h>

#include <kube/base/ascii.hpp>
#include <kube/json/base64.hpp>

namespace secrets {
namespace {

constexpr std::string_view kPlaceholder = "CANARY";
// A part of the secret is a secret too.
constexpr std::size_t kShortestPart = 5;

int digit_of(char c) {
  const char lower = kube::ascii::to_lower(std::string_view(&c, 1)).front();
  if (lower >= '0' && lower <= '9') return lower - '0';
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Replaces `mark` and the hexadecimal digits behind it by the character that they stand for.
std::string decoded(std::string_view text, std::string_view mark, std::size_t digits) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int value = 0;
    bool is_escape = text.substr(i).starts_with(mark) && i + mark.size() + digits <= text.size();
    for (std::size_t k = 0; is_escape && k < digits; ++k) {
      const int digit = digit_of(text[i + mark.size() + k]);
      is_escape = digit >= 0;
      value = value * 16 + digit;
    }
    out += is_escape ? static_cast<char>(value) : text[i];
    if (is_escape) i += mark.size() + digits - 1;
  }
  return out;
}

bool shows(std::string_view text, std::string_view secret) {
  const std::string lower = kube::ascii::to_lower(text);
  const std::string wanted = kube::ascii::to_lower(secret);
  for (std::size_t i = 0; i + kShortestPart <= wanted.size(); ++i) {
    if (lower.find(wanted.substr(i, kShortestPart)) != std::string::npos) return true;
  }
  return false;
}

// The letters of base64 that only the secret decides, for each place it may have in a group of
// three bytes.
std::array<std::string, 3> base64_forms(std::string_view secret) {
  std::array<std::string, 3> forms;
  for (std::size_t before = 0; before < forms.size(); ++before) {
    std::string encoded;
    kube::json::write_base64(std::string(before, 'x') + std::string(secret), encoded);
    const std::size_t first = (before * 8 + 5) / 6;
    const std::size_t last = (before + secret.size()) * 8 / 6;
    forms[before] = encoded.substr(first, last - first);
  }
  return forms;
}

std::string hexadecimal(std::string_view secret) {
  std::string out;
  for (const char c : secret) kube::ascii::append_hex(c, out);
  return out;
}

}  // namespace

std::string shown_by(std::string_view text) {
  if (shows(text, kCanary)) return "plain";
  if (shows(decoded(decoded(text, "%", 2), "%", 2), kCanary)) return "percent-encoded";
  for (const auto& [mark, digits] :
       {std::pair("\\u", 4), std::pair("\\x", 2), std::pair("\\u00", 2)}) {
    if (shows(decoded(text, mark, static_cast<std::size_t>(digits)), kCanary)) return "escaped";
  }
  // GoogleTest separates the bytes of objects: "5A-71 39-43".
  std::string digits = kube::ascii::to_lower(text);
  std::erase_if(digits, [](char c) { return c == '-' || c == ' '; });
  if (digits.find(hexadecimal(kCanary)) != std::string::npos) return "hexadecimal";
  for (const std::string& form : base64_forms(kCanary)) {
    if (text.find(form) != std::string_view::npos) return "base64";
  }
  return {};
}

std::string with_canary(std::string_view text) {
  std::string out(text);
  for (std::size_t at = out.find(kPlaceholder); at != std::string::npos;
       at = out.find(kPlaceholder, at + kCanary.size())) {
    out.replace(at, kPlaceholder.size(), kCanary);
  }
  return out;
}

void Outputs::add(std::string where, std::string text) {
  const std::lock_guard lock(state_->mutex);
  state_->texts.emplace_back(std::move(where), std::move(text));
}

void Outputs::add(std::string where, const kube::Error& error) {
  add(where + ": error", error.to_string());
  add(where + ": what()", kube::ApiException(error).what());
  add(where + ": reason", error.reason());
}

void Outputs::expect_no_canary(std::string_view input) const {
  const std::lock_guard lock(state_->mutex);
  for (const auto& [where, text] : state_->texts) {
    const std::string form = shown_by(text);
    EXPECT_EQ(form, "") << "the secret of: " << input << "\nis shown by: " << where << ": " << text;
  }
}

std::size_t Outputs::size() const {
  const std::lock_guard lock(state_->mutex);
  return state_->texts.size();
}

std::string Outputs::all() const {
  const std::lock_guard lock(state_->mutex);
  std::string text;
  for (const auto& [where, each] : state_->texts)
    text.append(where).append(": ").append(each) += '\n';
  return text;
}

void LogInto::write(const kube::LogRecord& record) {
  std::string line(record.message);
  for (const kube::LogField& field : record.fields) {
    line.append(" ").append(field.key).append("=").append(field.value);
  }
  outputs_.add("log of " + std::string(record.component), std::move(line));
}

void MetricsInto::add(std::string_view name, const kube::metrics::Labels& labels) {
  std::string text(name);
  for (const auto& [label, value] : labels) text.append(" ").append(label + "=" + value);
  outputs_.add("metric", std::move(text));
}

std::shared_ptr<kube::metrics::CounterImpl> MetricsInto::counter(
    std::string_view name, const kube::metrics::Labels& labels) {
  add(name, labels);
  return nullptr;
}
std::shared_ptr<kube::metrics::GaugeImpl> MetricsInto::gauge(std::string_view name,
                                                             const kube::metrics::Labels& labels) {
  add(name, labels);
  return nullptr;
}
std::shared_ptr<kube::metrics::HistogramImpl> MetricsInto::histogram(
    std::string_view name, const kube::metrics::Labels& labels) {
  add(name, labels);
  return nullptr;
}

}  // namespace secrets
