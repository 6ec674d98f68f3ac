// SPDX-License-Identifier: Apache-2.0
#include <kube/names/fields.hpp>

#include <algorithm>

#include <kube/base/utf8.hpp>

#include "field_terms.hpp"

namespace kube::fields {

namespace {

constexpr std::string_view kEscaped = "\\,=";

Error malformed(std::string_view what, std::string_view shown) {
  return Error(ErrorCode::InvalidArgument,
               "invalid field selector: " + std::string(what) + ": " + std::string(shown));
}

}  // namespace

namespace detail {

std::vector<std::string_view> split_terms(std::string_view text) {
  std::vector<std::string_view> terms;
  if (text.empty()) return terms;
  std::size_t start = 0;
  bool in_escape = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (in_escape) {
      in_escape = false;
    } else if (text[i] == '\\') {
      in_escape = true;
    } else if (text[i] == ',') {
      terms.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  terms.push_back(text.substr(start));
  return terms;
}

std::optional<Term> split_term(std::string_view term) {
  for (std::size_t i = 0; i < term.size(); ++i) {
    for (const std::string_view op : {"!=", "==", "="}) {
      if (term.substr(i).starts_with(op)) {
        return Term{term.substr(0, i), op, term.substr(i + op.size())};
      }
    }
  }
  return std::nullopt;
}

}  // namespace detail

std::string escape_value(std::string_view value) {
  std::string out;
  out.reserve(value.size());
  for (const char c : value) {
    if (kEscaped.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

Result<std::string> unescape_value(std::string_view value) {
  std::string out;
  out.reserve(value.size());
  for (std::size_t i = 0; i < value.size();) {
    const char c = value[i];
    if (c == ',' || c == '=') {
      // Go prints the number of the byte.
      return malformed("unescaped character in value",
                       std::to_string(static_cast<unsigned char>(c)));
    }
    if (c != '\\') {
      out += c;
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    if (end < value.size()) next_code_point(value, &end);
    const std::string_view sequence = value.substr(i, end - i);
    if (sequence.size() != 2 || kEscaped.find(sequence[1]) == std::string_view::npos) {
      return malformed("invalid escape sequence", sequence);
    }
    out += sequence[1];
    i = end;
  }
  return out;
}

std::string Requirement::to_string() const {
  return field + (equals ? "=" : "!=") + escape_value(value);
}

Selector Selector::from_set(const Set& fields) {
  std::vector<Requirement> requirements;
  for (const auto& [field, value] : fields) requirements.push_back({field, true, value});
  return Selector(std::move(requirements));
}

Selector Selector::nothing() {
  Selector selector;
  selector.nothing_ = true;
  return selector;
}

Selector Selector::one_term_equal(std::string_view field, std::string_view value) {
  return Selector({{std::string(field), true, std::string(value)}});
}

Selector Selector::one_term_not_equal(std::string_view field, std::string_view value) {
  return Selector({{std::string(field), false, std::string(value)}});
}

Selector Selector::all_of(const std::vector<Selector>& selectors) {
  Selector all;
  for (const Selector& selector : selectors) {
    all.nothing_ = all.nothing_ || selector.nothing_;
    all.requirements_.insert(all.requirements_.end(), selector.requirements_.begin(),
                             selector.requirements_.end());
  }
  return all;
}

bool Selector::matches(const Lookup& fields) const {
  return !nothing_ &&
         std::all_of(
             requirements_.begin(), requirements_.end(), [&fields](const Requirement& requirement) {
               return (fields(requirement.field) == requirement.value) == requirement.equals;
             });
}

bool Selector::matches(const Set& fields) const {
  return matches([&fields](std::string_view name) {
    const auto field = fields.find(name);
    return field == fields.end() ? std::string() : field->second;
  });
}

std::optional<std::string> Selector::required_value(std::string_view field) const {
  for (const Requirement& requirement : requirements_) {
    if (requirement.equals && requirement.field == field) return requirement.value;
  }
  return std::nullopt;
}

Result<Selector> Selector::transformed(const Transform& transform) const {
  Selector out;
  out.nothing_ = nothing_;
  for (const Requirement& requirement : requirements_) {
    Result<std::pair<std::string, std::string>> term =
        transform(requirement.field, requirement.value);
    if (!term) return term.error();
    if (term->first.empty() && term->second.empty()) continue;
    out.requirements_.push_back(
        {std::move(term->first), requirement.equals, std::move(term->second)});
  }
  return out;
}

std::string Selector::to_string() const {
  std::string out;
  for (const Requirement& requirement : requirements_) {
    if (!out.empty()) out += ',';
    out += requirement.to_string();
  }
  return out;
}

Result<Selector> parse(std::string_view text) {
  std::vector<std::string_view> terms = detail::split_terms(text);
  std::sort(terms.begin(), terms.end());
  std::vector<Requirement> requirements;
  for (const std::string_view term : terms) {
    if (term.empty()) continue;
    const std::optional<detail::Term> parts = detail::split_term(term);
    if (!parts) {
      return Error(ErrorCode::InvalidArgument, "invalid selector: '" + std::string(text) +
                                                   "'; can't understand '" + std::string(term) +
                                                   "'");
    }
    Result<std::string> value = unescape_value(parts->value);
    if (!value) return value.error();
    requirements.push_back({std::string(parts->field), parts->op != "!=", *std::move(value)});
  }
  return Selector(std::move(requirements));
}

}  // namespace kube::fields
