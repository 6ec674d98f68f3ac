// SPDX-License-Identifier: Apache-2.0
//
// URLs and queries, as clients write them and servers read them: what is read and written again
// reads back the same, a second reading agrees, and nothing of a password is printed.
//
// Input: a method and, after a space, a request target or a URL.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reading/query.hpp"
#include "reading/route.hpp"
#include "request_url.hpp"

#include <kube/base/percent.hpp>
#include <kube/codec/query.hpp>
#include <kube/transport/url.hpp>

namespace {

using namespace kube;
using namespace kube::serving;

void expect(bool holds, int line = __builtin_LINE()) {
  if (holds) return;
  std::fprintf(stderr, "line %d: does not hold\n", line);
  std::abort();
}

// Every byte as an escape.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    char buffer[4];
    std::snprintf(buffer, sizeof buffer, "%%%02x", static_cast<unsigned>(c) & 0xffU);
    out += buffer;
  }
  return out;
}

// A second reading of escapes: from the end, with the C library's idea of a hexadecimal number.
std::optional<std::string> second_decode(std::string_view text, bool plus_is_space) {
  const auto is_hex = [](char c) {
    return std::string_view("0123456789abcdefABCDEF").find(c) != std::string_view::npos;
  };
  std::string out;
  std::size_t escapes = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (text[i] == '%') {
      if (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return std::nullopt;
      const std::string digits(text.substr(i + 1, 2));
      out.resize(out.size() - 2);
      out += static_cast<char>(std::strtol(digits.c_str(), nullptr, 16));
      ++escapes;
    } else {
      out += text[i] == '+' && plus_is_space ? ' ' : text[i];
    }
  }
  expect(out.size() == text.size() - 2 * escapes);
  std::reverse(out.begin(), out.end());
  return out;
}

void check_decoding(std::string_view text) {
  for (const Plus plus : {Plus::Stays, Plus::IsSpace}) {
    expect(percent_decoded(text, plus) == second_decode(text, plus == Plus::IsSpace));
    expect(percent_decoded(escaped(text), plus) == text);
  }
  expect(percent_decoded(escape_segment(text)) == text);
}

template <class Options>
void check_options(const QueryParameters& parameters) {
  const auto read = meta::from_query<Options>(parameters);
  if (!read) {
    expect(read.error().code() == ErrorCode::InvalidArgument && !read.error().message().empty());
    return;
  }
  // What is written leaves out the empty elements of lists, and is the same from then on.
  const auto written = meta::to_query(*read);
  const auto again = meta::from_query<Options>(written);
  expect(again.has_value() && meta::to_query(*again) == written);
  const bool has_empty = std::any_of(parameters.begin(), parameters.end(), [](const auto& each) {
    return each.first == "dryRun" && each.second.empty();
  });
  expect(has_empty || *again == *read);
}

void check_query(const Query& query) {
  const QueryParameters& parameters = query.parameters();
  // As the client writes it: sorted by name, those of one name in their order.
  const auto again = Query::parse(encode_query(parameters));
  expect(again.has_value());
  QueryParameters sorted = parameters;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  expect(again->parameters() == sorted);
  for (const auto& [name, value] : parameters) {
    expect(query.has(name) && !query.all(name).empty() && query.all(name)[0] == query.get(name));
  }
  check_options<ListOptions>(parameters);
  check_options<PatchOptions>(parameters);
  check_options<DeleteOptions>(parameters);
  if (const auto options = read_list_options(query, false)) {
    expect(options->limit >= 0 && options->timeout_seconds.value_or(1) > 0);
  }
  (void)read_write_options(query, WriteKind::Apply).has_value();
  if (const auto options = read_delete_options(query, {})) {
    expect(options->grace_period_seconds.value_or(0) >= 0);
  }
}

// The path of what a route names.
std::string path_of(const Route& route) {
  std::string path = route.group.empty() ? "/api/" : "/apis/" + escaped(route.group) + '/';
  path += escaped(route.version);
  const auto add = [&](std::string_view segment) { path += '/' + escaped(segment); };
  if (route.legacy_watch) add("watch");
  if (!route.namespace_.empty()) {
    add("namespaces");
    add(route.namespace_);
  }
  add(route.resource);
  add(route.name);
  add(route.subresource);
  if (route.deeper) add("deeper");
  return path;
}

void check_route(std::string_view method, std::string_view target) {
  const auto route = parse_route(method, target);
  if (!route) {
    expect(route.error().http_status() == 400 && !route.error().message().empty());
    return;
  }
  check_query(route->query);
  expect(route->path.starts_with('/') && route->path.size() <= target.size() + 1);
  if (!route->is_resource) {
    expect(route->resource.empty() && route->name.empty() && route->namespace_.empty());
    return;
  }
  if (route->resource.empty()) return;  // two slashes: such a resource exists nowhere
  const auto again = parse_route(method, path_of(*route));
  expect(again.has_value() && again->is_resource);
  expect(again->group == route->group && again->version == route->version);
  expect(again->namespace_ == route->namespace_ && again->resource == route->resource);
  expect(again->name == route->name && again->subresource == route->subresource);
  expect(again->deeper == route->deeper && again->legacy_watch == route->legacy_watch);
}

void check_url(std::string_view text) {
  const auto url = transport::parse_url(text);
  const std::string printed = transport::printable_url(text);
  expect(std::all_of(printed.begin(), printed.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte != 0x7f;
  }));
  const std::string server = transport::printable_server_url(text);
  expect(server.find("***@") == server.rfind('@') - 3 || server.find('@') == std::string::npos);
  if (!url) {
    expect(url.error().code() == ErrorCode::InvalidArgument);
    expect(!transport::parse_server_url(text));
    return;
  }
  expect(printed ==
         std::string(text.substr(0, url->scheme.size())) + "://" + url->authority + url->path);
  std::string joined = url->scheme + "://";
  if (url->has_user_info) joined += url->user_info.reveal() + '@';
  joined += url->authority + url->path;
  if (!url->query.empty()) joined += '?' + url->query;
  const auto again = transport::parse_url(joined);
  expect(again.has_value() && again->scheme == url->scheme && again->user_info == url->user_info);
  expect(again->authority == url->authority && again->path == url->path);
  expect(again->query == url->query && again->has_port == url->has_port);
  expect(again->has_user_info == url->has_user_info && joined.size() <= text.size());
  expect(url->path.empty() || url->path.front() == '/');
  expect(url->authority.find_first_of("/?#@") == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t space = std::min(input.find(' '), size);
  const std::string_view text = input.substr(std::min(space + 1, size));
  check_decoding(text);
  check_route(input.substr(0, space), text);
  check_url(text);
  return 0;
}
