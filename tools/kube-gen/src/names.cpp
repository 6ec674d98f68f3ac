// SPDX-License-Identifier: Apache-2.0
#include "names.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <kube/base/ascii.hpp>

namespace kube::gen {
namespace {

// Whether a new word begins at `at`, inside a run of letters and digits.
bool begins_word(std::string_view name, std::size_t at) {
  const char before = name[at - 1];
  const char here = name[at];
  const char after = at + 1 < name.size() ? name[at + 1] : '\0';
  if (!ascii::is_upper(here)) return false;
  if (!ascii::is_upper(before)) {
    // The s of a plural acronym ("podIPs", "PIDsLimit") ends the word.
    return true;
  }
  if (!ascii::is_lower(after)) return false;
  // In "HTTPGet" the G begins a word; in "IPs" and "CIDRsX" the last capital belongs to the
  // acronym.
  const char next = at + 2 < name.size() ? name[at + 2] : '\0';
  return !(after == 's' && !ascii::is_lower(next));
}

// The keywords of C++20, and macros of system headers that look like our names: such a name does
// not compile, or compiles with one header and not with another.
constexpr auto kReserved =
    std::to_array<std::string_view>({"alignas",       "alignof",     "and",
                                     "and_eq",        "asm",         "auto",
                                     "bitand",        "bitor",       "bool",
                                     "break",         "case",        "catch",
                                     "char",          "char16_t",    "char32_t",
                                     "char8_t",       "class",       "co_await",
                                     "co_return",     "co_yield",    "compl",
                                     "concept",       "const",       "const_cast",
                                     "consteval",     "constexpr",   "constinit",
                                     "continue",      "decltype",    "default",
                                     "delete",        "do",          "double",
                                     "dynamic_cast",  "else",        "enum",
                                     "explicit",      "export",      "extern",
                                     "false",         "float",       "for",
                                     "friend",        "goto",        "if",
                                     "inline",        "int",         "long",
                                     "mutable",       "namespace",   "new",
                                     "noexcept",      "not",         "not_eq",
                                     "nullptr",       "operator",    "or",
                                     "or_eq",         "private",     "protected",
                                     "public",        "register",    "reinterpret_cast",
                                     "requires",      "return",      "short",
                                     "signed",        "sizeof",      "static",
                                     "static_assert", "static_cast", "struct",
                                     "switch",        "template",    "this",
                                     "thread_local",  "throw",       "true",
                                     "try",           "typedef",     "typeid",
                                     "typename",      "union",       "unsigned",
                                     "using",         "virtual",     "void",
                                     "volatile",      "wchar_t",     "while",
                                     "xor",           "xor_eq"});
constexpr std::string_view kMacros[] = {"errno",
                                        "h_addr",
                                        "h_errno",
                                        "i386",
                                        "linux",
                                        "s6_addr",
                                        "sa_handler",
                                        "sa_sigaction",
                                        "si_addr",
                                        "si_addr_lsb",
                                        "si_arch",
                                        "si_band",
                                        "si_call_addr",
                                        "si_fd",
                                        "si_int",
                                        "si_lower",
                                        "si_overrun",
                                        "si_pid",
                                        "si_pkey",
                                        "si_ptr",
                                        "si_status",
                                        "si_stime",
                                        "si_syscall",
                                        "si_timerid",
                                        "si_uid",
                                        "si_upper",
                                        "si_utime",
                                        "si_value",
                                        "sigev_notify_attributes",
                                        "sigev_notify_function",
                                        "st_atime",
                                        "st_ctime",
                                        "st_mtime",
                                        "stdin",
                                        "unix"};
// The same for types, which begin with a capital.
constexpr std::string_view kTypeMacros[] = {"BUFSIZ", "EOF", "INFINITY", "NAN", "NULL"};
// Functions, variables and types of C that headers of the standard library declare globally: no
// outermost namespace may have such a name.
constexpr std::string_view kGlobals[] = {
    "abort",    "abs",     "accept",    "access",   "acct",    "alarm",    "atoi",    "basename",
    "bind",     "brk",     "calloc",    "ceil",     "chdir",   "chmod",    "chown",   "chroot",
    "clock",    "clone",   "close",     "connect",  "cos",     "crypt",    "daemon",  "daylight",
    "div",      "dup",     "environ",   "execve",   "exit",    "exp",      "fcntl",   "flock",
    "floor",    "fork",    "free",      "gamma",    "getenv",  "getline",  "getopt",  "gettext",
    "gmtime",   "index",   "kill",      "linger",   "link",    "listen",   "lockf",   "log",
    "lstat",    "malloc",  "mkdir",     "mknod",    "nan",     "nice",     "obstack", "open",
    "optarg",   "opterr",  "optind",    "optopt",   "pause",   "perror",   "pipe",    "pow",
    "pread",    "printf",  "profil",    "putenv",   "pwrite",  "qsort",    "raise",   "rand",
    "random",   "read",    "readahead", "readlink", "realloc", "realpath", "recv",    "remove",
    "rename",   "revoke",  "rewind",    "rindex",   "rint",    "rmdir",    "round",   "scanf",
    "select",   "send",    "setenv",    "shutdown", "signal",  "sin",      "sleep",   "socket",
    "splice",   "sqrt",    "stat",      "statx",    "swab",    "symlink",  "sync",    "syscall",
    "system",   "tan",     "tee",       "time",     "times",   "timespec", "timeval", "timex",
    "timezone", "tm",      "trunc",     "truncate", "tzname",  "uint",     "ulong",   "umask",
    "unlink",   "unshare", "ushort",    "usleep",   "utimes",  "vfork",    "wait",    "write"};
// Members that generated structs declare themselves.
constexpr std::string_view kMembers[] = {"descriptor", "field_facts"};

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::string snake_case(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (!ascii::is_alnum(name[i])) {
      if (!out.empty() && out.back() != '_') out += '_';
      continue;
    }
    if (i > 0 && ascii::is_alnum(name[i - 1]) && begins_word(name, i)) out += '_';
    out += ascii::to_lower(name[i]);
  }
  while (out.ends_with('_')) out.pop_back();
  return out;
}

bool is_reserved(std::string_view name) {
  return is_one_of(name, kReserved) || is_one_of(name, kMacros) || is_one_of(name, kTypeMacros);
}
bool is_global(std::string_view name) {
  return is_one_of(name, kGlobals);
}

std::string member_name(std::string_view wire_name) {
  std::string name = snake_case(wire_name);
  if (is_reserved(name) || is_one_of(name, kMembers) ||
      (!name.empty() && ascii::is_digit(name.front())))
    name += '_';
  return name;
}

std::string enumerator_name(std::string_view text) {
  std::string out;
  const std::size_t first =
      std::min(static_cast<std::size_t>(std::ranges::find_if(text, ascii::is_alnum) - text.begin()),
               text.size());
  if (first < text.size() && ascii::is_digit(text[first])) out += 'V';
  std::size_t at = first;
  while (at < text.size()) {
    if (!ascii::is_alnum(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && ascii::is_alnum(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    const bool capitals = word.size() > 1 && std::ranges::none_of(word, ascii::is_lower);
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (i == 0) {
        out += ascii::to_upper(word[i]);
      } else {
        out += capitals ? ascii::to_lower(word[i]) : word[i];
      }
    }
    at = end;
  }
  return out;
}

std::string exact_enumerator_name(std::string_view text) {
  if (text.empty()) return "Empty_";
  // There are two prefixes, because "_2d" could come from either text.
  std::string out = ascii::is_alnum(text.front()) ? "ValueOf_" : "Value";
  for (const char c : text) {
    if (ascii::is_alnum(c)) {
      out += c;
      continue;
    }
    out += '_';
    ascii::append_hex(c, out);
  }
  return out;
}

}  // namespace kube::gen
