// SPDX-License-Identifier: Apache-2.0
#include "mirror.hpp"

#include <string_view>
#include <utility>

namespace kube::lying {
namespace {

bool is_segment(std::string_view text) {
  return text != "." && text != ".." && text.find_first_of("/%") == std::string_view::npos;
}

std::string key_of(const ObjectStatement& object) {
  return object.namespace_.text.empty() ? object.name.text
                                        : object.namespace_.text + '/' + object.name.text;
}

bool has_place(const ObjectStatement& object) {
  return !object.name.text.empty() && is_segment(object.name.text) &&
         is_segment(object.namespace_.text);
}

}  // namespace

// What has come before is not looked at again.
bool Mirror::knows(const ObjectStatement& object) const {
  const auto known = objects_.find(key_of(object));
  return known != objects_.end() && known->second.uid == object.uid.text &&
         known->second.version == object.version.text;
}

// What is refused stays what it was, until it is deleted.
void Mirror::put(const ObjectStatement& object, Encoding encoding, bool initial,
                 StatedObjects& into) const {
  if (!has_place(object)) return;
  const std::string key = key_of(object);
  if (transforms_ && (object.app == "poison" || object.app == "fail")) {
    const auto known = objects_.find(key);
    if (known != objects_.end()) into.emplace(*known);
    return;
  }
  if (initial && !object.version.text.empty() && knows(object)) {
    const StatedObject& known = objects_.at(key);
    if (!compares_ || known.encoding != encoding) {
      into[key] = known;
      return;
    }
  }
  into[key] = {object.uid.text, object.version.text, {object.app, object.node}, encoding};
}

void Mirror::list(const ListStatement& page, Encoding encoding, bool first, bool last) {
  if (first) {
    next_.clear();
    failed_ = false;
  }
  for (const ObjectStatement& item : page.items) {
    // The transform's error fails the list, but for an object that the cache has already.
    if (transforms_ && item.app == "fail" && has_place(item) && !knows(item)) failed_ = true;
    put(item, encoding, true, next_);
  }
  if (!last || failed_) return;
  objects_ = std::exchange(next_, {});
  whole_ = true;
}

void Mirror::begin_stream() {
  next_.clear();
}

void Mirror::event(const EventStatement& event, Encoding encoding, bool initial) {
  if (event.status || !event.object) return;
  const std::string& type = event.type.text;
  StatedObjects& into = initial ? next_ : objects_;
  if (type == "ADDED" || type == "MODIFIED") {
    put(*event.object, encoding, initial, into);
  } else if (type == "DELETED" && has_place(*event.object)) {
    into.erase(key_of(*event.object));
  } else if (type == "BOOKMARK" && initial && event.initial_events_end == "true") {
    objects_ = std::exchange(next_, {});
    whole_ = true;
  }
}

}  // namespace kube::lying
