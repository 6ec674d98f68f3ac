// SPDX-License-Identifier: Apache-2.0
#include "documents/typed_codec.hpp"

#include <memory>
#include <new>

#include <kube/codec/codec.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/codec/yaml.hpp>

namespace kube::apiserver {
namespace {

/// A value of a type that is known by its descriptor.
class TypedValue {
 public:
  explicit TypedValue(const meta::TypeDescriptor& type)
      : type_(type), memory_(::operator new(type.size)) {
    type_.construct(memory_.get());
  }
  ~TypedValue() { type_.destroy(memory_.get()); }
  TypedValue(const TypedValue&) = delete;
  TypedValue& operator=(const TypedValue&) = delete;

  void* get() { return memory_.get(); }

 private:
  struct Free {
    void operator()(void* memory) const { ::operator delete(memory); }
  };
  const meta::TypeDescriptor& type_;
  std::unique_ptr<void, Free> memory_;
};

}  // namespace

Result<std::string> json_to_message(const meta::TypeDescriptor& type, std::string_view json) {
  TypedValue value(type);
  if (auto read = meta::read_json(json, type, value.get()); !read) return read.error();
  Result<std::string> out{std::string()};
  meta::write_protobuf(value.get(), type, *out);
  return out;
}

Result<std::string> message_to_json(const meta::TypeDescriptor& type, std::string_view message) {
  TypedValue value(type);
  if (auto read = meta::read_protobuf(message, type, value.get()); !read) return read.error();
  Result<std::string> out{std::string()};
  meta::write_json(value.get(), type, *out);
  return out;
}

void write_object_envelope(std::string_view api_version, std::string_view kind,
                           std::string_view message, std::string& out) {
  meta::Unknown unknown;
  unknown.api_version = api_version;
  unknown.kind = kind;
  unknown.raw = message;
  meta::write_envelope(unknown, out);
}

Result<std::vector<std::string>> strict_problems(const meta::TypeDescriptor& type,
                                                 std::string_view body, bool yaml) {
  TypedValue value(type);
  std::vector<std::string> problems;
  const meta::ReadOptions options{.problems = &problems};
  auto read = yaml ? meta::read_yaml(body, type, value.get(), options)
                   : meta::read_json(body, type, value.get(), options);
  if (!read) return Error(ErrorCode::Decode, read.error().message());
  return problems;
}

}  // namespace kube::apiserver
