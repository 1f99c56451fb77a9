// Writing a file whole or not at all.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

#include "harness/error.h"
#include "harness/report.h"
#include "harness/suggest.h"

namespace halfulp {
namespace {

[[noreturn]] void fail(const std::string& path, std::string_view why) {
  throw UsageError(fmt::format("cannot write {}: {}", in_quotes(path), why));
}
[[noreturn]] void fail(const std::string& path, int error) { fail(path, std::strerror(error)); }

/// Where a path leads: standard output, something that cannot be replaced (a pipe, a device), or a
/// file that is replaced as a whole.
struct Target {
  enum class Kind : std::uint8_t { standard_output, stream, file };
  Kind kind = Kind::file;
  std::string path;            ///< symbolic links resolved
  std::optional<mode_t> mode;  ///< of the file that is there
};

Target target_of(const std::string& path) {
  if (path == "-" || path == "/dev/stdout") return {Target::Kind::standard_output, path, {}};
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    if (errno != ENOENT) fail(path, errno);
    if (std::filesystem::path(path).filename().empty()) fail(path, "not a file name");
    return {Target::Kind::file, path, {}};
  }
  if (S_ISDIR(status.st_mode)) fail(path, EISDIR);
  if (access(path.c_str(), W_OK) != 0) fail(path, errno);
  const bool replaceable =
      S_ISREG(status.st_mode) && !path.starts_with("/dev/") && !path.starts_with("/proc/");
  if (!replaceable) return {Target::Kind::stream, path, {}};
  return {Target::Kind::file, std::filesystem::canonical(path).string(), status.st_mode & 07777};
}

/// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int number() const { return number_; }
  bool write_all(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = write(number_, text.data(), text.size());
      if (written < 0 && errno != EINTR) return false;
      if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }

 private:
  int number_;
};

/// A new file beside the target, removed again unless it was renamed to it.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& target)
      : folder_(std::filesystem::path(target).parent_path().string()),
        path_(fmt::format("{}{}.halfulp-{}.tmp", folder_, folder_.empty() ? "" : "/", getpid())),
        file_(open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) {
    if (file_.number() < 0) fail(target, errno);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!path_.empty()) unlink(path_.c_str());
  }

  void write_and_rename(const Target& target, std::string_view text) {
    const int file = file_.number();
    const bool written = (!target.mode || fchmod(file, *target.mode) == 0) &&
                         file_.write_all(text) && fsync(file) == 0 &&
                         rename(path_.c_str(), target.path.c_str()) == 0;
    if (!written) fail(target.path, errno);
    path_.clear();
    const Descriptor folder(open(folder_.empty() ? "." : folder_.c_str(), O_RDONLY | O_CLOEXEC));
    if (folder.number() >= 0) fsync(folder.number());
  }

 private:
  std::string folder_;
  std::string path_;
  Descriptor file_;
};

}  // namespace

void check_writable(const std::string& path) {
  const Target target = target_of(path);
  if (target.kind == Target::Kind::file) TemporaryFile{target.path};
}

void write_atomically(const std::string& path, const std::string& text) {
  const Target target = target_of(path);
  switch (target.kind) {
    case Target::Kind::standard_output:
      if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
          std::fflush(stdout) != 0) {
        fail(path, errno);
      }
      return;
    case Target::Kind::stream: {
      const Descriptor stream(open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
      if (stream.number() < 0 || !stream.write_all(text)) fail(path, errno);
      return;
    }
    case Target::Kind::file:
      TemporaryFile(target.path).write_and_rename(target, text);
      return;
  }
}

}  // namespace halfulp
