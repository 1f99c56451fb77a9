#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/error.h"
#include "harness/report.h"

namespace halfulp {
namespace {

namespace fs = std::filesystem;

/// A folder that is removed again.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "halfulp-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(path_), fs::directory_iterator());
  }

 private:
  fs::path path_;
};

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("a file is written whole and nothing is left beside it") {
  const Folder folder;
  check_writable(folder / "a.json");
  CHECK(folder.entries() == 0);
  write_atomically(folder / "a.json", "one");
  CHECK(content(folder / "a.json") == "one");
  check_writable(folder / "a.json");
  CHECK(content(folder / "a.json") == "one");
  write_atomically(folder / "a.json", "two");
  CHECK(content(folder / "a.json") == "two");
  CHECK(folder.entries() == 1);
}

TEST_CASE("an existing file keeps its mode, and a link keeps its target") {
  const Folder folder;
  write_atomically(folder / "a.json", "one");
  REQUIRE(chmod((folder / "a.json").c_str(), 0640) == 0);
  fs::create_symlink("a.json", folder / "link");
  write_atomically(folder / "link", "two");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(content(folder / "a.json") == "two");
  struct stat status {};
  REQUIRE(stat((folder / "a.json").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0640);
}

TEST_CASE("what cannot be written is refused beforehand, with the path") {
  const Folder folder;
  for (const std::string& path : {folder / "", folder / "missing/a.json", folder / "name/",
                                  folder / std::string(300, 'x'), std::string()}) {
    CAPTURE(path);
    CHECK_THROWS_AS(check_writable(path), UsageError);
    CHECK_THROWS_AS(write_atomically(path, "x"), UsageError);
  }
  write_atomically(folder / "file", "x");
  CHECK_THROWS_AS(check_writable(folder / "file/a.json"), UsageError);
  CHECK(folder.entries() == 1);

  fs::create_directory(folder / "closed");
  fs::permissions(folder / "closed", fs::perms::owner_read | fs::perms::owner_exec);
  if (geteuid() != 0) {  // the superuser may write anywhere
    CHECK_THROWS_AS(check_writable(folder / "closed/a.json"), UsageError);
  }
}

TEST_CASE("devices are written to, not replaced") {
  check_writable("/dev/null");
  write_atomically("/dev/null", "x");
  CHECK(fs::is_character_file("/dev/null"));
  check_writable("-");
}

}  // namespace
}  // namespace halfulp
