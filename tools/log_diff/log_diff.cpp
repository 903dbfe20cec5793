// Decides which programs and threads of two runs belong together, and which are read record by
// record. Programs belong together by job, rank and path; of several with one name, first those
// whose records are the same. Threads whose digests agree are the same and are not read again. Of
// the others, chunks at the beginning that agree are passed over, and a limited number of records
// behind them is aligned.
//
// What was not compared is listed as unknown, and takes *equal* away. It cannot know whether one
// name means the same work in both runs: where a program starts its children in another order, it
// does not.
#include "log_diff/log_diff.h"

#include "log_diff/alignment.h"
#include "log_diff/call_sites.h"
#include "log_diff/causes.h"
#include "log_diff/fact_differences.h"
#include "log_diff/thread_records.h"
#include "support/wording.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace detshim {
namespace {

constexpr std::size_t most_records_of_a_section = 100; // of more the number

const ThreadRecords* find_thread(const Program& program, const std::string& name) {
  const auto thread = std::ranges::find(program.threads, name, &ThreadRecords::name);
  return thread == program.threads.end() ? nullptr : &*thread;
}

bool have_same_records(const Program& a, const Program& b) {
  return a.threads.size() == b.threads.size() &&
         std::ranges::all_of(a.threads, [&b](const ThreadRecords& thread) {
           const ThreadRecords* const other = find_thread(b, thread.name);
           return other != nullptr && thread.chunks == other->chunks;
         });
}

/// Of two threads the records in whole chunks, from the first on, that are the same.
std::uint64_t same_at_beginning(const ThreadRecords& a, const ThreadRecords& b) {
  const auto end = std::ranges::mismatch(a.chunks, b.chunks).in1;
  return static_cast<std::uint64_t>(end - a.chunks.begin()) * ThreadRecords::records_of_a_chunk;
}

class Comparison {
public:
  Comparison(const LoggedRun& a, const LoggedRun& b, std::set<std::string> turned,
             const FileFacts& files_of)
      : a_(a), b_(b), call_sites_of_a_(a, b), call_sites_of_b_(b, a), call_site_texts_(a, b),
        facts_(std::move(turned)) {
    if (files_of)
      facts_.know_files(files_of(a.folder, a.name), files_of(b.folder, b.name));
  }

  LogDifference run() {
    for (const LoggedRun* run : {&a_, &b_})
      for (const Program& program : run->programs)
        causes_.add_rank(program.name);
    auto in_a = a_.programs.begin();
    auto in_b = b_.programs.begin();
    while (in_a != a_.programs.end() || in_b != b_.programs.end()) {
      const bool b_is_next =
          in_a == a_.programs.end() || (in_b != b_.programs.end() && in_b->name < in_a->name);
      const ProcessName& name = b_is_next ? in_b->name : in_a->name;
      const auto has_name = [&name](const Program& program) {
        return program.name == name;
      };
      const auto end_in_a = std::find_if_not(in_a, a_.programs.end(), has_name);
      const auto end_in_b = std::find_if_not(in_b, b_.programs.end(), has_name);
      compare_alike({in_a, end_in_a}, {in_b, end_in_b});
      in_a = end_in_a;
      in_b = end_in_b;
    }
    facts_.compare_ranks(a_, b_);
    return finish();
  }

private:
  using Keys = std::vector<RecordKey>;
  using Programs = std::vector<const Program*>;
  using Range =
      std::pair<std::vector<Program>::const_iterator, std::vector<Program>::const_iterator>;

  /// Programs of one name: a rank that was started anew has several. Those that are the same belong
  /// together.
  void compare_alike(const Range& in_a, const Range& in_b) {
    Programs rest_of_b;
    for (auto program = in_b.first; program != in_b.second; ++program)
      rest_of_b.push_back(&*program);
    Programs rest_of_a;
    for (auto program = in_a.first; program != in_a.second; ++program) {
      const auto same = std::ranges::find_if(rest_of_b, [&](const Program* other) {
        return have_same_records(*program, *other);
      });
      if (same == rest_of_b.end()) {
        rest_of_a.push_back(&*program);
      } else {
        compare(*program, **same);
        rest_of_b.erase(same);
      }
    }
    for (std::size_t i = 0; i < std::max(rest_of_a.size(), rest_of_b.size()); ++i) {
      if (i >= rest_of_b.size())
        lacks(*rest_of_a[i], true);
      else if (i >= rest_of_a.size())
        lacks(*rest_of_b[i], false);
      else
        compare(*rest_of_a[i], *rest_of_b[i]);
    }
  }

  void lacks(const Program& program, bool is_in_a) {
    const FactDifference difference = facts_.missing(program, is_in_a);
    causes_.add({program.name, {}, difference, std::nullopt, 0});
  }

  void compare(const Program& a, const Program& b) {
    const bool are_same_records = have_same_records(a, b);
    for (const FactDifference& difference : facts_.compare(a, b, are_same_records))
      causes_.add({a.name, {}, difference, std::nullopt, 0});
    PassedOver different;
    for (const ThreadRecords& thread : a.threads) {
      const ThreadRecords* const other = find_thread(b, thread.name);
      if (other != nullptr && thread.chunks == other->chunks)
        add_same(thread, *other);
      else
        different[thread.name] = other == nullptr ? 0 : same_at_beginning(thread, *other);
    }
    for (const ThreadRecords& thread : b.threads)
      if (find_thread(a, thread.name) == nullptr)
        different[thread.name] = 0;
    if (!different.empty())
      compare_threads(a, b, different);
  }

  void add_same(const ThreadRecords& a, const ThreadRecords& b) {
    difference_.identical += a.records;
    if (!a.counts_are_exact || !b.counts_are_exact)
      ++inexact_threads_;
  }

  void compare_threads(const Program& a, const Program& b, const PassedOver& different) {
    ThreadKeys all_of_a = read_keys(a_, a, different, call_sites_of_a_);
    ThreadKeys all_of_b = read_keys(b_, b, different, call_sites_of_b_);
    for (const auto& [name, passed_over] : different) {
      const Keys &keys_of_a = all_of_a[name], &keys_of_b = all_of_b[name];
      if (std::max(keys_of_a.size(), keys_of_b.size()) == most_compared_records)
        ++cut_threads_;
      const Alignment alignment = align(keys_of_a, keys_of_b);
      difference_.identical += passed_over + alignment.identical;
      if (!are_exact(a, b, name))
        ++inexact_threads_;
      auto candidate = alignment.candidates.begin();
      for (std::size_t i = 0; i < alignment.differences.size(); ++i) {
        const bool is_candidate =
            candidate != alignment.candidates.end() && candidate->difference == i;
        const bool is_kept = count(keys_of_a, keys_of_b, alignment.differences[i]);
        if (!is_kept && !is_candidate)
          continue;
        std::optional<RecordDifference> difference =
            whole(a, b, keys_of_a, keys_of_b, alignment.differences[i]);
        if (!difference) { // gone since it was read
          candidate += is_candidate ? 1 : 0;
          continue;
        }
        difference->thread = name;
        difference->position += passed_over;
        if (is_kept)
          difference_.records.push_back(*difference);
        if (!is_candidate)
          continue;
        causes_.add(
            {a.name, name, std::nullopt, std::move(difference), passed_over + candidate->before});
        ++candidate;
      }
    }
  }

  static bool are_exact(const Program& a, const Program& b, const std::string& thread) {
    const auto is_exact = [&thread](const Program& program) {
      const ThreadRecords* const records = find_thread(program, thread);
      return records == nullptr || records->counts_are_exact;
    };
    return is_exact(a) && is_exact(b);
  }

  static const RecordKey& key_of(const Keys& a, const Keys& b, const DifferentRecords& records) {
    return records.a ? a[*records.a] : b[*records.b];
  }

  /// True if there is room for it among those of its section.
  bool count(const Keys& a, const Keys& b, const DifferentRecords& records) {
    return difference_.differences[static_cast<int>(key_of(a, b, records).section)]++ <
           most_records_of_a_section;
  }

  std::optional<RecordDifference> whole(const Program& a, const Program& b, const Keys& in_a,
                                        const Keys& in_b, const DifferentRecords& records) {
    const RecordKey& key = key_of(in_a, in_b, records);
    RecordDifference difference;
    difference.process = a.name;
    difference.position = records.position();
    difference.section = key.section;
    difference.kind = records.kind;
    difference.has_inputs = key.has_inputs;
    if (records.a)
      difference.a = read_record(a_, a, in_a[*records.a]);
    if (records.b)
      difference.b = read_record(b_, b, in_b[*records.b]);
    if (!difference.a && !difference.b)
      return std::nullopt;
    difference.is_volatile = is_volatile(difference);
    difference.call_site = call_site_texts_.describe(difference);
    return difference;
  }

  /// A seed that the program passed, another one in each run.
  static bool is_volatile(const RecordDifference& difference) {
    if (!difference.a || !difference.b)
      return false;
    const std::string* const in_a = find_field(difference.a->call.fields, "requested");
    const std::string* const in_b = find_field(difference.b->call.fields, "requested");
    return difference.section == Section::seeds && in_a != nullptr && in_b != nullptr &&
           *in_a != *in_b;
  }

  LogDifference finish() {
    facts_.finish(difference_);
    difference_.ranks = causes_.take();
    if (inexact_threads_ > 0)
      difference_.unknown.push_back("how often calls were made in " +
                                    counted(inexact_threads_, "thread") +
                                    " of processes that were killed, or had no counts file");
    if (cut_threads_ > 0)
      difference_.unknown.push_back("the rest of " + counted(cut_threads_, "thread") +
                                    " behind the first " + std::to_string(most_compared_records) +
                                    " records that were compared one by one");
    add_unknown(a_, "A");
    add_unknown(b_, "B");
    std::ranges::stable_sort(difference_.records, {}, &RecordDifference::section);
    difference_.a = side_of(a_);
    difference_.b = side_of(b_);
    return std::move(difference_);
  }

  void add_unknown(const LoggedRun& run, const char* side) {
    for (const std::string& what : run.unknown)
      difference_.unknown.push_back(what + ", in " + side);
    if (run.unread_digests > 0) {
      difference_.unread.push_back("the contents of " + counted(run.unread_digests, "output") +
                                   " that could not be read, in " + side);
      difference_.unknown.push_back(difference_.unread.back());
    }
    if (run.further_unknown > 0)
      difference_.unknown.push_back(
          counted(run.further_unknown, "further process", "further processes") +
          " without an end, in " + side);
  }

  static LogDifference::Side side_of(const LoggedRun& run) {
    LogDifference::Side side{run.folder,          run.name, run.records,
                             run.programs.size(), 0,        run.other_runs.size()};
    for (const Program& program : run.programs)
      side.threads += program.threads.size();
    return side;
  }

  const LoggedRun& a_;
  const LoggedRun& b_;
  CallSiteKeys call_sites_of_a_, call_sites_of_b_;
  CallSiteTexts call_site_texts_;
  FactDifferences facts_;
  Causes causes_;
  LogDifference difference_;
  std::uint64_t inexact_threads_ = 0, cut_threads_ = 0;
};

} // namespace

LogDifference compare_logs(const std::string& a, const std::string& b, std::set<std::string> turned,
                           const FileFacts& files_of) {
  const LoggedRun run_a = read_run(find_run(a)), run_b = read_run(find_run(b));
  return Comparison(run_a, run_b, std::move(turned), files_of).run();
}

void add_suspects(LogDifference& difference) {
  const Cause* const first = difference.first_cause();
  if (first != nullptr && !is_digest_of_host(*first))
    return;
  const auto log_of = [](const LogDifference::Side& side) {
    return SuspectLog{side.folder, side.run};
  };
  difference.suspects = find_suspects(log_of(difference.a), log_of(difference.b));
  // Both read folders in the order of names.
  std::erase_if(difference.suspects, [](const Suspect& suspect) {
    return suspect.kind == SuspectKind::folder;
  });
}

} // namespace detshim
