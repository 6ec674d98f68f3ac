// SPDX-License-Identifier: Apache-2.0
//
// Strict reading of values that have no descriptor.
#include <string>
#include <string_view>
#include <vector>

#include <kube/codec/codec.hpp>
#include <kube/codec/strict_fields.hpp>
#include <kube/json/reader.hpp>

namespace kube::meta {
namespace {

class UntypedWalk {
 public:
  UntypedWalk(json::Reader& in, StrictFields& fields) : in_(in), fields_(fields) {}

  bool value(int depth) {
    switch (in_.peek()) {
      case '{':
        return object(depth + 1);
      case '[':
        return array(depth + 1);
      default:
        return in_.skip();
    }
  }

 private:
  bool object(int depth) {
    if (depth > json::kMaxDepth) return in_.fail();
    StrictFields::SeenKeys seen;
    std::string key;
    for (bool more = in_.begin_object(); more; more = in_.next_member()) {
      key.clear();
      if (!in_.read_key_text(key)) return false;
      fields_.meet(seen, key);
      fields_.enter(key);
      if (!value(depth)) return false;
      fields_.leave();
    }
    return !in_.failed();
  }

  bool array(int depth) {
    if (depth > json::kMaxDepth) return in_.fail();
    std::size_t index = 0;
    for (bool more = in_.begin_array(); more; more = in_.next_element(), ++index) {
      fields_.enter(index);
      if (!value(depth)) return false;
      fields_.leave();
    }
    return !in_.failed();
  }

  json::Reader& in_;
  StrictFields& fields_;
};

}  // namespace

bool StrictFields::skip(json::Reader& in, int depth) {
  return UntypedWalk(in, *this).value(depth);
}

std::vector<std::string> duplicate_fields(std::string_view json) {
  json::Reader in(json);
  StrictFields fields;
  if (!in.failed()) fields.skip(in, 0);
  return std::move(fields).problems();
}

}  // namespace kube::meta
