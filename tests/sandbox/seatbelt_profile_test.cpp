#include "troupe/sandbox/seatbelt_profile.hpp"

#include "support/catch.hpp"

#include "troupe/config/errc.hpp"

using namespace troupe;

namespace {

path_grant grant(const std::string& path,
                 file_access access = file_access::read_write) {
  auto result = path_grant{};
  result.name = "root";
  result.path = path;
  result.access = access;
  return result;
}

std::string profile_of(const std::string& path,
                       const sandbox_settings& policy = {}) {
  auto made = seatbelt_profile(policy, {grant(path)});
  REQUIRE(made);
  return *made;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

// Parentheses outside of strings open and close; strings end.
bool is_balanced(const std::string& text) {
  auto depth = 0;
  auto in_string = false;
  for (size_t i = 0; i < text.size() && depth >= 0; ++i) {
    if (in_string && text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      in_string = !in_string;
    else if (!in_string)
      depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
  }
  return depth == 0 && !in_string;
}

} // namespace

TEST_CASE("a profile denies all but what it names", "[seatbelt]") {
  auto text = profile_of("/w");
  CHECK(text.starts_with("(version 1)\n(deny default)\n"));
  CHECK(text.ends_with("(allow file-read* (subpath \"/w\"))\n"
                       "(allow file-write* (subpath \"/w\"))\n"));
  CHECK_FALSE(has(text, "network"));
  CHECK_FALSE(has(text, "(allow file-read*)\n"));
  CHECK_FALSE(has(text, "(allow default)"));
  CHECK(is_balanced(text));
}

TEST_CASE("a profile keeps a path what it is: one string", "[seatbelt]") {
  for (const auto& [path, quoted] : std::map<std::string, std::string>{
         {"/a b", R"("/a b")"},
         {"/a\"b", R"("/a\"b")"},
         {"/a\")) (allow default) (\"", R"x("/a\")) (allow default) (\"")x"},
         {"/a\\", R"("/a\\")"},
         {"/a\\\"b", R"("/a\\\"b")"},
         {"/(x)", R"x("/(x)")x"},
         {"/;x#|", R"("/;x#|")"},
         {"/é", R"("/é")"}}) {
    auto text = profile_of(path);
    CHECK(has(text, "(allow file-write* (subpath " + quoted + "))\n"));
    CHECK(is_balanced(text));
  }
}

TEST_CASE("a profile takes no path with a control character", "[seatbelt]") {
  for (const auto& path : {std::string{"/a\nb"}, std::string{"/a\0b", 4},
                           std::string{"/a\x7f"}, std::string{"relative"}}) {
    auto made = seatbelt_profile({}, {grant(path)});
    REQUIRE_FALSE(made);
    CHECK(to_fault(made.error()).kind == errc::policy);
  }
}

TEST_CASE("a profile lets the inner of two paths have the last word",
          "[seatbelt]") {
  auto made = seatbelt_profile({}, {grant("/w"),
                                    grant("/w/src", file_access::read_only)});
  REQUIRE(made);
  CHECK(made->find("(deny file-write* (subpath \"/w/src\"))")
        > made->find("(allow file-write* (subpath \"/w\"))"));
  CHECK(has(*made, "(deny file-write* (subpath \"/w/src\"))"));
}

TEST_CASE("a profile opens what the policy opens", "[seatbelt]") {
  auto policy = sandbox_settings{};
  policy.network.mode = "inherit";
  policy.root_filesystem = "read_only";
  auto text = profile_of("/w", policy);
  CHECK(has(text, "(allow network*)\n"));
  CHECK(has(text, "(allow file-read*)\n"));
  CHECK_FALSE(has(text, "file-write*)\n"));
  policy.root_filesystem = "read_write";
  CHECK(has(profile_of("/w", policy), "(allow file-read* file-write*)\n"));
  policy.network.mode = "allowlist";
  CHECK_FALSE(seatbelt_profile(policy, {}));
}

TEST_CASE("Seatbelt is refused where it is not", "[seatbelt]") {
  auto failed = to_fault(check_seatbelt());
  CHECK(failed.kind == errc::sandbox);
  CHECK(failed.message.find("macOS") != failed.message.npos);
}
