#include "troupe/sandbox/scoped_open.hpp"

#include "support/catch.hpp"
#include "support/temp_dir.hpp"

#include "troupe/config/errc.hpp"

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <thread>

using namespace troupe;
namespace fs = std::filesystem;

namespace {

// A directory with a secret beside it.
struct scene {
  test::temp_dir dir;
  unique_fd root;

  scene() {
    dir.write("secret", "SECRET");
    dir.write("root/a/b.txt", "inside");
    root
      = unique_fd{::open((dir.path() / "root").c_str(), O_PATH | O_DIRECTORY)};
  }

  fs::path at(const std::string& name) const {
    return dir.path() / "root" / name;
  }
};

int error_of(const scene& x, resolution how, const std::string& path) {
  struct stat status{};

  errno = 0;
  return open_regular(x.root.get(), how, path, status) ? 0 : errno;
}

std::string first_bytes(int fd) {
  auto buffer = std::string(16, '\0');
  auto count = ::read(fd, buffer.data(), buffer.size());
  return buffer.substr(0, count < 0 ? 0 : static_cast<size_t>(count));
}

resolution any_resolution() {
  auto how = GENERATE(resolution::openat2, resolution::stepwise);
  if (how == resolution::openat2 && probe_resolution() != how)
    WARN("openat2 does not work here: only the fallback is tested");
  return how == resolution::openat2 ? probe_resolution() : how;
}

} // namespace

TEST_CASE("closing a descriptor keeps what failed before", "[scoped_open]") {
  auto x = scene{};
  errno = ENOENT;
  x.root.reset();
  CHECK(errno == ENOENT);
  {
    auto unusable = unique_fd{1 << 20}; // close fails
    errno = EACCES;
  }
  CHECK(errno == EACCES);
}

TEST_CASE("a scoped open finds what lies beneath", "[scoped_open]") {
  auto how = any_resolution();
  auto x = scene{};

  struct stat status{};

  auto file = open_regular(x.root.get(), how, "a/b.txt", status);
  REQUIRE(file);
  CHECK(first_bytes(file.get()) == "inside");
  CHECK(status.st_size == 6);
  CHECK(::fcntl(file.get(), F_GETFD) == FD_CLOEXEC);
  CHECK(open_beneath(x.root.get(), how, "", O_RDONLY | O_DIRECTORY));
  CHECK(open_beneath(x.root.get(), how, "a", O_RDONLY | O_DIRECTORY));
  CHECK(error_of(x, how, "a/missing") == ENOENT);
  CHECK(error_of(x, how, "a/b.txt/c") == ENOTDIR);
  CHECK(error_of(x, how, "a") == EISDIR);
}

TEST_CASE("a scoped open refuses dots that leave", "[scoped_open][attack]") {
  auto how = any_resolution();
  auto x = scene{};
  CHECK(error_of(x, how, "../secret") == EXDEV);
  CHECK(error_of(x, how, "a/../../secret") == EXDEV);
}

TEST_CASE("a scoped open follows no symbolic link", "[scoped_open][attack]") {
  auto how = any_resolution();
  auto x = scene{};
  fs::create_symlink(x.dir.path() / "secret", x.at("absolute"));
  fs::create_symlink("../secret", x.at("relative"));
  fs::create_symlink("a/b.txt", x.at("inner"));
  fs::create_symlink("..", x.at("up"));
  fs::create_symlink("a", x.at("directory"));
  fs::create_symlink("/dev/zero", x.at("zero"));
  for (const auto* path : {"absolute", "relative", "inner", "up/secret",
                           "directory/b.txt", "zero"})
    CHECK(error_of(x, how, path) == ELOOP);
  for (const auto* path : {"up", "directory"}) {
    CHECK_FALSE(open_beneath(x.root.get(), how, path, O_RDONLY | O_DIRECTORY));
    CHECK(errno == ELOOP);
  }
}

TEST_CASE("a scoped open follows no magic link", "[scoped_open][attack]") {
  auto how = any_resolution();
  auto x = scene{};
  fs::create_symlink("/proc/self/root", x.at("magic"));
  CHECK(error_of(x, how, "magic/etc/passwd") == ELOOP);
  auto proc = unique_fd{::open("/proc", O_PATH | O_DIRECTORY)};

  struct stat status{};

  CHECK_FALSE(open_regular(proc.get(), how, "self/root/etc/passwd", status));
  auto own = "thread-self/fd/" + std::to_string(x.root.get());
  CHECK_FALSE(open_beneath(proc.get(), how, own, O_PATH));
}

TEST_CASE("a scoped open refuses a file with a second hard link",
          "[scoped_open][attack]") {
  auto how = any_resolution();
  auto x = scene{};
  fs::create_hard_link(x.dir.path() / "secret", x.at("twin"));
  CHECK(error_of(x, how, "twin") == EMLINK);
}

TEST_CASE("a scoped open does not wait for a FIFO, nor touch a device",
          "[scoped_open][attack]") {
  auto how = any_resolution();
  auto x = scene{};
  REQUIRE(::mkfifo(x.at("fifo").c_str(), 0600) == 0);
  CHECK(error_of(x, how, "fifo") == ENODEV);
  auto dev = unique_fd{::open("/dev", O_PATH | O_DIRECTORY)};

  struct stat status{};

  CHECK_FALSE(open_regular(dev.get(), how, "null", status));
  CHECK(errno == ENODEV);
}

TEST_CASE("swapping a directory for a link never leads outside",
          "[scoped_open][attack]") {
  auto how = any_resolution();
  auto x = scene{};
  x.dir.write("outside/b.txt", "SECRET");
  fs::create_symlink(x.dir.path() / "outside", x.at("link"));
  auto stop = std::atomic<bool>{false};
  auto attacker = std::thread{[&] {
    while (!stop)
      ::renameat2(AT_FDCWD, x.at("a").c_str(), AT_FDCWD, x.at("link").c_str(),
                  RENAME_EXCHANGE);
  }};
  auto inside = 0;
  auto outside = 0;
  // On a busy machine the attacker may have the processor for itself for long.
  for (auto i = 0; i < 3000 || (inside == 0 && i < 1'000'000); ++i) {
    struct stat status{};

    auto file = open_regular(x.root.get(), how, "a/b.txt", status);
    auto text = file ? first_bytes(file.get()) : "";
    inside += text == "inside" ? 1 : 0;
    outside += text == "SECRET" ? 1 : 0;
  }
  stop = true;
  attacker.join();
  CHECK(outside == 0);
  CHECK(inside > 0);
}

TEST_CASE("a directory that is replaced after opening is still the old one",
          "[scoped_open][attack]") {
  auto how = any_resolution();
  auto x = scene{};
  fs::rename(x.at(""), x.dir.path() / "moved");
  fs::create_directory_symlink(x.dir.path(), x.dir.path() / "root");
  CHECK(error_of(x, how, "secret") == ENOENT);
  CHECK(error_of(x, how, "a/b.txt") == 0);
}

TEST_CASE("directories are made beneath, through no link",
          "[scoped_open][attack]") {
  auto x = scene{};
  CHECK(make_directories(x.root.get(), "p/q/r"));
  CHECK(fs::is_directory(x.at("p/q/r")));
  CHECK(make_directories(x.root.get(), "p/q"));
  fs::create_directory_symlink(x.dir.path(), x.at("up"));
  CHECK_FALSE(make_directories(x.root.get(), "up/evil"));
  CHECK(errno == ELOOP);
  CHECK_FALSE(make_directories(x.root.get(), "../evil"));
  CHECK_FALSE(fs::exists(x.dir.path() / "evil"));
}

TEST_CASE("both ways to open say the same about a path", "[scoped_open]") {
  auto x = scene{};
  fs::create_symlink("a", x.at("link"));
  for (const auto* path : {"", "a", "a/b.txt", "a/b.txt/c", "none", "none/x",
                           "link", "link/b.txt", ".."}) {
    CAPTURE(path);
    CHECK(error_of(x, probe_resolution(), path)
          == error_of(x, resolution::stepwise, path));
  }
}
