// SPDX-License-Identifier: Apache-2.0
#include "read_file.hpp"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace kube::rest {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

Error failed(std::string_view doing, const std::filesystem::path& path, int code) {
  std::string text(doing);
  text.append(" ").append(path.string()).append(": ").append(std::generic_category().message(code));
  return {ErrorCode::Config, std::move(text)};
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path) {
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rbe"));
  if (!file) return failed("open", path, errno);
  std::string text;
  char buffer[4096];
  for (;;) {
    errno = 0;
    const std::size_t count = std::fread(buffer, 1, sizeof buffer, file.get());
    text.append(buffer, count);
    if (count == sizeof buffer) continue;
    if (std::ferror(file.get()) != 0) return failed("read", path, errno);
    return text;
  }
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view space = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(space);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(space) - first + 1);
}

}  // namespace kube::rest
