// Rules on records that decide by several columns: each column alone.
#include "log_diff/hook_table.h"
#include "log_diff/record_roles.h"
#include "log_reader/lines.h"
#include "log_reader/log.h"

#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace detshim {
namespace {

// ------------------------------------------------------------------ was_ended_by_parent()

constexpr std::int64_t worker_pid = 4712;

/// A pool that ended a worker of its own.
struct Pool {
  Process parent, worker;

  Pool() {
    parent.path = "0.1";
    parent.pid = 4711;
    parent.killed = {worker_pid};
    parent.end = End{};
    worker.path = "0.1.2";
    worker.pid = worker_pid;
  }

  bool says_that_worker_was_ended() const {
    Log log;
    log.processes = {parent, worker};
    return was_ended_by_parent(log, log.processes.back());
  }
};

TEST(WasEndedByParent, IsSaidOfAWorkerOfAPool) { EXPECT_TRUE(Pool().says_that_worker_was_ended()); }

TEST(WasEndedByParent, IsSaidOfAGrandchildToo) {
  Pool pool;
  pool.worker.path = "0.1.2.7";
  EXPECT_TRUE(pool.says_that_worker_was_ended());
}

TEST(WasEndedByParent, IsNotSaidOfOneThatNobodyEnded) {
  Pool pool;
  pool.parent.killed = {worker_pid + 1};
  EXPECT_FALSE(pool.says_that_worker_was_ended());
}

TEST(WasEndedByParent, IsNotSaidOfAnotherRanks) {
  Pool pool; // of two machines, where the number represents two processes
  pool.worker.rank = 1;
  EXPECT_FALSE(pool.says_that_worker_was_ended());
}

TEST(WasEndedByParent, IsNotSaidOfOneThatIsNotBelowIt) {
  for (const char* const path : {"0.12", "0.12.3", "0.2", "0.1", "0"}) {
    Pool pool;
    pool.worker.path = path;
    EXPECT_FALSE(pool.says_that_worker_was_ended()) << path;
  }
}

TEST(WasEndedByParent, IsNotSaidOfOneThatCameToItsEnd) {
  Pool pool;
  pool.worker.end = End{};
  EXPECT_FALSE(pool.says_that_worker_was_ended());
}

// ------------------------------------------------------------------ LineSplitter::longest_line

/// The lengths of the lines, and where each begins.
struct Taken {
  std::vector<std::size_t> lengths;
  std::vector<std::uint64_t> begins;

  bool operator==(const Taken&) const = default;
};

Taken lines_of(const std::string& text, std::size_t bytes_at_once) {
  Taken taken;
  LineSplitter splitter;
  for (std::size_t at = 0; at < text.size(); at += bytes_at_once)
    splitter.feed(std::string_view(text).substr(at, bytes_at_once), [&](std::string_view line) {
      taken.lengths.push_back(line.size());
      taken.begins.push_back(splitter.line_start());
    });
  return taken;
}

TEST(LineSplitter, DropsTheRestOfALineThatIsTooLongHoweverItArrives) {
  constexpr std::size_t longest = LineSplitter::longest_line;
  const std::string text = std::string(longest, 'a') + "\n" + std::string(longest + 1, 'b') + "\n" +
                           std::string(3 * longest, 'c') + "\nd\n";
  const Taken expected = {{longest, longest, longest, 1},
                          {0, longest + 1, 2 * longest + 3, 5 * longest + 4}};
  for (const std::size_t bytes_at_once : {text.size(), longest, longest - 1, std::size_t{1000}})
    EXPECT_EQ(lines_of(text, bytes_at_once), expected) << bytes_at_once;
}

// ------------------------------------------------------------------ what a record is, in a
// comparison

Call call_with(const std::string& library, const std::vector<Field>& fields, bool is_digest = false,
               Reason reason = Reason::none, Action action = Action::observe) {
  Call call;
  call.library = library;
  call.function = "f";
  call.fields = fields;
  call.is_digest = is_digest;
  call.reason = reason;
  call.action = action;
  return call;
}

TEST(RecordRoles, SayWhatIsNotKnown) {
  const std::vector<Field> unread = {{"unread", "x"}};
  EXPECT_FALSE(has_unknown_values(call_with("libc", {})));
  EXPECT_TRUE(has_unknown_values(call_with("libc", {}, false, Reason::values_not_written)));
  EXPECT_TRUE(has_unknown_values(call_with("libc", {}, false, Reason::further_files)));
  EXPECT_FALSE(has_unknown_values(call_with("libc", {}, false, Reason::clock_seed)));
  EXPECT_TRUE(has_unknown_values(call_with("libc", unread, true)));
  EXPECT_FALSE(has_unknown_values(call_with("libc", unread)));
  EXPECT_FALSE(has_unknown_values(call_with("libc", {{"digest", "x"}}, true)));
}

TEST(RecordRoles, OfOutputsAreByWhereTheyGo) {
  for (const char* to : {"stdout", "file"}) {
    EXPECT_TRUE(is_of_host(call_with("libc", {{"to", to}}, true))) << to;
    EXPECT_FALSE(is_of_host(call_with("libc", {{"to", to}}))) << to;
    EXPECT_EQ(role_of(call_with("libc", {{"to", to}}, true), "bytes"), Role::result);
  }
  for (const char* to : {"host", "device"}) {
    EXPECT_FALSE(is_of_host(call_with("libc", {{"to", to}}, true))) << to;
    EXPECT_EQ(role_of(call_with("libc", {{"to", to}}, true), "bytes"), Role::input);
  }
  EXPECT_FALSE(is_of_host(call_with("libc", {}, true)));
  const Call output = call_with("libc", {}, true);
  EXPECT_EQ(role_of(output, "launches"), Role::context);
  EXPECT_EQ(role_of(output, "digest"), Role::result);
  EXPECT_EQ(role_of(output, "unread"), Role::result);
  EXPECT_EQ(role_of(output, "in"), Role::input);
  EXPECT_TRUE(has_inputs(call_with("libc", {{"digest", "x"}, {"in", "y"}}, true)));
  EXPECT_FALSE(has_inputs(call_with("libc", {{"digest", "x"}, {"launches", "7"}}, true)));
}

TEST(RecordRoles, AreOfASection) {
  const std::vector<Field> seed = {{"requested", "7"}}, generators_seed = {{"seed", "7"}},
                           other = {{"size", "7"}};
  const std::pair<Call, Section> calls[] = {
      {call_with("libc", {}, true), Section::digests},
      {call_with("nccl", {}, true), Section::digests},
      {call_with("env", {}), Section::settings},
      {call_with("cublas", {{"variable", "X"}}), Section::settings},
      {call_with("nccl", other), Section::collectives},
      {call_with("cudnn", other, false, Reason::kept_choice), Section::tuning},
      {call_with("cudnn", other, false, Reason::not_in_tuning_file), Section::tuning},
      {call_with("libc", seed), Section::seeds},
      {call_with("curand", generators_seed), Section::seeds},
      {call_with("torch", seed), Section::calls},
      {call_with("torch", seed, false, Reason::none, Action::pin), Section::seeds},
      {call_with("torch", other, false, Reason::none, Action::pin), Section::draws},
      {call_with("libc", {}), Section::draws},
      {call_with("libc", other), Section::calls},
      {call_with("torch", {}), Section::calls},
      {call_with("cublas", other), Section::algorithms},
      {call_with("cufft", {}), Section::algorithms},
  };
  for (std::size_t i = 0; i < std::size(calls); ++i)
    EXPECT_EQ(section_of(calls[i].first), calls[i].second) << i;
}

// A hook of that name in another library says nothing of a field.
TEST(RecordRoles, OfAFieldAreItsOwnHooks) {
  Call call = call_with("cudnn", {});
  call.function = "cudnnGetConvolutionBackwardFilterWorkspaceSize";
  EXPECT_NE(described_hook(call), nullptr);
  EXPECT_EQ(role_of(call, "workspace"), Role::result);
  call.library = "cublas";
  EXPECT_EQ(described_hook(call), nullptr);
  call.library = "cudnn";
  call.function = "cudnnNoHook";
  EXPECT_EQ(described_hook(call), nullptr);
}

} // namespace
} // namespace detshim
