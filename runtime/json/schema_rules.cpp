#include "troupe/runtime/json/detail/schema_rules.hpp"

#include "troupe/runtime/json/json_text.hpp"

#include <re2/re2.h>
#include <valijson/validator.hpp>

#include <cmath>
#include <new>
#include <set>
#include <utility>

namespace troupe::detail {

namespace {

using nlohmann::json;
using valijson::ValidationResults;
using valijson::adapters::Adapter;
using path = std::vector<std::string>;

/// The parts of valijson's extension interface that are the same for all.
template <class Derived>
class rule : public valijson::constraints::PolyConstraint {
  friend Derived;
  rule() = default;

  valijson::constraints::Constraint* cloneInto(void* where) const override {
    return new (where) Derived(static_cast<const Derived&>(*this));
  }

  size_t sizeOf() const override {
    return sizeof(Derived);
  }
};

template <class F>
class builder : public valijson::ConstraintBuilder {
public:
  explicit builder(F f) : f_(std::move(f)) {
    // nop
  }

  valijson::constraints::Constraint* make(const Adapter& x) const override {
    return f_(x).release();
  }

private:
  F f_;
};

bool report(ValidationResults* results, const path& where,
            const std::string& message) {
  if (results != nullptr)
    results->pushError(where, message);
  return false;
}

std::string number_text(double x) {
  // 1 and 1.0 are the same number.
  if (x == std::trunc(x) && std::abs(x) < 9.0e15)
    return std::to_string(static_cast<int64_t>(x));
  return json(x).dump();
}

// One text for equal values; valijson's own comparison is quadratic.
std::string text_of(const Adapter& x) {
  if (x.isString())
    return dump_json(x.getString());
  if (x.isBool())
    return x.getBool() ? "true" : "false";
  if (x.isInteger())
    return std::to_string(x.getInteger());
  if (x.isDouble())
    return number_text(x.getDouble());
  auto result = std::string{};
  auto separate = [&] { result += result.size() > 1 ? "," : ""; };
  if (x.isArray()) {
    result += '[';
    x.applyToArray([&](const Adapter& item) {
      separate();
      result += text_of(item);
      return true;
    });
    return result + ']';
  }
  if (x.isObject()) {
    result += '{';
    x.applyToObject([&](const std::string& name, const Adapter& item) {
      separate();
      result += dump_json(name) + ":" + text_of(item);
      return true;
    });
    return result + '}';
  }
  return "null";
}

json value_of(const Adapter& x) {
  return json::parse(text_of(x));
}

std::string type_of(const Adapter& x) {
  if (x.isInteger() || x.isDouble())
    return "number";
  return std::string{json_type_name(value_of(x))};
}

std::string quoted_list(const std::vector<std::string>& items) {
  auto result = std::string{};
  for (const auto& item : items)
    result += (result.empty() ? "" : ", ") + item;
  return excerpt(result, 300);
}

class type_rule : public rule<type_rule> {
public:
  explicit type_rule(const json& names) {
    for (const auto& name : names)
      names_.push_back(name.get<std::string>());
  }

  bool validate(const Adapter& x, const path& where,
                ValidationResults* results) const override {
    for (const auto& name : names_)
      if (matches(name, x))
        return true;
    if (results == nullptr)
      return false;
    if (names_.empty())
      return report(results, where, "nothing is allowed here");
    auto wanted = std::string{};
    for (const auto& name : names_)
      wanted += (wanted.empty() ? "" : " or ") + name;
    auto got = x.isDouble() ? number_text(x.getDouble()) : type_of(x);
    return report(results, where, "expected " + wanted + ", got " + got);
  }

private:
  static bool matches(const std::string& name, const Adapter& x) {
    if (name == "integer")
      return x.isInteger()
             || (x.isDouble() && x.getDouble() == std::trunc(x.getDouble()));
    if (name == "null")
      return x.isNull();
    if (name == "boolean")
      return x.isBool();
    if (name == "number")
      return x.isNumber();
    if (name == "string")
      return x.isString();
    return name == "array" ? x.isArray() : x.isObject();
  }

  std::vector<std::string> names_;
};

class enum_rule : public rule<enum_rule> {
public:
  explicit enum_rule(const json& values) {
    auto texts = std::vector<std::string>{};
    for (const auto& value : values)
      texts.push_back(text_of(valijson::adapters::NlohmannJsonAdapter{value}));
    shown_ = quoted_list(texts);
    allowed_.insert(texts.begin(), texts.end());
  }

  bool validate(const Adapter& x, const path& where,
                ValidationResults* results) const override {
    auto text = text_of(x);
    if (allowed_.count(text) > 0)
      return true;
    auto wanted = allowed_.size() == 1 ? "expected " : "expected one of ";
    return report(results, where,
                  wanted + shown_ + ", got " + excerpt(text, 60));
  }

private:
  std::set<std::string> allowed_;
  std::string shown_;
};

using shared_pattern = std::shared_ptr<const re2::RE2>;

shared_pattern compile_pattern(const std::string& text) {
  auto options = re2::RE2::Options{};
  options.set_log_errors(false);
  auto result = std::make_shared<const re2::RE2>(text, options);
  if (!result->ok())
    throw std::runtime_error("the pattern " + excerpt(dump_json(text), 60)
                             + " is not valid: " + result->error());
  return result;
}

class pattern_rule : public rule<pattern_rule> {
public:
  explicit pattern_rule(const json& text)
    : pattern_(compile_pattern(text.get<std::string>())) {
    // nop
  }

  bool validate(const Adapter& x, const path& where,
                ValidationResults* results) const override {
    if (!x.isString() || re2::RE2::PartialMatch(x.getString(), *pattern_))
      return true;
    return report(results, where,
                  "expected a text that matches the pattern "
                    + excerpt(pattern_->pattern(), 200));
  }

private:
  shared_pattern pattern_;
};

class length_rule : public rule<length_rule> {
public:
  explicit length_rule(const json& bounds)
    : min_(bounds.value("min", uint64_t{0})),
      max_(bounds.value("max", UINT64_MAX)) {
    // nop
  }

  bool validate(const Adapter& x, const path& where,
                ValidationResults* results) const override {
    if (!x.isString())
      return true;
    auto length = count_code_points(x.getString());
    if (length >= min_ && length <= max_)
      return true;
    auto [word, bound] = length < min_ ? std::pair{"at least ", min_}
                                       : std::pair{"at most ", max_};
    return report(results, where,
                  "expected " + (word + std::to_string(bound))
                    + " characters, got " + std::to_string(length));
  }

private:
  uint64_t min_;
  uint64_t max_;
};

class multiple_rule : public rule<multiple_rule> {
public:
  explicit multiple_rule(const json& divisor)
    : divisor_(divisor.get<double>()) {
    // nop
  }

  bool validate(const Adapter& x, const path& where,
                ValidationResults* results) const override {
    if (!x.isNumber())
      return true;
    // Relative, so that 0.3 is a multiple of 0.1.
    auto quotient = x.asDouble() / divisor_;
    auto error = std::abs(quotient - std::round(quotient));
    if (error <= 1e-9 * std::max(1.0, std::abs(quotient)))
      return true;
    return report(results, where,
                  "expected a multiple of " + number_text(divisor_));
  }

private:
  double divisor_;
};

class unique_rule : public rule<unique_rule> {
public:
  bool validate(const Adapter& x, const path& where,
                ValidationResults* results) const override {
    if (!x.isArray())
      return true;
    auto seen = std::set<std::string>{};
    auto twice = std::string{};
    auto unique = x.applyToArray([&](const Adapter& item) {
      auto [i, is_new] = seen.insert(text_of(item));
      if (!is_new)
        twice = *i;
      return is_new;
    });
    return unique
           || report(results, where,
                     "expected items without duplicates, got "
                       + excerpt(twice, 60) + " twice");
  }
};

class closed_rule : public rule<closed_rule> {
public:
  explicit closed_rule(const json& names) {
    auto texts = std::vector<std::string>{};
    for (const auto& name : names) {
      known_.insert(name.get<std::string>());
      texts.push_back(name.get<std::string>());
    }
    hint_ = texts.empty() ? " (none is allowed)"
                          : " (allowed: " + quoted_list(texts) + ")";
  }

  bool validate(const Adapter& x, const path& where,
                ValidationResults* results) const override {
    if (!x.isObject())
      return true;
    auto reported = size_t{0};
    x.applyToObject([&](const std::string& name, const Adapter&) {
      if (known_.count(name) > 0)
        return true;
      report(results, where,
             "unexpected property '" + excerpt(name, 60) + "'" + hint_);
      return ++reported < max_reported && results != nullptr;
    });
    return reported == 0;
  }

private:
  static constexpr size_t max_reported = 10;

  std::set<std::string> known_;
  std::string hint_;
};

/// `patternProperties`, and `additionalProperties` beside it.
class patterns_rule : public rule<patterns_rule> {
public:
  patterns_rule(const json& spec, rule_state& state) : state_(&state) {
    for (const auto& name : spec["known"])
      known_.insert(name.get<std::string>());
    for (const auto& item : spec["patterns"])
      patterns_.push_back(
        {compile_pattern(item[0].get<std::string>()), item[1].get<size_t>()});
    is_closed_ = spec.value("closed", false);
    if (spec.contains("rest"))
      rest_ = spec["rest"].get<size_t>();
  }

  bool validate(const Adapter& x, const path& where,
                ValidationResults* results) const override {
    if (!x.isObject())
      return true;
    auto valid = true;
    x.applyToObject([&](const std::string& name, const Adapter& item) {
      valid = check_member(name, item, where, results) && valid;
      return valid || results != nullptr;
    });
    return valid;
  }

private:
  struct entry {
    shared_pattern pattern;
    size_t schema;
  };

  bool check_member(const std::string& name, const Adapter& item,
                    const path& where, ValidationResults* results) const {
    auto matched = known_.count(name) > 0;
    auto valid = true;
    for (const auto& [pattern, schema] : patterns_) {
      if (!re2::RE2::PartialMatch(name, *pattern))
        continue;
      matched = true;
      valid = apply(schema, name, item, where, results) && valid;
    }
    if (matched)
      return valid;
    if (is_closed_)
      return report(results, where,
                    "unexpected property '" + excerpt(name, 60) + "'");
    return !rest_ || apply(*rest_, name, item, where, results);
  }

  bool apply(size_t schema, const std::string& name, const Adapter& item,
             path where, ValidationResults* results) const {
    using json_adapter = valijson::adapters::NlohmannJsonAdapter;
    auto* target = dynamic_cast<const json_adapter*>(&item);
    if (target == nullptr)
      return true; // a property name has no properties
    auto found = ValidationResults{};
    auto validator = valijson::Validator{};
    auto valid = validator.validate(*state_->entries[schema], *target,
                                    results != nullptr ? &found : nullptr);
    if (valid || results == nullptr)
      return valid;
    where.push_back("[" + name + "]");
    for (const auto& error : found) {
      auto full = where;
      full.insert(full.end(), error.context.begin() + 1, error.context.end());
      results->pushError(full, error.description);
    }
    return false;
  }

  rule_state* state_;
  std::set<std::string> known_;
  std::vector<entry> patterns_;
  bool is_closed_ = false;
  std::optional<size_t> rest_;
};

/// Part of every schema: ends a check that costs too much or found enough.
class step_rule : public rule<step_rule> {
public:
  explicit step_rule(rule_state& state) : state_(&state) {
    // nop
  }

  bool validate(const Adapter&, const path&,
                ValidationResults* results) const override {
    if (state_->steps_left == 0)
      throw check_stopped("it takes too long to check");
    --state_->steps_left;
    if (results != nullptr && results->numErrors() > state_->limit)
      throw check_stopped("");
    return true;
  }

private:
  rule_state* state_;
};

template <class F>
void add(valijson::SchemaParser& parser, const char* keyword, F make) {
  // The parser takes ownership.
  parser.addConstraintBuilder(keyword, new builder<F>(std::move(make)));
}

template <class Rule>
void add_simple(valijson::SchemaParser& parser, const char* keyword) {
  add(parser, keyword,
      [](const Adapter& x) { return std::make_unique<Rule>(value_of(x)); });
}

} // namespace

void add_rules(valijson::SchemaParser& parser, rule_state& state) {
  add_simple<type_rule>(parser, type_keyword);
  add_simple<enum_rule>(parser, enum_keyword);
  add_simple<pattern_rule>(parser, pattern_keyword);
  add_simple<length_rule>(parser, length_keyword);
  add_simple<multiple_rule>(parser, multiple_keyword);
  add_simple<closed_rule>(parser, closed_keyword);
  add(parser, unique_keyword,
      [](const Adapter&) { return std::make_unique<unique_rule>(); });
  add(parser, patterns_keyword, [&state](const Adapter& x) {
    return std::make_unique<patterns_rule>(value_of(x), state);
  });
  add(parser, step_keyword,
      [&state](const Adapter&) { return std::make_unique<step_rule>(state); });
}

} // namespace troupe::detail
