#include "rules/coroutine_rules.hpp"

#include "support/catch.hpp"

using namespace troupe::test;

namespace {

std::size_t faults(std::string_view source) {
  auto text = read_code(source);
  return check_awaits(text.code).size()
         + check_coroutine_functions(text.code).size();
}

} // namespace

TEST_CASE("the awaits that every compiler gets right are allowed", "[rules]") {
  auto statement = GENERATE(
    "co_await f();", //
    "auto x = co_await f(a, b[1], std::move(c));",
    "const auto x = co_await f();", //
    "caf::expected<int> x = co_await f();",
    "[[maybe_unused]] auto x = co_await f();", //
    "x.y[2] = co_await f();",                  //
    "self->state.value = co_await co::as_expected(f<a, b>(x));",
    "co_return co_await f();",      //
    "if (a && b)\n  co_await f();", //
    "if (a) { co_await f(); } else co_await g();",
    "for (auto i = 0; i < 3; ++i)\n  x = co_await f(i);",
    "while (auto n = next(x)) { auto y = co_await f(n); }",
    "switch (x) { case a::b: co_await f(); break; default: co_await g(); }",
    "try { co_await f(); } catch (const failure& x) { seen = true; }",
    "auto m = msg{a, b}; co_await f(std::move(m));",
    "auto ok = co_await f(); if (ok || other) g();",
    "#define LATER if (co_await f()) g();\n", //
    "auto operator co_await() { return awaiter{*this}; }",
    "// if (co_await f())\n co_await f(); /* co_await g({}) */",
    "log(\"co_await f({})\"); log(R\"x(if (co_await \")\" y)x\");",
    "auto n = 1'000'000; co_await f('{', '\\'', u8'{');");
  INFO(statement);
  CHECK(faults(statement) == 0);
}

TEST_CASE("an await that g++ 12 miscompiles is refused", "[rules]") {
  auto statement = GENERATE("if (co_await f()) g();", //
                            "if (auto x = co_await f(); x) g();",
                            "while (co_await f()) {}",       //
                            "while (!co_await f())\n  g();", //
                            "switch (co_await f()) {}",      //
                            "for (auto& x : co_await f()) g(x);",
                            "do { g(); } while (co_await f());", //
                            "co_await f({a, b});",               //
                            "co_await f(msg{a, b});",            //
                            "auto x = two{s, co_await f()};",    //
                            "auto x = g(co_await f());",         //
                            "auto x = co_await f() + co_await g();",
                            "co_return b ? co_await f() : g();", //
                            "co_return b && co_await f();",      //
                            "x = b || co_await f();",            //
                            "co_await f([x] { return x; });",    //
                            "co_await f(a, [&](int y) { g(y); });",
                            "auto [a, b] = co_await f();",        //
                            "const auto& [a, b] = co_await f();", //
                            "x += (co_await f());",               //
                            "return g(co_await f());",            //
                            "auto x{co_await f()};",              //
                            "co_return {co_await f()};",          //
                            "co_return !co_await f();");
  INFO(statement);
  CHECK(faults(statement) > 0);
}

TEST_CASE("a lambda that is a coroutine is refused", "[rules]") {
  auto lambda = GENERATE(
    "auto f = [x]() -> co::task<void> { co_await g(); };",
    "auto f = [] { co_return 1; };", //
    "return [self](auto x) mutable noexcept { co_await g(x); };",
    "serve(self, [&x](int y) -> task<int> { if (y) { co_return x; } });",
    "auto f = []<class T>(T x) { co_yield x; };");
  INFO(lambda);
  CHECK(faults(lambda) == 1);
}

TEST_CASE("what looks like a lambda or a coroutine is left alone", "[rules]") {
  auto source = GENERATE(
    "co::task<int> f(int x) { auto g = [x] { return x; }; co_return g(); }",
    "task<> f() { auto [a, b] = pair; co_await g(a); }",
    "task<> f() { auto& [a, b] = self->state; co_await g(a); }",
    "task<> f() { x[1] = {}; co_await g(a[0]); delete[] p; co_return; }",
    "class [[nodiscard]] x { task<> f() { co_return; } };",
    "[[nodiscard]] task<int> f(std::string x) { co_return 1; }");
  INFO(source);
  CHECK(faults(source) == 0);
}

TEST_CASE("a coroutine with a reference parameter is refused", "[rules]") {
  auto source
    = GENERATE("co::task<int> f(const std::string& x);", //
               "task<void> f(int a, std::vector<int>&& b) { co_return; }",
               "co::task<std::vector<int>> fetch::run(a x, b& y);",
               "template <class T>\nco::task<T>\nf(T& x);");
  INFO(source);
  CHECK(faults(source) == 1);
}

TEST_CASE("a coroutine with value and pointer parameters passes", "[rules]") {
  auto source
    = GENERATE("co::task<int> f(std::string x, session* self);",
               "co::task<void> f(std::function<void(const chunk&)> on_chunk);",
               "co::task<void> f(std::vector<const x*> y);",
               "task(task&& other) noexcept;", //
               "std::vector<co::task<int>> all(const list& x);",
               "using handler = std::function<co::task<int>(const int&)>;",
               "void serve(const co::task<int>& x);");
  INFO(source);
  CHECK(faults(source) == 0);
}
