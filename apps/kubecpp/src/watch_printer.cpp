// SPDX-License-Identifier: Apache-2.0
#include "watch_printer.hpp"

#include <initializer_list>
#include <string_view>
#include <utility>

#include "document_printer.hpp"
#include "error_output.hpp"

namespace kubecpp {

void WatchPrinter::initial(const Object& object) {
  const std::string text = line("ADDED", object);
  const kube::MutexLock lock(mutex_);
  ++initial_;
  out_.write(text);
}

void WatchPrinter::change(const char* type, const Object& object) {
  const std::string text = line(type, object);
  const kube::MutexLock lock(mutex_);
  print_synced();
  out_.write(text);
}

std::size_t WatchPrinter::synced() {
  const kube::MutexLock lock(mutex_);
  print_synced();
  return initial_;
}

void WatchPrinter::print_synced() {
  if (std::exchange(synced_, true)) return;
  const std::string count = std::to_string(initial_);
  out_.write(format_ == WatchOutput::Json ? R"({"type":"SYNCED","count":)" + count + "}\n"
                                          : "SYNCED " + count + "\n");
}

std::string WatchPrinter::line(const std::string& type, const Object& object) const {
  if (format_ == WatchOutput::Json) {
    return R"({"type":")" + type + R"(","object":)" + shown_json(kube::meta::to_json(*object)) +
           "}\n";
  }
  const std::string name =
      type + " " + printable(object.key()) + " " + printable(object.resource_version());
  return (format_ == WatchOutput::Name ? name : name + details(object)) + "\n";
}

std::string WatchPrinter::details(const Object& object) const {
  const auto field = [&](std::initializer_list<std::string_view> path) {
    const std::string_view found = object->content.string_at(path);
    return found.empty() ? "-" : printable(found);
  };
  std::string labels;
  for (const auto& [key, value] : object->labels()) {
    labels += (labels.empty() ? "" : ",") + printable(key) + "=" + printable(value);
  }
  std::string result =
      " created=" + field({"metadata", "creationTimestamp"}) + " uid=" + printable(object.uid());
  if (kind_ == "Pod") {
    result += " phase=" + field({"status", "phase"}) + " node=" + field({"spec", "nodeName"});
  }
  return result + " labels=" + (labels.empty() ? "<none>" : labels);
}

}  // namespace kubecpp
