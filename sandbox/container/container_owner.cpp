#include "troupe/sandbox/container/container_owner.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/container/engine_process.hpp"
#include "troupe/sandbox/owner_record.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <sstream>
#include <utility>

namespace troupe {

namespace {

constexpr auto answer_time = std::chrono::seconds{30};

bool is_id(const std::string& text) {
  return !text.empty() && text.size() <= 128 && text.front() != '-'
         && std::all_of(text.begin(), text.end(), [](char c) {
              return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')
                     || (c >= 'A' && c <= 'Z') || c == '-' || c == '_'
                     || c == '.';
            });
}

/// Looks at one container after the other.
class sweep : public std::enable_shared_from_this<sweep> {
public:
  sweep(boost::asio::io_context& loop, container_engine engine,
        std::function<void(caf::expected<size_t>)> done)
    : loop_(loop),
      engine_(std::move(engine)),
      done_(std::move(done)) {
    // nop
  }

  void start() {
    call({"ps", "--all", "--quiet", "--no-trunc", "--filter",
          "label=troupe.owner"},
         [self = shared_from_this()](auto answer) {
           auto ids = answer ? ids_in(*answer)
                             : caf::expected<std::vector<std::string>>{
                                 std::move(answer.error())};
           if (!ids)
             return self->done_(std::move(ids.error()));
           self->ids_ = std::move(*ids);
           self->next();
         });
  }

private:
  using answered = std::function<void(caf::expected<std::string>)>;

  void call(const std::vector<std::string>& words, answered then) {
    call_engine(loop_, engine_, words, answer_time, std::move(then));
  }

  void next() {
    if (ids_.empty())
      return done_(removed_);
    call({"inspect", "--type", "container", "--format",
          R"({{index .Config.Labels "troupe.owner"}})", ids_.back()},
         [self = shared_from_this()](auto owner) { self->look(owner); });
  }

  // One that cannot be looked at has just been removed by somebody else.
  void look(const caf::expected<std::string>& owner) {
    auto id = std::move(ids_.back());
    ids_.pop_back();
    if (!owner || !is_gone_owner(owner->substr(0, owner->find('\n'))))
      return next();
    call(removal_of(engine_, id), [self = shared_from_this()](auto answer) {
      self->removed_ += answer ? 1 : 0;
      self->next();
    });
  }

  boost::asio::io_context& loop_;
  container_engine engine_;
  std::function<void(caf::expected<size_t>)> done_;
  std::vector<std::string> ids_;
  size_t removed_ = 0;
};

} // namespace

void sweep_containers(boost::asio::io_context& loop,
                      const container_engine& engine,
                      std::function<void(caf::expected<size_t>)> done) {
  if (engine.kind == engine_kind::apple)
    return done(size_t{0});
  std::make_shared<sweep>(loop, engine, std::move(done))->start();
}

caf::expected<std::vector<std::string>> ids_in(const std::string& answer) {
  auto lines = std::istringstream{answer};
  auto line = std::string{};
  auto result = std::vector<std::string>{};
  while (std::getline(lines, line)) {
    if (!is_id(line))
      return make_error(errc::sandbox,
                        "the container engine answers with something that is "
                        "no id of a container");
    result.push_back(line);
  }
  return result;
}

std::vector<std::string> removal_of(const container_engine& engine,
                                    const std::string& id) {
  if (engine.kind == engine_kind::apple)
    return {"delete", "--force", id};
  return {"rm", "--force", "--volumes", id};
}

} // namespace troupe
