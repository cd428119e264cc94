#include "support/catch.hpp"

#include "contract/agents_place.hpp"

using namespace troupe;
using test::says;
using test::troupe_of;

TEST_CASE("what is wrong with an assembly is said before anything runs",
          "[contract]") {
  auto x = troupe_of{{{"a", says("a")}}};
  auto fails_with = [&](const std::string& text, const std::string& part) {
    x.write("f.yaml", text);
    auto done = x.run({"run", "f.yaml", "Q"});
    CHECK(done.code == 2);
    INFO(done.err);
    CHECK(done.err.find(part) != std::string::npos);
  };
  fails_with("graph: g\nnodes: {a: a.yaml, b: b.yaml}\nstart: a\nfinish: a\n",
             "nodes.b: ");
  fails_with("graph: g\nnodes: {a: a.yaml}\nstart: x\nfinish: a\n",
             "there is no node \"x\"");
  fails_with("workflow: w\nsteps: [{invoke: f.yaml}]\n", "contains itself");
  fails_with("workflow: w\nsteps: [{invoke: nobody}]\n",
             "there is no agent \"nobody\"");
  fails_with("workflow: w\nsteps: [{invoke: a.yaml, timout: 1s}]\n",
             "did you mean `timeout`?");
  fails_with("swarm: s\nmembers: {a: a.yaml}\nstart: a\nhandoffs: {a: [b]}\n",
             "there is no member \"b\"");
  fails_with("workflow: w\nsteps: [{invoke: a.yaml, retries: 1}]\n",
             "retry_on");
  fails_with("workflow: w\nsteps:\n  - parallel: [{invoke: a.yaml}, {invoke: "
             "a.yaml}]\n",
             "f.yaml:3:34)");
  CHECK(x.run({"runs", "list"}).out.empty());
}

TEST_CASE("faults of form and of meaning come together", "[contract]") {
  auto x = troupe_of{{{"a", says("a")}, {"z", says("z")}}};
  x.write("inner.yaml", "swarm: s\nmembers: {a: a.yaml}\nstart: a\n"
                        "handoffs: {a: [zz]}\n");
  x.write("f.yaml", R"(
graph: g
nodes:
  a: {agent: a.yaml, histroy: true}
  b: none.yaml
  c: {agent: inner.yaml, input: "{{nope}}"}
  z: nobody
start: a
edges:
  - {from: a, to: b}
  - {from: a, to: c}
  - {from: b, to: z, when: {node: c, equals: x}}
  - {from: c, to: z}
  - {to: z}
finish: z
)");
  auto all = std::vector<std::string>{"nodes.a.histroy: unknown key",
                                      "none.yaml`: no such file",
                                      "nodes.c.input: it names \"nope\"",
                                      "f.yaml:6:33)",
                                      "edges[4].from: missing",
                                      "handoffs.a: there is no member \"zz\"",
                                      "inner.yaml:4:15)"};
  auto has_all = [&](const test::program_result& done) {
    INFO(done.err);
    CHECK(done.code == 2);
    CHECK(done.out.empty());
    for (const auto& part : all)
      CHECK(done.err.find(part) != std::string::npos);
    CHECK(done.err.find("names nobody") == std::string::npos);
    CHECK(done.err.find("edges[4].from: names") == std::string::npos);
  };
  has_all(x.run({"graph", "f.yaml"}));
  all.push_back("nodes.z: there is no agent \"nobody\"");
  has_all(x.run({"run", "f.yaml", "Q"}));
  has_all(x.run({"config", "check", "f.yaml"}));
}

TEST_CASE("a file of an agent or assembly is checked without a run",
          "[contract]") {
  auto x = troupe_of{{{"a", says("a")}}};
  x.write("f.yaml", "workflow: w\nsteps: [{invoke: a.yaml}]\n");
  auto done = x.run({"config", "check", "f.yaml"});
  CHECK(done.code == 0);
  CHECK(done.out == "f.yaml is valid\n");
  CHECK(x.run({"config", "check", "a.yaml"}).code == 0);
  x.write("a.yaml", "agent: a\nmodel: cassette:a.model.yaml\ntools: [nope]\n");
  done = x.run({"config", "check", "f.yaml"});
  CHECK(done.code == 2);
  CHECK(done.err.find("a.yaml:3:9)") != std::string::npos);
  CHECK(x.run({"runs", "list"}).out.empty());
}

TEST_CASE("ways that come together with different inputs fail", "[contract]") {
  auto x = troupe_of{{{"a", says("a")},
                      {"b", says("x")},
                      {"c", says("x")},
                      {"z", says("{{input}}")}}};
  auto flow = std::string{R"(
graph: g
nodes: {a: a.yaml, b: b.yaml, c: c.yaml, z: z.yaml}
start: a
edges:
  - {from: a, to: b}
  - {from: a, to: c}
  - {from: b, to: z, input: one, when: {node: b, equals: x}}
  - {from: b, to: z, input: one}
  - {from: c, to: z, input: two, when: {node: c, equals: x}}
  - {from: c, to: z, input: one}
finish: z
)"};
  x.write("flow.yaml", flow);
  auto run = x.run_json("flow.yaml");
  CHECK(run["status"] == "failed");
  CHECK(run["error"]["kind"] == "routing");
  x.write("c.model.yaml", "cassette: 1\nexchanges:\n" + says("other"));
  run = x.run_json("flow.yaml");
  CHECK(run["response"] == "one");
}

TEST_CASE("a failure that two edges are for is an error of routing",
          "[contract]") {
  auto x = troupe_of{
    {{"a", "  - error: {kind: auth, status: 401}\n"}, {"z", says("z")}}};
  x.write("flow.yaml", R"(
graph: g
nodes: {a: a.yaml, z: z.yaml}
start: a
edges:
  - {from: a, to: z}
  - {from: a, to: z, on_error: [provider]}
  - {from: a, to: z, on_error: [auth]}
finish: z
)");
  auto run = x.run_json("flow.yaml");
  CHECK(run["status"] == "failed");
  CHECK(run["error"]["kind"] == "routing");
}

TEST_CASE("assemblies of the configuration that contain each other are one "
          "fault",
          "[contract]") {
  auto x = troupe_of{{{"a", says("a")}}};
  x.write("troupe.yaml", "version: 1\nagents: {g1: g1.yaml, g2: g2.yaml}\n");
  x.write("g1.yaml", "workflow: g1\nsteps: [{invoke: g2}]\n");
  x.write("g2.yaml", "workflow: g2\nsteps: [{invoke: g1}]\n");
  auto done = x.run({"config", "check"});
  CHECK(done.code == 2);
  CHECK(done.err.find("\"g1\" contains itself") != std::string::npos);
  CHECK(done.err.find("there is no agent") == std::string::npos);
}
