// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/transcode.hpp>

#include <new>

#include <kube/codec/codec.hpp>
#include <kube/codec/protobuf.hpp>

namespace kube::meta {

std::shared_ptr<void> make_object(const TypeDescriptor& type) {
  struct Free {
    void operator()(void* memory) const { ::operator delete(memory); }
  };
  std::unique_ptr<void, Free> memory(::operator new(type.size));
  type.construct(memory.get());
  return {memory.release(), [&type](void* object) {
            type.destroy(object);
            ::operator delete(object);
          }};
}

Result<std::string> json_to_message(const TypeDescriptor& type, std::string_view json) {
  const auto object = make_object(type);
  if (auto read = read_json(json, type, object.get()); !read) return read.error();
  Result<std::string> out{std::string()};
  write_protobuf(object.get(), type, *out);
  return out;
}

Result<std::string> message_to_json(const TypeDescriptor& type, std::string_view message) {
  const auto object = make_object(type);
  if (auto read = read_protobuf(message, type, object.get()); !read) return read.error();
  Result<std::string> out{std::string()};
  write_json(object.get(), type, *out);
  return out;
}

}  // namespace kube::meta
