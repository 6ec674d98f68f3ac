// SPDX-License-Identifier: Apache-2.0
#include "state_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <kube/base/file.hpp>
#include <kube/base/join.hpp>
#include <kube/transport/url.hpp>

#include "object_parts.hpp"

namespace kube::cache {
namespace {

constexpr std::string_view kMagic = "kubestat";
constexpr std::uint32_t kFormat = 1;
constexpr std::size_t kChunk = std::size_t{1} << 20U;

Error failed(const std::string& path, const std::string& reason) {
  return {ErrorCode::Config, path + ": " + reason};
}
Error failed(const std::string& path, int reason) {
  return failed(path, std::generic_category().message(reason));
}

std::uint32_t crc_of(std::string_view bytes, std::uint32_t before = 0) {
  return static_cast<std::uint32_t>(
      ::crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

struct Descriptor {
  explicit Descriptor(int opened) : file(opened) {}
  ~Descriptor() {
    if (file >= 0) ::close(file);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  const int file;
};

/// Makes the folder of a file.
Result<void> make_folder(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (folder.empty() || ::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return failed(folder, errno);
}

// ---- writing

class Writer {
 public:
  explicit Writer(int file) : file_(file) {}

  void number(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) buffer_.push_back(static_cast<char>(value >> (8 * i)));
  }
  void text(std::string_view value) {
    number(value.size(), 4);
    bytes(value);
  }
  void bytes(std::string_view value) {
    buffer_.append(value);
    if (buffer_.size() >= kChunk) flush();
  }
  /// Writes the sum. Returns the reason of a failure, 0 for none.
  int finish() {
    flush();
    number(crc_, 4);
    flush();
    return reason_;
  }

 private:
  void flush() {
    crc_ = crc_of(buffer_, crc_);
    std::string_view left = buffer_;
    while (!left.empty() && reason_ == 0) {
      const ssize_t count = ::write(file_, left.data(), left.size());
      if (count < 0 && errno != EINTR) reason_ = errno;
      if (count > 0) left.remove_prefix(static_cast<std::size_t>(count));
    }
    buffer_.clear();
  }

  const int file_;
  std::string buffer_;
  std::uint32_t crc_ = 0;
  int reason_ = 0;
};

void write_object(Writer& out, const Cell& cell) {
  const bool has_own_key =
      cell.key() != (cell.namespace_().empty()
                         ? std::string(cell.name())
                         : std::string(cell.namespace_()) + '/' + std::string(cell.name()));
  out.number(static_cast<std::uint64_t>(cell.encoding()), 4);
  out.text(has_own_key ? cell.key() : std::string_view());
  for (const std::string_view part :
       {cell.namespace_(), cell.name(), cell.uid(), cell.resource_version(), cell.body()}) {
    out.text(part);
  }
}

// Returns the reason of a failure, 0 for none.
int write_all(int file, const std::string& identity, const SavedState& state, WallTime now) {
  Writer out(file);
  out.bytes(kMagic);
  out.number(kFormat, 4);
  out.text(identity);
  out.text(state.version);
  out.number(static_cast<std::uint64_t>(now.time_since_epoch().count()), 8);
  out.number(state.objects.size(), 8);
  for (const CellRef& each : state.objects) write_object(out, *each);
  const int reason = out.finish();
  if (reason != 0) return reason;
  return ::fsync(file) == 0 ? 0 : errno;
}

// ---- reading

/// Reads a file in parts. After a problem, all that follows is empty.
class Reader {
 public:
  Reader(int file, std::uint64_t size) : file_(file), left_(size) {}

  std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    const std::string_view found = take(bytes);
    for (std::size_t i = found.size(); i > 0; --i) {
      value = value << 8U | static_cast<unsigned char>(found[i - 1]);
    }
    return value;
  }
  /// Valid until the next call.
  std::string_view text() { return take(number(4)); }

  std::string_view take(std::uint64_t bytes) {
    if (!problem.empty()) return {};
    if (bytes > left_) {
      problem = "it is truncated or damaged";
      return {};
    }
    if (end_ - begin_ < bytes && !fill(bytes)) return {};
    const std::string_view found(buffer_.data() + begin_, bytes);
    begin_ += bytes;
    left_ -= bytes;
    crc = crc_of(found, crc);
    return found;
  }
  std::uint64_t left() const { return left_; }

  std::uint32_t crc = 0;  ///< Of what was taken.
  std::string problem{};

 private:
  bool fill(std::size_t bytes) {
    buffer_.erase(0, begin_);
    end_ -= std::exchange(begin_, 0);
    buffer_.resize(std::max<std::size_t>(bytes, std::min<std::uint64_t>(left_, kChunk)));
    while (end_ < bytes) {
      const ssize_t count = ::read(file_, buffer_.data() + end_, buffer_.size() - end_);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        problem = count < 0 ? std::generic_category().message(errno) : "it has become shorter";
        return false;
      }
      end_ += static_cast<std::size_t>(count);
    }
    return true;
  }

  const int file_;
  std::uint64_t left_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

CellRef read_object(Reader& in, const CellType& type) {
  const std::uint64_t encoding = in.number(4);
  if (encoding > static_cast<std::uint64_t>(Encoding::Protobuf) ||
      !check_encoding(type, static_cast<Encoding>(encoding))) {
    in.problem = "it is damaged: an object of an unknown encoding";
  }
  Cell::Parts parts;
  parts.encoding = static_cast<Encoding>(encoding);
  std::array<std::string, 5> names;  // the body, which is long, is not copied
  for (std::string& name : names) name = in.text();
  parts.body = in.text();
  parts.key = names[0];
  parts.namespace_ = names[1];
  parts.name = names[2];
  parts.uid = names[3];
  parts.resource_version = names[4];
  return in.problem.empty() ? Cell::make(type, parts) : CellRef();
}

/// Returns what differs, for people.
std::string difference(std::string_view expected, std::string_view found) {
  while (!expected.empty() || !found.empty()) {
    const auto line = [](std::string_view& text) {
      const std::string_view first = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), first.size() + 1));
      return first;
    };
    const std::string_view a = line(expected);
    const std::string_view b = line(found);
    if (a != b) {
      return "it is the state of something else: expected " + std::string(a) + ", found " +
             std::string(b.substr(0, 200));
    }
  }
  return {};
}

SavedState read_all(Reader& in, const CellType& type, const std::string& identity, WallTime now) {
  SavedState state;
  const auto fail = [&](std::string problem) {
    if (in.problem.empty()) in.problem = std::move(problem);
    return SavedState();
  };
  if (in.take(kMagic.size()) != kMagic) return fail("it is not the state of an informer");
  const std::uint64_t format = in.number(4);
  if (format != kFormat) {
    return fail("expected format " + std::to_string(kFormat) + ", found " + std::to_string(format));
  }
  if (std::string other = difference(identity, in.text()); !other.empty()) return fail(other);
  state.version = in.text();
  const auto written = static_cast<std::int64_t>(in.number(8));
  const std::uint64_t objects = in.number(8);
  for (std::uint64_t i = 0; i < objects && in.problem.empty(); ++i) {
    state.objects.push_back(read_object(in, type));
  }
  const std::uint32_t sum = in.crc;
  if (in.number(4) != sum || in.left() > 0) return fail("it is damaged: its checksum is wrong");
  if (version_problem(state.version)) return fail("it has no resourceVersion to watch from");
  if (!in.problem.empty()) return {};
  // The time of day may have been set back.
  const WallTime then{Duration(written)};
  if (then < now) state.age = now - then;
  return state;
}

}  // namespace

StateFile StateFile::of(const InformerOptions& options, const meta::ResourceInfo& resource,
                        const InformerType& type) {
  StateFile out;
  if (options.state_dir.empty()) return out;
  const bool metadata = type.form == ResponseForm::Metadata;
  const bool protobuf = options.protobuf && type.preferred == Encoding::Protobuf;
  out.identity = "resource: " + resource.api_version() + "/" + resource.plural +
                 "\nnamespace: " + options.namespace_ +
                 "\nlabel selector: " + options.label_selector +
                 "\nfield selector: " + options.field_selector +
                 "\ndropped fields: " + join(options.drop_fields, ", ") +
                 "\nobjects: " + (metadata ? "metadata" : "whole") +
                 (type.self_describing ? " with kind" : "") +
                 "\nencoding: " + (protobuf ? "protobuf" : "JSON");
  std::string name = resource.plural + "." + resource.version;
  if (!resource.group.empty()) name += "." + resource.group;
  if (!options.namespace_.empty()) name += "@" + options.namespace_;
  if (!options.label_selector.empty() || !options.field_selector.empty()) {
    name += "-" + std::to_string(crc_of(options.label_selector + "\n" + options.field_selector));
  }
  if (metadata) name += ".metadata";
  std::ranges::replace(name, '/', '_');
  out.path = (std::filesystem::path(options.state_dir) / (name + ".state")).string();
  return out;
}

void StateFile::set_server(const rest::Config& config) {
  const transport::PemSource& ca = config.tls.ca;
  const std::string pem =
      ca.file.empty() ? ca.data : read_file(ca.file, kMaxSmallFileBytes).value_or(std::string());
  identity += "\nserver: " + transport::printable_url(config.host) +
              "\nCA: " + (pem.empty() ? "none" : std::to_string(crc_of(pem)));
}

Result<void> StateFile::write(const SavedState& state, WallTime now) const {
  if (auto made = make_folder(path); !made) return made;
  const std::string next = path + ".new";
  ::unlink(next.c_str());
  int reason = 0;
  {
    const Descriptor made(::open(next.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (made.file < 0) return failed(path, errno);
    reason = write_all(made.file, identity, state, now);
  }
  if (reason == 0 && std::rename(next.c_str(), path.c_str()) != 0) reason = errno;
  if (reason != 0) {
    ::unlink(next.c_str());
    return failed(path, reason);
  }
  // The name, too. Where folders can't be synced, the file system does it by itself.
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const Descriptor parent(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.file >= 0) static_cast<void>(::fsync(parent.file));
  return {};
}

Result<std::optional<SavedState>> StateFile::read(const CellType& type, WallTime now) const {
  if (auto made = make_folder(path); !made) return made.error();
  // Without the flag, open() waits until a process opens a pipe for writing.
  const Descriptor opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (opened.file < 0) {
    if (errno == ENOENT) return std::optional<SavedState>();
    return failed(path, errno);
  }
  struct stat status {};
  if (::fstat(opened.file, &status) != 0) return failed(path, errno);
  if (!S_ISREG(status.st_mode)) return failed(path, "it is not a regular file");
  if (status.st_uid != ::geteuid()) return failed(path, "it belongs to another user");
  Reader in(opened.file, static_cast<std::uint64_t>(status.st_size));
  SavedState state = read_all(in, type, identity, now);
  if (!in.problem.empty()) return failed(path, in.problem);
  return std::optional<SavedState>(std::move(state));
}

}  // namespace kube::cache
