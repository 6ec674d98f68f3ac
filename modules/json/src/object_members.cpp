// SPDX-License-Identifier: Apache-2.0
#include <kube/json/object_members.hpp>

#include <kube/json/cursor.hpp>
#include <kube/json/value.hpp>

namespace kube::json {

Result<void> for_each_member(std::string_view object,
                             const std::function<bool(const Member&)>& visit, Extent extent) {
  using More = Cursor::More;
  Cursor at(object);
  const auto broken = [&](std::string_view expected) {
    return Error(ErrorCode::Decode,
                 "expected " + std::string(expected) + " at byte " + std::to_string(at.offset()));
  };
  if (!at.enter('{')) return broken("'{'");
  std::string storage;
  std::string_view written;
  for (More more = at.next_member(written); more != More::No; more = at.next_member(written)) {
    if (more == More::Wrong) return broken("a member, or '}'");
    Member member{written, {}};
    if (written.find('\\') != std::string_view::npos) {
      const auto name = parse("\"" + std::string(written) + "\"");
      if (!name) return name.error().with_context("a member's name");
      storage = name->string_or_empty();
      member.key = storage;
    }
    const char first = at.peek();
    if (!at.skip(member.value)) {
      if (extent == Extent::Beginning && (first == '{' || first == '[')) {
        member.value = object.substr(at.offset());
        visit(member);
      }
      return broken("a whole value");
    }
    if (!visit(member)) return {};
  }
  return {};
}

Result<std::string_view> detail::escaped_string_value(std::string_view value,
                                                      std::string& storage) {
  if (value.empty() || value.front() != '"') return Error(ErrorCode::Decode, "expected a string");
  auto parsed = parse(value);
  if (!parsed) return parsed.error();
  storage = parsed->string_or_empty();
  return std::string_view(storage);
}

}  // namespace kube::json
