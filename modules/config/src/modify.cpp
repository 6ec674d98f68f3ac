// SPDX-License-Identifier: Apache-2.0
//
// Compares two configurations entry by entry, and edits the files that differ.
#include <kube/config/modify.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include <kube/json/value.hpp>

#include "kubeconfig_document.hpp"
#include "kubeconfig_json.hpp"

namespace kube::kubeconfig {
namespace {

namespace fs = std::filesystem;
using json::Array;
using json::Object;
using json::Value;

// Changes the members that differ between two entries; the others, unknown ones too, stay.
void change_members(Object& into, const Object& from, const Object& to) {
  for (const auto& [key, value] : from) {
    if (!to.contains(key)) into.erase(key);
  }
  for (const auto& [key, value] : to) {
    const Value* old = from.find(key);
    if (old != nullptr && *old == value) continue;
    Value* known = into.find(key);
    if (known != nullptr && known->is_object() && value.is_object() && old != nullptr &&
        old->is_object()) {
      change_members(*known->if_object(), *old->if_object(), *value.if_object());
    } else {
      into.set(key, value);
    }
  }
}

Value named(const std::string& name, std::string_view key, Object entry) {
  Value payload(std::move(entry));
  if (key < "name") return Object{{std::string(key), std::move(payload)}, {"name", name}};
  return Object{{"name", name}, {std::string(key), std::move(payload)}};
}

void set_entry(Object& root, std::string_view list_key, std::string_view key,
               const std::string& name, const Object& from, Object to) {
  Array& list = list_of(root, list_key);
  const auto found = find_named(list, name);
  if (found != list.end() && found->is_object()) {
    Value& entry = (*found->if_object())[key];
    if (!entry.is_object()) entry = Object{};
    change_members(*entry.if_object(), from, to);
    return;
  }
  // Sorted by name, where the list is.
  const auto behind = std::find_if(
      list.begin(), list.end(), [&](const Value& each) { return each.string_at({"name"}) > name; });
  list.insert(behind, named(name, key, std::move(to)));
}

// The changes of all files.
class Changes {
 public:
  explicit Changes(const LoadingRules& rules)
      : rules_(rules), default_file_(rules.default_file()) {}

  /// The document of a file; "" is the default file.
  Result<Document*> at(const std::string& file) {
    const std::string& path = file.empty() ? default_file_ : file;
    if (path.empty())
      return Error(ErrorCode::Config, "no file to write to: " + rules_.why_no_file());
    const auto found = documents_.find(path);
    if (found != documents_.end()) return &found->second;
    Result<Document> document = read_document(path);
    if (!document) return document.error();
    return &documents_.emplace(path, *std::move(document)).first->second;
  }
  const std::string& default_file() const { return default_file_; }

  Result<void> write() {
    for (auto& [path, document] : documents_) {
      if (auto done = write_document(path, std::move(document)); !done) return done;
    }
    return {};
  }

 private:
  const LoadingRules& rules_;
  std::string default_file_;
  std::map<std::string, Document> documents_;
};

template <class T>
Result<Object> object_to_write(T entry, const std::string& file) {
  if (entry.origin.file.empty()) entry.origin.file = file;
  if constexpr (!std::is_same_v<T, Context>) {
    // Paths that are relative already stay as they are.
    T relative = entry;
    if (relativize_paths(relative)) entry = std::move(relative);
  }
  return to_object(entry);
}

// Gives entries another name that differ in that alone, so that all else of them stays. Removes
// them from `from`, which `to` then has under that name.
template <class T>
Result<void> rename_entries(Changes& changes, Entries<T>& from, const Entries<T>& to,
                            std::string_view list_key) {
  for (const auto& added : to) {
    if (from.contains(added.first)) continue;
    const auto old = std::find_if(from.begin(), from.end(), [&](const auto& each) {
      return !to.contains(each.first) && each.second == added.second &&
             each.second.origin.file == added.second.origin.file;
    });
    if (old == from.end()) continue;
    Result<Document*> document = changes.at(old->second.origin.file);
    if (!document) return document.error();
    Array& list = list_of((*document)->root(), list_key);
    const auto found = find_named(list, old->first);
    if (found == list.end()) continue;
    found->if_object()->set("name", added.first);
    from.emplace(added.first, old->second);
    from.erase(old);
  }
  return {};
}

template <class T>
Result<void> change_entries(Changes& changes, Entries<T> from, const Entries<T>& to,
                            std::string_view list_key, std::string_view key) {
  if (auto renamed = rename_entries(changes, from, to, list_key); !renamed) return renamed;
  for (const auto& [name, entry] : to) {
    const auto old = from.find(name);
    if (old != from.end() && old->second == entry) continue;
    const std::string& file = old != from.end() && entry.origin.file.empty()
                                  ? old->second.origin.file
                                  : entry.origin.file;
    Result<Document*> document = changes.at(file);
    if (!document) return document.error();
    const std::string& path = file.empty() ? changes.default_file() : file;
    Result<Object> wanted = object_to_write(entry, path);
    if (!wanted) return wanted.error();
    Object known;
    if (old != from.end()) {
      Result<Object> before = object_to_write(old->second, path);
      if (!before) return before.error();
      known = *std::move(before);
    }
    set_entry((*document)->root(), list_key, key, name, known, *std::move(wanted));
  }
  for (const auto& [name, entry] : from) {
    if (to.contains(name)) continue;
    Result<Document*> document = changes.at(entry.origin.file);
    if (!document) return document.error();
    Object& root = (*document)->root();
    Array& list = list_of(root, list_key);
    if (const auto found = find_named(list, name); found != list.end()) list.erase(found);
    if (list.empty()) root.set(list_key, nullptr);
  }
  return {};
}

Result<void> change_current_context(Changes& changes, const LoadingRules& rules,
                                    const std::string& wanted) {
  std::string file;
  if (wanted.empty()) {
    for (const std::string& path : rules.files()) {
      const Result<Kubeconfig> config = read_kubeconfig_file(path);
      if (!config || config->current_context.empty()) continue;
      file = path;
      break;
    }
  }
  Result<Document*> document = changes.at(file);
  if (!document) return document.error();
  (*document)->root().set("current-context", wanted);
  return {};
}

Result<void> change_rest(Changes& changes, const Kubeconfig& from, const Kubeconfig& to) {
  if (from.preferences == to.preferences && from.extensions == to.extensions) return {};
  Result<Document*> document = changes.at("");
  if (!document) return document.error();
  Object& root = (*document)->root();
  if (!(from.preferences == to.preferences)) {
    Value& preferences = root["preferences"];
    if (!preferences.is_object()) preferences = Object{};
    change_members(*preferences.if_object(), to_object(from.preferences),
                   to_object(to.preferences));
    if (preferences.if_object()->empty()) root.erase("preferences");
  }
  if (from.extensions != to.extensions) {
    root.set("extensions", to_list(to.extensions));
    if (to.extensions.empty()) root.erase("extensions");
  }
  return {};
}

// The locks of files, each taken once. None is waited for, so that their order can't matter.
class Locks {
 public:
  Result<void> take(const std::string& file) {
    if (file.empty() || locks_.contains(file)) return {};
    Result<FileLock> lock = FileLock::acquire(file);
    if (!lock) return lock.error();
    locks_.emplace(file, *std::move(lock));
    return {};
  }

  // Takes those of files that the caller of modify() has put entries into.
  template <class T>
  Result<void> take_origins(const Entries<T>& entries) {
    for (const auto& [name, entry] : entries) {
      if (auto taken = take(entry.origin.file); !taken) return taken;
    }
    return {};
  }

 private:
  std::map<std::string, FileLock> locks_;
};

// Takes the locks of all files that are read. One that does not exist is made only if it is the one
// for new entries.
Result<void> lock_files(const LoadingRules& rules, Locks& locks) {
  const std::string default_file = rules.default_file();
  for (const std::string& file : rules.files()) {
    if (file != default_file && is_missing(file)) continue;
    if (auto taken = locks.take(file); !taken) return taken;
  }
  return locks.take(default_file);
}

Result<void> write_changes(const LoadingRules& rules, const Kubeconfig& from,
                           const Kubeconfig& to) {
  Changes changes(rules);
  if (from.current_context != to.current_context) {
    if (auto done = change_current_context(changes, rules, to.current_context); !done) return done;
  }
  if (auto done = change_rest(changes, from, to); !done) return done;
  auto done = change_entries(changes, from.clusters, to.clusters, "clusters", "cluster");
  if (done) done = change_entries(changes, from.users, to.users, "users", "user");
  if (done) done = change_entries(changes, from.contexts, to.contexts, "contexts", "context");
  return done ? changes.write() : done;
}

}  // namespace

Result<FileLock> FileLock::acquire(const std::string& path) {
  std::error_code ignored;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty()) fs::create_directories(folder, ignored);
  std::string file = path + ".lock";
  const int descriptor = ::open(file.c_str(), O_CREAT | O_EXCL | O_CLOEXEC, 0);
  if (descriptor >= 0) {
    ::close(descriptor);
    return FileLock(std::move(file));
  }
  const int reason = errno;
  std::string what = file + ": " + std::generic_category().message(reason);
  if (reason == EEXIST) {
    what +=
        "; another program is changing the file, or has died while it did: if none runs, delete "
        "the "
        "lock file";
  }
  return Error(ErrorCode::Config, std::move(what));
}

FileLock::FileLock(FileLock&& other) noexcept : file_(std::exchange(other.file_, {})) {}

FileLock::~FileLock() {
  if (!file_.empty()) ::unlink(file_.c_str());
}

Result<void> modify(const LoadingRules& rules,
                    const std::function<Result<void>(Kubeconfig& config)>& change,
                    std::stop_token stop) {
  Locks locks;
  if (auto taken = lock_files(rules, locks); !taken) return taken;
  LoadingRules silent = rules;
  silent.warn = nullptr;
  const bool is_new = !rules.explicit_path.empty() && is_missing(rules.explicit_path);
  const Result<Kubeconfig> current = is_new ? Kubeconfig{} : silent.load(std::move(stop));
  if (!current) return current.error();
  Kubeconfig wanted = *current;
  if (auto changed = change(wanted); !changed) return changed;
  auto taken = locks.take_origins(wanted.clusters);
  if (taken) taken = locks.take_origins(wanted.users);
  if (taken) taken = locks.take_origins(wanted.contexts);
  return taken ? write_changes(rules, *current, wanted) : taken;
}

Result<void> write_kubeconfig_file(const std::string& path, const Kubeconfig& config) {
  return write_text(path, to_yaml(config));
}

}  // namespace kube::kubeconfig
