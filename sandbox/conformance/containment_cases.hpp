#pragma once

#include "troupe/sandbox/conformance/support.hpp"

#include <stdlib.h>

#include <fstream>

#include <unistd.h>

namespace troupe::backend_conformance::containment_cases {

/// A file of this host that nobody was given.
class host_secret {
public:
  host_secret() {
    auto fd = ::mkstemp(path_.data());
    expect(fd >= 0, "this host has a writable /var/tmp");
    ::close(fd);
    std::ofstream{path_} << "secret of the host\n";
  }

  host_secret(const host_secret&) = delete;
  host_secret& operator=(const host_secret&) = delete;

  ~host_secret() {
    ::unlink(path_.c_str());
  }

  const std::string& path() const {
    return path_;
  }

private:
  std::string path_ = "/var/tmp/troupe-secret-XXXXXX";
};

inline void hides_files_of_the_host(const backend_factory& make) {
  auto secret = host_secret{};
  auto on = open(make);
  auto result = run(on, "cat " + secret.path() + " /proc/1/root" + secret.path()
                          + " || echo hidden");
  expect_text(result.stdout_text, "hidden\n");
  auto linked = run(on, "ln -s " + secret.path() + " link; cat link");
  expect(linked.stdout_text.empty(), "a link shows nothing either");
  expect_refusal(on.files->read({"link", 1, 0}), "reading through a link");
}

inline void has_no_network(const backend_factory& make) {
  auto on = open(make);
  auto result = run(on, "while read -r line; do case $line in *:*) echo "
                        "${line%%:*};; esac; done < /proc/net/dev");
  expect_text(result.stdout_text, "lo\n");
}

inline void writes_nothing_that_is_read_only(const backend_factory& make) {
  auto policy = sandbox_settings{};
  policy.files["source"] = file_access::read_only;
  auto on = open(make, policy);
  auto result = run(on, "cd \"$TROUPE_WORKSPACE_SOURCE\" || exit 9;"
                        "echo x > x || echo refused; cd ..;"
                        "mv src other || echo kept");
  expect_text(result.stdout_text, "refused\nkept\n");
  expect_refusal(on.files->read({"src/x", 1, 0}), "what was not written");
}

inline void gives_no_privileges(const backend_factory& make) {
  auto on = open(make);
  auto result = run(on, "grep -E '^(CapEff|NoNewPrivs)' /proc/self/status | "
                        "tr -d '\\t'");
  expect_text(result.stdout_text, "CapEff:0000000000000000\nNoNewPrivs:1\n");
}

inline backend_cases all() {
  return {
    {"containment", "hides the files of the host", hides_files_of_the_host,
     is_contained},
    {"containment", "has no network", has_no_network, is_contained},
    {"containment", "lets no command write what is read-only",
     writes_nothing_that_is_read_only, shows_named_paths},
    {"containment", "gives commands no privileges", gives_no_privileges,
     is_contained},
  };
}

} // namespace troupe::backend_conformance::containment_cases
