// SPDX-License-Identifier: Apache-2.0
//
// What a field view finds is what decoding the whole object gives, where that succeeds; and what a
// dropper leaves decodes to the object without the fields.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <kube/api/example/v1.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/field_dropper.hpp>
#include <kube/codec/field_view.hpp>
#include <kube/codec/protobuf.hpp>

namespace {

using namespace kube::meta;
using kube::example::v1::Everything;
using kube::example::v1::NamedSource;
using kube::example::v1::Tree;

const FieldLocator& path(const char* text) {
  static std::map<std::string, FieldLocator> paths;
  const auto found = paths.find(text);
  if (found != paths.end()) return found->second;
  return paths.emplace(text, FieldLocator::compile<Everything>(text).value()).first->second;
}

template <class T>
void expect(const kube::Result<FieldView>& view, const T& value) {
  if (!view) std::abort();
  const auto read = view->read<T>();
  if (!read || !(*read == value)) std::abort();
}

// Looks at every sort of field; compares when `value` is there.
template <class Find>
void look(Find find, const Everything* value) {
  using Labels = std::map<std::string, std::string, std::less<>>;
  static const char* const kPaths[] = {"metadata.labels.app", "lists.messages[1].podIPs[0]",
                                       "maps.words.w[0]",     "words[1]",
                                       "maps.quantities.cpu", "tree.allOf[0].properties.p.label"};
  for (const char* text : kPaths) {
    const auto view = find(path(text));
    if (!view) continue;
    std::string scratch;
    (void)view->text(scratch);
    (void)view->template read<std::string>();
    (void)view->template read<Quantity>();
  }
  for (const char* text : {"metadata.labels", "lists.messages", "lists.strings", "words"}) {
    const auto view = find(path(text));
    if (view) (void)view->each([](std::string_view, const FieldView&) { return true; });
  }
  if (value == nullptr) return;
  expect(find(path("metadata")), value->metadata);
  expect<Labels>(find(path("metadata.labels")), value->metadata.labels);
  expect(find(path("metadata.name")), value->metadata.name);
  expect(find(path("plain.int64")), value->plain.int64);
  expect(find(path("plain.time")), value->plain.time);
  expect(find(path("source.level")), value->source.level);
  expect(find(path("tree.label")), value->tree ? value->tree->label : std::string());
  expect(find(path("tree")), value->tree.value_or(Tree()));
  expect(find(path("lists.messages")),
         value->lists ? value->lists->messages : std::vector<NamedSource>());
}

const FieldDropper& dropper() {
  static const std::vector<std::string> kDropped = {"metadata.labels", "lists.messages[*].path",
                                                    "maps.messages.k", "tree.label"};
  static const FieldDropper made =
      FieldDropper::compile(Everything::descriptor(), kDropped).value();
  return made;
}
Everything without_dropped(Everything value) {
  value.metadata.labels.clear();
  if (value.lists) {
    for (NamedSource& message : value.lists->messages) message.path.clear();
  }
  value.maps.messages.erase("k");
  if (value.tree) value.tree->label.clear();
  return value;
}

void drop_in_json(std::string_view bytes, const Everything* value) {
  std::string scratch;
  const auto rest = dropper().drop_in_json(bytes, scratch);
  if (value == nullptr) return;
  if (!rest) std::abort();
  const auto read = from_json<Everything>(*rest);
  if (!read || !(*read == without_dropped(*value))) std::abort();
}
void drop_in_message(std::string_view bytes, const Everything* value) {
  std::string scratch;
  const auto rest = dropper().drop_in_message(bytes, scratch);
  if (value == nullptr) return;
  Everything read;
  if (!rest || !read_protobuf(*rest, Everything::descriptor(), &read)) std::abort();
  if (!(read == without_dropped(*value))) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  {
    // Of keys that come twice a view takes the first. At most 100 problems are reported.
    std::vector<std::string> problems;
    const auto value = from_json<Everything>(bytes, {.problems = &problems});
    const bool same = value && problems.size() < 100 &&
                      std::ranges::none_of(problems, [](const std::string& problem) {
                        return problem.starts_with("duplicate");
                      });
    if (!is_protobuf(bytes))
      look([&](const FieldLocator& in) { return in.find(bytes); }, same ? &*value : nullptr);
    drop_in_json(bytes, same ? &*value : nullptr);
  }
  Everything value;
  const bool good = read_protobuf(bytes, Everything::descriptor(), &value).has_value();
  look([&](const FieldLocator& in) { return in.find_in_message(bytes); }, good ? &value : nullptr);
  drop_in_message(bytes, good ? &value : nullptr);
  return 0;
}
