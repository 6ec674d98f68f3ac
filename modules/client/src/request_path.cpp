// SPDX-License-Identifier: Apache-2.0
//
// Joins paths, reads queries and makes templates of URLs.
#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/base/join.hpp>
#include <kube/base/percent.hpp>
#include <kube/transport/url.hpp>

#include "request_url.hpp"

namespace kube {
namespace {

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> segments;
  for (;;) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    segments.emplace_back(path.substr(0, slash));
    if (slash == path.size()) return segments;
    path.remove_prefix(slash + 1);
  }
}

// Replaces the namespace and the name of "/apis/GROUP/VERSION/...".
std::string path_template(const std::vector<std::string>& parts, std::size_t index) {
  std::vector<std::string> segments = parts;
  const std::size_t left = segments.size() - index;
  const auto is_part = [&](std::size_t at) {
    return segments[at] == "finalize" || segments[at] == "status";
  };
  if (left == 2) {
    segments[index + 1] = "{name}";
  } else if (left == 3) {
    segments[index + 1] = is_part(index + 2) ? "{name}" : "{namespace}";
  } else if (left >= 4) {
    segments[index + 1] = "{namespace}";
    if (!is_part(index + 3)) segments[index + 3] = "{name}";
  }
  return join(segments, "/");
}

}  // namespace

std::string escape_path(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t slash = std::min(text.find('/'), text.size());
    out.append(escape_segment(text.substr(0, slash)));
    if (slash < text.size()) out.push_back('/');
    text.remove_prefix(std::min(slash + 1, text.size()));
  }
  return out;
}

std::optional<std::string> escape_uri_path(std::string_view path) {
  if (!percent_decoded(path)) return std::nullopt;
  return percent_encoded(path, [](char c) {
    return ascii::is_alnum(c) ||
           std::string_view("-_.~$&+,:;=@/%!*'()").find(c) != std::string_view::npos;
  });
}

std::string join_path(const std::vector<std::string>& segments) {
  bool rooted = false;
  bool begun = false;
  std::vector<std::string> clean;
  for (const std::string& segment : segments) {
    if (segment.empty()) continue;
    if (!std::exchange(begun, true)) rooted = segment.front() == '/';
    for (std::string& part : split_path(segment)) {
      if (part.empty() || part == ".") continue;
      if (part != "..") {
        clean.push_back(std::move(part));
      } else if (!clean.empty() && clean.back() != "..") {
        clean.pop_back();
      } else if (!rooted) {
        clean.push_back(std::move(part));
      }
    }
  }
  return (rooted ? "/" : "") + join(clean, "/");
}

Result<QueryParameters> decode_query(std::string_view text) {
  QueryParameters query;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    std::optional<std::string> name = percent_decoded(pair.substr(0, equals), Plus::IsSpace);
    std::optional<std::string> value =
        percent_decoded(pair.substr(std::min(equals + 1, pair.size())), Plus::IsSpace);
    if (!name || !value) {
      return Error(ErrorCode::InvalidArgument,
                   "the query has a '%' without two hexadecimal digits; write '%' as %25");
    }
    query.emplace_back(*std::move(name), *std::move(value));
  }
  return query;
}

std::string template_of(std::string_view url, std::string_view base_path) {
  const Result<transport::Url> parsed = transport::parse_url(url);
  if (!parsed) return {};
  const std::string origin = parsed->scheme + "://" + parsed->authority;
  std::string query;
  const Result<QueryParameters> parameters = decode_query(parsed->query);
  std::set<std::string> names;
  for (const auto& [name, value] : parameters ? *parameters : QueryParameters()) names.insert(name);
  for (const std::string& name : names) query += (query.empty() ? "?" : "&") + name + "={value}";

  std::string_view path = parsed->path;
  std::string before(base_path);
  while (before.ends_with('/')) before.pop_back();
  if (path.starts_with(before + "/")) {
    path.remove_prefix(before.size());
  } else {
    before.clear();
  }
  const std::vector<std::string> parts = split_path(path);
  if (parts.size() <= 2) return origin + parsed->path + query;
  if (parts[1] == "api") return origin + before + path_template(parts, 3) + query;
  if (parts[1] == "apis") return origin + before + path_template(parts, 4) + query;
  return origin + "/{prefix}";
}

}  // namespace kube
