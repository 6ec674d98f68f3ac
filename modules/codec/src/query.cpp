// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/query.hpp>

#include <algorithm>
#include <charconv>

#include <kube/base/ascii.hpp>
#include <kube/json/base64.hpp>
#include <kube/json/writer.hpp>
#include <kube/names/go_text.hpp>

#include "written_fields.hpp"

namespace kube::meta {
namespace {

template <class T>
std::string query_text(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_same_v<T, RawExtension>) {
    return value.raw;
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    std::string text;
    json::write_double(value, text);
    return text;
  } else if constexpr (std::is_same_v<T, Time> || std::is_same_v<T, MicroTime>) {
    return value.is_zero() ? std::string() : value.to_string();
  } else {
    return value.to_string();
  }
}

void append_scalars(const FieldDescriptor& field, const void* member, QueryParameters& query) {
  with_kind(field.kind, [&](auto tag) {
    constexpr ValueKind kKind = decltype(tag)::value;
    const auto append = [&](const Held<kKind>& value) {
      if constexpr (kKind == ValueKind::Bytes) {
        std::string text;
        json::write_base64(value, text);
        query.emplace_back(field.json, std::move(text));
      } else {
        query.emplace_back(field.json, query_text(value));
      }
    };
    switch (field.cardinality) {
      case Cardinality::Plain:
        return append(*static_cast<const Held<kKind>*>(member));
      case Cardinality::Optional: {
        const auto& value = *static_cast<const std::optional<Held<kKind>>*>(member);
        if (!value) {
          query.emplace_back(field.json, "");
        } else {
          append(*value);
        }
        return;
      }
      case Cardinality::List:
        for (const Held<kKind>& value : *static_cast<const HeldList<kKind>*>(member)) {
          append(value);
          // A list that is never left out, such as the command of exec, keeps its empty words.
          if (!field.nullable && query.back().second.empty()) query.pop_back();
        }
        return;
      case Cardinality::Map:
        return;
    }
  });
}

void append_fields(const void* object, const TypeDescriptor& type, QueryParameters& query) {
  each_written_field(type, object, [&](const FieldDescriptor& field, const void* member) {
    if (field.kind != ValueKind::Message) return append_scalars(field, member, query);
    if (field.message->json_form != JsonForm::Object) return;
    if (field.cardinality == Cardinality::Plain) {
      append_fields(member, *field.message, query);
    } else if (field.cardinality == Cardinality::Optional) {
      if (field.ops->is_unset(member)) {
        query.emplace_back(field.json, "");
      } else {
        append_fields(field.ops->elements(member).data, *field.message, query);
      }
    }
  });
}

bool is_true(std::string_view text) {
  return !ascii::equal_ignoring_case(text, "false") && text != "0";
}

// Returns what was expected if the text is invalid; "" if it is valid.
template <class T>
std::string_view parse_text(std::string_view text, T& out) {
  if constexpr (std::is_same_v<T, bool>) {
    out = is_true(text);
    return {};
  } else if constexpr (std::is_same_v<T, std::string>) {
    out = text;
    return {};
  } else if constexpr (std::is_arithmetic_v<T>) {
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (code == std::errc{} && end == text.data() + text.size()) return {};
    if (std::is_floating_point_v<T>) return "a number";
    return sizeof(T) == sizeof(std::int64_t) ? "a 64-bit integer" : "a 32-bit integer";
  } else {
    auto value = T::parse(text);
    if (!value) return "a value in the form of JSON";
    out = *std::move(value);
    return {};
  }
}

Result<void> read_parameter(const FieldDescriptor& field, std::string_view text, void* member) {
  return with_kind(field.kind, [&](auto tag) -> Result<void> {
    constexpr ValueKind kKind = decltype(tag)::value;
    if constexpr (kKind == ValueKind::Bytes || kKind == ValueKind::RawJson ||
                  kKind == ValueKind::IntOrString) {
      return {};
    } else {
      Held<kKind> value{};
      if (const std::string_view expected = parse_text(text, value); !expected.empty()) {
        return Error(ErrorCode::InvalidArgument, "query parameter " + std::string(field.json) +
                                                     ": expected " + std::string(expected) +
                                                     ", but found " + go::quote(text));
      }
      if (field.cardinality == Cardinality::Plain) {
        *static_cast<Held<kKind>*>(member) = std::move(value);
      } else if (field.cardinality == Cardinality::Optional) {
        *static_cast<std::optional<Held<kKind>>*>(member) = std::move(value);
      } else {
        static_cast<HeldList<kKind>*>(member)->push_back(std::move(value));
      }
      return {};
    }
  });
}

}  // namespace

QueryParameters to_query(const void* object, const TypeDescriptor& type) {
  QueryParameters query;
  append_fields(object, type, query);
  std::stable_sort(query.begin(), query.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return query;
}

Result<void> read_query(const QueryParameters& query, const TypeDescriptor& type, void* object) {
  for (const FieldDescriptor& field : type.fields) {
    if (field.kind == ValueKind::Message || field.cardinality == Cardinality::Map || field.nullable)
      continue;
    for (const auto& [name, text] : query) {
      if (name != field.json) continue;
      if (auto read = read_parameter(field, text, static_cast<char*>(object) + field.offset); !read)
        return read;
      if (field.cardinality != Cardinality::List) break;
    }
  }
  return {};
}

bool query_flag(const QueryParameters& query, std::string_view name) {
  const auto found = std::ranges::find(query, name, &QueryParameters::value_type::first);
  return found != query.end() && is_true(found->second);
}

}  // namespace kube::meta
