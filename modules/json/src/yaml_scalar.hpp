// SPDX-License-Identifier: Apache-2.0
//
// The meaning of unquoted YAML scalars: the rules of YAML 1.1 as sigs.k8s.io/yaml applies them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <kube/json/value.hpp>

namespace kube::yaml {

/// Whether YAML does not allow a character (in UTF-8), not even in quotes; yaml-cpp accepts such
/// characters, and stops at some.
bool is_control(std::string_view character);

/// Repairs the text of a scalar: yaml-cpp decodes the escapes \N and \_ (next line, no-break space)
/// to single bytes 85 and A0. Returns std::nullopt when the text is UTF-8.
std::optional<std::string> with_escapes_as_utf8(std::string_view text);

/// Returns the value of a plain scalar: null, a boolean, a number or otherwise the text. Returns
/// std::nullopt for .nan and .inf, which JSON can't hold.
std::optional<json::Value> resolve_plain(std::string_view text);

/// Returns the value of a scalar with an explicit tag ("tag:yaml.org,2002:int", ...); std::nullopt
/// when the text does not have that type. A tag that YAML does not define means text.
std::optional<json::Value> resolve_tagged(std::string_view tag, std::string_view text);

/// Whether an unquoted `text` would not be read as that text.
bool needs_quotes(std::string_view text);

/// Returns a key as Go's %#v prints it: keys of different types differ.
std::string literal_of(const json::Value& key);

/// Returns the key that kubectl makes of a number such as +.INF.
std::string not_finite_key(std::string_view text);

}  // namespace kube::yaml
