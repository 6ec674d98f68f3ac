// SPDX-License-Identifier: Apache-2.0
#include <kube/json/reader.hpp>

#define SIMDJSON_EXCEPTIONS 0  // every failure is a code that the compiler wants to see handled
#include <simdjson.h>

#include <array>
#include <utility>

#include <kube/base/ascii.hpp>

namespace kube::json {

// The buffers that simdjson needs for a text: a padded copy of it, and room for the offsets of its
// tokens. A thread keeps them between documents, so that reading does not allocate.
struct Reader::Buffers {
  static constexpr std::size_t kPadding = simdjson::SIMDJSON_PADDING;
  // A very large document must not pin its buffers.
  static constexpr std::size_t kKeepAtMost = std::size_t{4} << 20;

  std::unique_ptr<char[]> text;
  std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;
  std::size_t capacity = 0;

  static thread_local std::unique_ptr<Buffers> spare;

  bool make_room(std::size_t size) {
    if (size <= capacity) return true;
    const std::size_t room = size + size / 4 + 4096;
    text.reset(new char[room + kPadding]);
    // The depth does not matter to the part of simdjson that finds tokens.
    if (simdjson::get_active_implementation()->create_dom_parser_implementation(room, 1, parser) !=
        simdjson::SUCCESS) {
      capacity = 0;
      return false;
    }
    capacity = room;
    return true;
  }
};

thread_local std::unique_ptr<Reader::Buffers> Reader::Buffers::spare;

namespace {

// simdjson destroys its implementations at the end of the program. They are made here before
// main(), and so outlive the static objects of programs, whose threads may be reading until then.
[[maybe_unused]] const bool kHasImplementation =
    !simdjson::get_active_implementation()->name().empty();

// The tokens of a reader that has failed from the start.
constexpr std::uint32_t kNoTokens[] = {0};
constexpr char kNoText[] = "";

}  // namespace

Reader::Reader(std::string_view text)
    : text_(kNoText),
      token_(kNoTokens),
      end_(kNoTokens),
      failed_(true),
      buffers_(std::move(Buffers::spare)) {
  if (!buffers_) buffers_ = std::make_unique<Buffers>();
  if (text.empty() || !buffers_->make_room(text.size())) return;
  char* copy = buffers_->text.get();
  std::memcpy(copy, text.data(), text.size());
  std::memset(copy + text.size(), 0, Buffers::kPadding);
  simdjson::internal::dom_parser_implementation& parser = *buffers_->parser;
  if (parser.stage1(reinterpret_cast<const std::uint8_t*>(copy), text.size(),
                    simdjson::stage1_mode::regular) != simdjson::SUCCESS) {
    return;  // not UTF-8, an open string, a control character in one, nothing but white space, ...
  }
  // simdjson writes the length of the text, where the padding begins, after the last token.
  text_ = copy;
  token_ = parser.structural_indexes.get();
  end_ = token_ + parser.n_structural_indexes;
  failed_ = false;
}

Reader::~Reader() {
  if (buffers_->capacity <= Buffers::kKeepAtMost) Buffers::spare = std::move(buffers_);
}

std::size_t Reader::count_elements() const {
  // Values are counted, not commas: an invalid text must not promise more elements than it has.
  std::size_t count = 0;
  std::size_t depth = 0;
  for (const std::uint32_t* token = token_ + 1; token < end_; ++token) {
    switch (text_[*token]) {
      case '{':
      case '[':
        if (depth++ == 0) ++count;
        break;
      case '}':
      case ']':
        if (depth-- == 0) return count;
        break;
      case ',':
      case ':':
        break;
      default:
        if (depth == 0) ++count;
        break;
    }
  }
  return count;
}

bool Reader::read_number(std::string_view& out) {
  const char* const begin = text_ + *token_;
  const char* at = begin;
  const auto digits = [&] {
    const char* const first = at;
    while (ascii::is_digit(*at)) ++at;
    return at != first;
  };
  if (*at == '-') ++at;
  if (*at == '0') {
    ++at;
  } else if (!digits()) {
    return fail();
  }
  if (*at == '.') {
    ++at;
    if (!digits()) return fail();
  }
  if (*at == 'e' || *at == 'E') {
    ++at;
    if (*at == '+' || *at == '-') ++at;
    if (!digits()) return fail();
  }
  if (!ends_scalar(at)) return fail();
  out = std::string_view(begin, static_cast<std::size_t>(at - begin));
  ++token_;
  return true;
}

bool Reader::skip_scalar() {
  switch (peek()) {
    case '"':
      return skip_string();
    case 't':
      return read_word("true");
    case 'f':
      return read_word("false");
    case 'n':
      return read_word("null");
    default:
      std::string_view number;
      return read_number(number);
  }
}

bool Reader::skip_string() {
  const char* const begin = text_ + *token_ + 1;
  ++token_;
  // The tokens say where the string ends, and that everything but its escapes is valid.
  const auto length = static_cast<std::size_t>(text_ + *token_ - begin);
  if (std::memchr(begin, '\\', length) == nullptr) return true;
  std::string text;
  return json::read_string(begin, text) != nullptr || fail();
}

bool Reader::skip_nested() {
  // One bit for each open bracket: whether it belongs to an object.
  std::array<std::uint64_t, kMaxDepth / 64> objects{};
  std::size_t depth = 0;
  const auto in_object = [&] { return (objects[(depth - 1) / 64] >> ((depth - 1) % 64) & 1) != 0; };
  for (;;) {
    // A value is next.
    const char open = peek();
    bool ended = true;
    if (open == '{' || open == '[') {
      if (depth == kMaxDepth) return fail();
      const std::uint64_t bit = std::uint64_t{1} << (depth % 64);
      std::uint64_t& word = objects[depth / 64];
      word = open == '{' ? word | bit : word & ~bit;
      ++depth;
      ++token_;
      const char first = peek();
      if (first == (open == '{' ? '}' : ']')) {
        ++token_;
        --depth;
      } else if (open == '{') {
        if (!skip_key()) return false;
        ended = false;
      } else {
        ended = false;
      }
    } else if (!skip_scalar()) {
      return false;
    }
    // After a value: close all that ends here.
    while (ended) {
      if (depth == 0) return true;
      const bool object = in_object();
      const char c = peek();
      ++token_;
      if (c == ',') {
        if (object && !skip_key()) return false;
        ended = false;
      } else if (c == (object ? '}' : ']')) {
        --depth;
      } else {
        return fail();
      }
    }
  }
}

bool Reader::skip(std::string_view& out) {
  const char* const begin = text_ + *token_;
  if (!skip()) return false;
  const char* end = text_ + *token_;
  while (end[-1] == ' ' || end[-1] == '\n' || end[-1] == '\r' || end[-1] == '\t') --end;
  out = std::string_view(begin, static_cast<std::size_t>(end - begin));
  return true;
}

}  // namespace kube::json
