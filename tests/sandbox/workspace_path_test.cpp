#include "troupe/sandbox/workspace_path.hpp"

#include "support/catch.hpp"

#include "troupe/config/errc.hpp"

using namespace troupe;

namespace {

std::string canonical(std::string_view text) {
  auto path = parse_workspace_path(text);
  return path ? to_string(*path) : "refused";
}

std::string refusal(std::string_view text) {
  auto path = parse_workspace_path(text);
  return path ? "accepted" : to_fault(path.error()).message;
}

} // namespace

TEST_CASE("a workspace path has one canonical spelling", "[workspace_path]") {
  CHECK(canonical("") == ".");
  CHECK(canonical(".") == ".");
  CHECK(canonical("./a//b/./c/") == "a/b/c");
  CHECK(canonical("a/../b") == "b");
  CHECK(canonical("a/b/../../c") == "c");
  CHECK(canonical("workspace://root/a") == "a");
  CHECK(canonical("workspace://source") == "workspace://source");
  CHECK(canonical("workspace://source//x/") == "workspace://source/x");
  CHECK(canonical("..a/...") == "..a/...");
}

TEST_CASE("a workspace path decodes nothing", "[workspace_path]") {
  CHECK(canonical("%2e%2e/a") == "%2e%2e/a");
  CHECK(canonical("..%2fa") == "..%2fa");
  CHECK(canonical("..\\a") == "..\\a");
}

TEST_CASE("an absolute path is refused with a sentence", "[workspace_path]") {
  CHECK(refusal("/etc/passwd")
        == "\"/etc/passwd\" is absolute: paths are relative to the workspace "
           "root");
  CHECK(to_fault(parse_workspace_path("/x").error()).kind == errc::tool);
}

TEST_CASE("dots that leave the workspace are refused", "[workspace_path]") {
  for (const auto* text :
       {"..", "../a", "a/../..", "a/../../b", "./../x", "workspace://x/..",
        "workspace://x/../../y", "workspace://root/../etc"})
    CHECK(refusal(text).ends_with(" leaves the workspace"));
}

TEST_CASE("what names no place in a workspace is refused", "[workspace_path]") {
  CHECK(canonical({"a\0b", 3}) == "refused");
  CHECK(canonical({"workspace://x/a\0b", 17}) == "refused");
  CHECK(canonical("workspace://") == "refused");
  CHECK(canonical("workspace:///x") == "refused");
  CHECK(canonical("workspace://%00/x") == "refused");
  CHECK(canonical("workspace://../x") == "refused");
  CHECK(canonical("WORKSPACE://x") == "refused");
  CHECK(canonical("file:///etc/passwd") == "refused");
  CHECK(canonical("~") == "refused");
  CHECK(canonical("~/.ssh/id") == "refused");
  // What is written back means the same again.
  for (const auto* text : {"./~", ".//~/x", "a/../~"})
    CHECK(canonical(canonical(text)) == canonical(text));
  CHECK(canonical("./~/x") == "./~/x");
}

TEST_CASE("a path that is too long is refused, its sentence is not",
          "[workspace_path]") {
  CHECK(canonical(std::string(256, 'a')) == "refused");
  CHECK(canonical(std::string(255, 'a')) != "refused");
  auto deep = std::string{};
  while (deep.size() <= 4096)
    deep += "abc/";
  CHECK(canonical(deep) == "refused");
  CHECK(canonical("workspace://x/" + deep) == "refused");
  CHECK(refusal(deep).size() < 400);
}
