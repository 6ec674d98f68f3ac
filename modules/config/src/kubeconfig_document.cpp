// SPDX-License-Identifier: Apache-2.0
#include "kubeconfig_document.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <kube/base/file.hpp>
#include <kube/base/utf8.hpp>
#include <kube/config/kubeconfig_types.hpp>
#include <kube/config/loading_rules.hpp>
#include <kube/json/yaml.hpp>
#include <kube/json/yaml_edit.hpp>

#include "kubeconfig_json.hpp"

namespace kube::kubeconfig {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kFileMode = 0600;
constexpr unsigned kFolderMode = 0755;

// The file that a path leads to through symbolic links, which need not exist.
Result<std::string> target_of(const std::string& path) {
  constexpr int kMostLinks = 40;  // as the system
  fs::path target = path;
  for (int links = 0; links <= kMostLinks; ++links) {
    std::error_code error;
    const fs::path next = fs::read_symlink(target, error);
    if (error) return target.string();
    target = target.parent_path() / next;
  }
  return Error(ErrorCode::Config, path + ": " + std::generic_category().message(ELOOP));
}

}  // namespace

Document::Document() : value(to_object(Kubeconfig{})) {}

Result<void> write_text(const std::string& path, std::string_view text) {
  const Result<std::string> target = target_of(path);
  if (!target) return target.error();
  struct stat status {};
  const bool exists = ::stat(target->c_str(), &status) == 0;
  return replace_file(*target, text,
                      {.file_mode = exists ? status.st_mode & 0777U : kFileMode,
                       .folder_mode = kFolderMode,
                       .keep_owner = true});
}

std::string as_utf8(std::string_view text) {
  const bool little = text.starts_with("\xFF\xFE");
  if (!little && !text.starts_with("\xFE\xFF")) return std::string(text);
  const auto unit = [&](std::size_t at) -> char32_t {
    const auto byte = [&](std::size_t i) -> char32_t {
      return static_cast<unsigned char>(text[i]);
    };
    return little ? byte(at) | byte(at + 1) << 8U : byte(at) << 8U | byte(at + 1);
  };
  constexpr char32_t kUnknown = 0xFFFD;
  std::string out;
  for (std::size_t at = 2; at + 1 < text.size(); at += 2) {
    char32_t code = unit(at);
    const bool first = code >= 0xD800 && code < 0xDC00;
    const char32_t next = first && at + 3 < text.size() ? unit(at + 2) : 0;
    if (next >= 0xDC00 && next < 0xE000) {
      code = 0x10000 + ((code - 0xD800) << 10U) + (next - 0xDC00);
      at += 2;
    } else if (code >= 0xD800 && code < 0xE000) {
      code = kUnknown;
    }
    append_utf8(code, out);
  }
  return out;
}

Result<Document> read_document(const std::string& path) {
  Document out;
  if (is_missing(path)) return out;
  Result<DatedFile> file = read_regular_file(path);
  if (!file) return file.error();
  out.text = as_utf8(file->text);
  // Its mistakes have been reported by now: the file has been read once.
  Result<std::vector<json::Value>> documents = yaml::parse_all(yaml::first_document(out.text));
  if (!documents) return Error(ErrorCode::Config, path + ": " + documents.error().message());
  if (!documents->empty() && documents->front().is_object())
    out.value = std::move(documents->front());
  return out;
}

Result<void> write_document(const std::string& path, Document document) {
  if (document.root().find("apiVersion") == nullptr) document.root().set("apiVersion", "v1");
  if (document.root().find("kind") == nullptr) document.root().set("kind", "Config");
  return write_text(path, yaml::edit(document.text, document.value));
}

json::Array& list_of(json::Object& root, std::string_view key) {
  json::Value& list = root[key];
  if (!list.is_array()) list = json::Array{};
  return *list.if_array();
}

json::Array::iterator find_named(json::Array& list, std::string_view name) {
  return std::find_if(list.begin(), list.end(),
                      [&](const json::Value& each) { return each.string_at({"name"}) == name; });
}

}  // namespace kube::kubeconfig
