// SPDX-License-Identifier: Apache-2.0
//
// What an unquoted YAML scalar means: the rules of YAML 1.1 as sigs.k8s.io/yaml applies them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <kube/json/value.hpp>

namespace kube::yaml {

/// True for a character (in UTF-8) that YAML does not allow, not even in quotes; yaml-cpp accepts
/// such characters, and stops at some.
bool is_control(std::string_view character);

/// Repairs the text of a scalar: yaml-cpp makes single bytes 85 and A0 of the escapes \N and \_
/// (next line, no-break space). Returns std::nullopt when the text is UTF-8.
std::optional<std::string> with_escapes_as_utf8(std::string_view text);

/// The value of a plain scalar: null, a boolean, a number or, failing those, the text.
/// std::nullopt for .nan and .inf, which JSON can't hold.
std::optional<json::Value> resolve_plain(std::string_view text);

/// The value of a scalar with an explicit tag ("tag:yaml.org,2002:int", ...). std::nullopt when the
/// text isn't one; for tags that YAML does not define it is the text.
std::optional<json::Value> resolve_tagged(std::string_view tag, std::string_view text);

/// True when an unquoted `text` would not be read as that text.
bool needs_quotes(std::string_view text);

/// A key as Go's %#v prints it: keys of different types differ.
std::string literal_of(const json::Value& key);

/// The key that kubectl makes of a number such as +.INF.
std::string not_finite_key(std::string_view text);

}  // namespace kube::yaml
