// SPDX-License-Identifier: Apache-2.0
//
// Objects recorded by the Kubernetes project: reading and writing one gives the same bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <kube/api/types.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/json/value.hpp>
#include <kube/json/yaml.hpp>
#include <kube/meta/watch_event.hpp>

namespace kube {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

struct Recorded {
  std::string name;      // "core.v1.Pod"
  fs::path path;         // of the .json
  std::string expected;  // what writing it gives: the file, or a later release's reading of it
  fs::path protobuf;     // of the .pb
  std::string expected_protobuf;
};

std::vector<Recorded> recorded_objects() {
  std::vector<Recorded> all;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(KUBE_RECORDED_OBJECTS, none)) {
    const fs::path& path = entry.path();
    if (path.extension() != ".json" || path.stem().extension() == ".after_roundtrip") continue;
    fs::path after = path;
    after.replace_extension(".after_roundtrip.json");
    fs::path protobuf = path;
    protobuf.replace_extension(".pb");
    fs::path protobuf_after = path;
    protobuf_after.replace_extension(".after_roundtrip.pb");
    all.push_back({path.stem().string(), path, read_file(fs::exists(after) ? after : path),
                   protobuf, read_file(fs::exists(protobuf_after) ? protobuf_after : protobuf)});
  }
  std::ranges::sort(all, {}, &Recorded::name);
  return all;
}

const meta::TypeDescriptor* type_of(const json::Value& object) {
  const auto* version = object.at_path({"apiVersion"});
  const auto* kind = object.at_path({"kind"});
  // The one that says neither: an event of a watch.
  if (version == nullptr || kind == nullptr) return &meta::WatchEvent::descriptor();
  return api::find_type(version->string_or_empty(), kind->string_or_empty());
}

// An object of a type that is only known at run time.
class AnyObject {
 public:
  explicit AnyObject(const meta::TypeDescriptor& type)
      : type_(type),
        memory_(::operator new (type.size, std::align_val_t{alignof(std::max_align_t)})) {
    type.construct(memory_);
  }
  AnyObject(const AnyObject&) = delete;
  AnyObject& operator=(const AnyObject&) = delete;
  ~AnyObject() {
    type_.destroy(memory_);
    ::operator delete (memory_, std::align_val_t{alignof(std::max_align_t)});
  }
  void* get() { return memory_; }

 private:
  const meta::TypeDescriptor& type_;
  void* memory_;
};

// The recorded files are indented.
std::string pretty(std::string_view compact) {
  const auto value = json::parse(compact);
  EXPECT_TRUE(value) << (value ? "" : value.error().to_string());
  return value ? json::dump_pretty(*value) : std::string();
}

// Writes `compact` after reading it as `type`; or the error.
std::string rewrite(std::string_view text, const meta::TypeDescriptor& type) {
  AnyObject object(type);
  if (const auto read = meta::read_json(text, type, object.get()); !read)
    return read.error().to_string();
  std::string out;
  meta::write_json(object.get(), type, out);
  return out;
}

// Writes an object as protobuf after `read` filled it; or the error.
template <class Read>
std::string as_protobuf(const meta::TypeDescriptor& type, Read read) {
  AnyObject object(type);
  if (const auto done = read(object.get()); !done) return done.error().to_string();
  std::string out;
  if (const auto written = meta::write_enveloped(object.get(), type, out); !written)
    return written.error().to_string();
  return out;
}

// These are gone in the release of the schema.
const std::vector<std::string> kGone{"scheduling.k8s.io.v1alpha2.PodGroup",
                                     "scheduling.k8s.io.v1alpha2.Workload"};

class RecordedObjects : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(KUBE_RECORDED_OBJECTS))
      GTEST_SKIP() << "no recorded objects in " << KUBE_RECORDED_OBJECTS;
    objects_ = recorded_objects();
  }
  std::vector<Recorded> objects_;
};

TEST_F(RecordedObjects, GiveTheSameBytesWhenReadAndWritten) {
  std::map<std::string, int> compared;  // by group and version
  std::vector<std::string> unknown;
  for (const Recorded& object : objects_) {
    const std::string text = read_file(object.path);
    const auto value = json::parse(text);
    ASSERT_TRUE(value) << object.name;
    const meta::TypeDescriptor* type = type_of(*value);
    if (type == nullptr) {
      unknown.push_back(object.name);
      continue;
    }
    ++compared[object.name.substr(0, object.name.rfind('.'))];
    const std::string written = rewrite(text, *type);
    EXPECT_EQ(pretty(written), object.expected) << object.name;
    // Compact text takes the same way.
    EXPECT_EQ(rewrite(written, *type), written) << object.name;
    EXPECT_EQ(written, json::dump(*json::parse(object.expected))) << object.name;
  }
  int all = 0;
  for (const auto& [package, count] : compared) {
    std::cout << package << ": " << count << "\n";
    all += count;
  }
  std::cout << all << " of " << objects_.size() << " objects give the same bytes\n";
  EXPECT_EQ(unknown, kGone);
}

TEST_F(RecordedObjects, GiveTheSameBytesInJsonAndProtobuf) {
  std::size_t compared = 0;
  for (const Recorded& object : objects_) {
    const std::string text = read_file(object.path);
    const auto value = json::parse(text);
    ASSERT_TRUE(value) << object.name;
    const meta::TypeDescriptor* type = type_of(*value);
    if (type == nullptr) continue;
    ++compared;
    const std::string protobuf = read_file(object.protobuf);
    ASSERT_TRUE(meta::is_protobuf(protobuf)) << object.name;

    // The recorded text is indented, and raw JSON would keep that.
    const std::string compact = json::dump(*value);
    const auto from_json = [&](void* to) { return meta::read_json(compact, *type, to); };
    const auto from_protobuf = [&](void* to) { return meta::read_enveloped(protobuf, *type, to); };
    EXPECT_EQ(as_protobuf(*type, from_json), object.expected_protobuf) << object.name;
    EXPECT_EQ(as_protobuf(*type, from_protobuf), object.expected_protobuf) << object.name;

    AnyObject read(*type);
    const auto done = from_protobuf(read.get());
    ASSERT_TRUE(done) << object.name << done.error().to_string();
    std::string written;
    meta::write_json(read.get(), *type, written);
    EXPECT_EQ(pretty(written), object.expected) << object.name;

    // A message that is cut anywhere is refused or lacks fields; nothing else happens.
    const auto unknown = meta::open_envelope(protobuf);
    ASSERT_TRUE(unknown) << object.name;
    for (std::size_t size = 0; size < unknown->raw.size(); size += 1 + size / 40) {
      AnyObject cut(*type);
      const auto part = meta::read_protobuf(unknown->raw.substr(0, size), *type, cut.get());
      EXPECT_TRUE(part || part.error().code() == ErrorCode::Decode) << object.name;
    }
  }
  EXPECT_EQ(compared, objects_.size() - kGone.size());
}

TEST_F(RecordedObjects, KeepEverythingAsUnstructured) {
  for (const Recorded& object : objects_) {
    const std::string text = read_file(object.path);
    const auto value = json::parse(text);
    ASSERT_TRUE(value) << object.name;
    if (value->at_path({"kind"}) == nullptr || value->at_path({"apiVersion"}) == nullptr) continue;
    const auto unstructured = meta::from_json<Unstructured>(text);
    ASSERT_TRUE(unstructured) << object.name << unstructured.error().to_string();
    EXPECT_EQ(unstructured->content, *value) << object.name;
    EXPECT_EQ(pretty(meta::to_json(*unstructured)), text) << object.name;
  }
}

TEST_F(RecordedObjects, ReadAsJsonGiveTheSameBytes) {
  for (const Recorded& object : objects_) {
    const std::string text = read_file(object.path);
    const auto value = json::parse(text);
    ASSERT_TRUE(value) << object.name << value.error().to_string();
    EXPECT_EQ(json::dump_pretty(*value), text) << object.name;
  }
}

TEST_F(RecordedObjects, ReadAsYamlGiveTheSameValue) {
  for (const Recorded& object : objects_) {
    const auto from_json = json::parse(read_file(object.path));
    fs::path path = object.path;
    const auto from_yaml = yaml::parse(read_file(path.replace_extension(".yaml")));
    ASSERT_TRUE(from_yaml) << object.name << from_yaml.error().to_string();
    EXPECT_EQ(*from_yaml, *from_json) << object.name;
    const auto dumped = yaml::parse(yaml::dump(*from_json));
    ASSERT_TRUE(dumped) << object.name;
    EXPECT_EQ(*dumped, *from_json) << object.name;
  }
}

}  // namespace
}  // namespace kube
