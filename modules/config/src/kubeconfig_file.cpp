// SPDX-License-Identifier: Apache-2.0
#include "kubeconfig_file.hpp"

#include <algorithm>
#include <optional>

#include <kube/json/base64.hpp>
#include <kube/json/value.hpp>
#include <kube/json/yaml.hpp>

namespace kube::kubeconfig {
namespace {

// A node of the document with its path. The reader, which all nodes share, stores the first wrong
// field, so that reading code needs no check after each field.
class Reader {
 public:
  Reader(std::string file, std::filesystem::path directory)
      : file_(std::move(file)), directory_(std::move(directory)) {}

  const std::string& file() const { return file_; }
  const std::filesystem::path& directory() const { return directory_; }
  const std::optional<Error>& error() const { return error_; }
  void fail(const std::string& path, const std::string& what) {
    if (!error_) error_ = Error(ErrorCode::Config, file_ + ": " + path + ": " + what);
  }

 private:
  std::string file_;
  std::filesystem::path directory_;
  std::optional<Error> error_;
};

class Node {
 public:
  Node(Reader& reader, const json::Value* value, std::string path)
      : reader_(reader),
        value_(value != nullptr && value->is_null() ? nullptr : value),
        path_(std::move(path)) {}

  bool present() const { return value_ != nullptr; }

  Node operator[](std::string_view key) const {
    const json::Object* object = value_ != nullptr ? value_->if_object() : nullptr;
    if (value_ != nullptr && object == nullptr) wrong("a map");
    const std::string path = path_.empty() ? std::string(key) : path_ + "." + std::string(key);
    return {reader_, object != nullptr ? object->find(key) : nullptr, path};
  }

  // Calls f(node) for each element of a list.
  template <class F>
  void each(F&& f) const {
    if (value_ == nullptr) return;
    const json::Array* array = value_->if_array();
    if (array == nullptr) return wrong("a list");
    for (std::size_t i = 0; i < array->size(); ++i) {
      f(Node(reader_, &(*array)[i], path_ + "[" + std::to_string(i) + "]"));
    }
  }

  bool has_members() const {
    if (value_ == nullptr) return false;
    if (const json::Object* object = value_->if_object()) return !object->empty();
    if (const json::Array* array = value_->if_array()) return !array->empty();
    return !text().empty();
  }

  std::string text() const {
    if (value_ == nullptr) return {};
    if (const std::string* string = value_->if_string()) return *string;
    wrong("a string");
    return {};
  }

  bool flag() const {
    if (value_ == nullptr) return false;
    if (const bool* value = value_->if_bool()) return *value;
    wrong("a boolean");
    return false;
  }

  std::string path() const {
    const std::filesystem::path path = text();
    if (path.empty() || path.is_absolute()) return path.string();
    return (reader_.directory() / path).lexically_normal().string();
  }

  std::string bytes() const {
    const std::string encoded = text();
    std::optional<std::string> decoded = json::read_base64(encoded);
    if (decoded) return *std::move(decoded);
    reader_.fail(path_, "not valid base64");
    return {};
  }

  void fail(const std::string& what) const { reader_.fail(path_, what); }

 private:
  void wrong(std::string_view expected) const {
    reader_.fail(path_.empty() ? "the document" : path_,
                 "expected " + std::string(expected) + ", got " + std::string(value_->type_name()));
  }

  Reader& reader_;
  const json::Value* value_;
  std::string path_;
};

transport::PemSource read_pem(const Node& node, const std::string& name) {
  return {.data = node[name + "-data"].bytes(), .file = node[name].path()};
}

Cluster read_cluster(const Node& node) {
  Cluster cluster;
  cluster.server = node["server"].text();
  cluster.tls_server_name = node["tls-server-name"].text();
  cluster.insecure_skip_tls_verify = node["insecure-skip-tls-verify"].flag();
  cluster.certificate_authority = read_pem(node, "certificate-authority");
  cluster.proxy_url = node["proxy-url"].text();
  cluster.disable_compression = node["disable-compression"].flag();
  return cluster;
}

User read_user(const Node& node) {
  User user;
  user.client_certificate = read_pem(node, "client-certificate");
  user.client_key = read_pem(node, "client-key");
  user.token = node["token"].text();
  user.token_file = node["tokenFile"].path();
  user.username = node["username"].text();
  user.password = node["password"].text();
  user.impersonate = node["as"].text();
  user.impersonates_more = node["as-uid"].has_members() || node["as-groups"].has_members() ||
                           node["as-user-extra"].has_members();
  if (const Node provider = node["auth-provider"]; provider.present()) {
    user.auth_provider = provider["name"].text();
    if (user.auth_provider.empty()) user.auth_provider = "?";
  }
  user.exec = node["exec"].present();
  return user;
}

Context read_context(const Node& node) {
  return {.cluster = node["cluster"].text(),
          .user = node["user"].text(),
          .namespace_ = node["namespace"].text()};
}

// Reads a list of {name, <key>: entry} as a map.
template <class T>
Entries<T> read_entries(const Node& list, std::string_view key, const Reader& reader,
                        T (*read)(const Node&)) {
  Entries<T> entries;
  list.each([&](const Node& element) {
    const std::string name = element["name"].text();
    if (!entries.emplace(name, Entry<T>{read(element[key]), reader.file()}).second) {
      list.fail("duplicate name \"" + name + "\" in list");
    }
  });
  return entries;
}

void expect(const Node& node, std::string_view wanted) {
  const std::string found = node.text();
  if (!found.empty() && found != wanted) {
    node.fail("expected \"" + std::string(wanted) + "\", got \"" + found + "\"");
  }
}

}  // namespace

Result<File> read_kubeconfig(std::string_view text, const std::filesystem::path& directory,
                             const std::string& file) {
  // YAML has no control characters; a text with some is another kind of file.
  const auto control = std::find_if(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r';
  });
  if (control != text.end()) {
    return Error(ErrorCode::Config,
                 file + ": expected YAML or JSON, got a control character at offset " +
                     std::to_string(control - text.begin()));
  }
  Result<std::vector<json::Value>> documents = yaml::parse_all(text);
  if (!documents) {
    return Error(ErrorCode::Config, file + ": " + documents.error().message());
  }
  if (documents->empty()) return File{};
  if (documents->size() > 1) {
    return Error(ErrorCode::Config,
                 file + ": expected one document, got " + std::to_string(documents->size()));
  }

  Reader reader(file, directory);
  const Node root(reader, &documents->front(), "");
  expect(root["kind"], "Config");
  expect(root["apiVersion"], "v1");
  File out;
  out.current_context = root["current-context"].text();
  out.clusters = read_entries(root["clusters"], "cluster", reader, read_cluster);
  out.users = read_entries(root["users"], "user", reader, read_user);
  out.contexts = read_entries(root["contexts"], "context", reader, read_context);
  if (reader.error()) return *reader.error();
  return out;
}

void merge(File& into, File from) {
  if (into.current_context.empty()) into.current_context = std::move(from.current_context);
  into.clusters.merge(from.clusters);
  into.users.merge(from.users);
  into.contexts.merge(from.contexts);
}

}  // namespace kube::kubeconfig
