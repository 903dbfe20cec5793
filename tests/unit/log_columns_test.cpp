// Rules of the log reader that decide by several columns: each column alone.
#include "log_reader/lines.h"
#include "log_reader/log.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
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

} // namespace
} // namespace detshim
