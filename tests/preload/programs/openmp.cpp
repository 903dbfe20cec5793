// One OpenMP construct at a time, by name. Built by gcc and by clang, each with its own runtime.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <vector>

#include <omp.h>

namespace {

constexpr int size = 10000;
std::vector<double> numbers(size, 0.1);

double one_loop(const char* schedule) {
  std::vector<double> out(size);
  if (std::strcmp(schedule, "dynamic") == 0) {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < size; ++i)
      out[i] = numbers[i];
  } else if (std::strcmp(schedule, "guided") == 0) {
#pragma omp parallel for schedule(guided)
    for (int i = 0; i < size; ++i)
      out[i] = numbers[i];
  } else if (std::strcmp(schedule, "runtime") == 0) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < size; ++i)
      out[i] = numbers[i];
  } else {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < size; ++i)
      out[i] = numbers[i];
  }
  return out[size / 2];
}

double loop_in_region() {
  const unsigned long long end = numbers.size(); // not known to fit a signed number
  std::vector<double> out(size);
#pragma omp parallel
  {
    out[static_cast<size_t>(omp_get_thread_num())] = 1;
#pragma omp for schedule(dynamic, 16)
    for (unsigned long long i = 0; i < end; ++i)
      out[i] = numbers[i];
  }
  return out[size / 2];
}

double reduction() {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < size; ++i)
    sum += numbers[i];
  return sum;
}

double reduction_in_region() {
  double sum = 0;
#pragma omp parallel
  {
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < size; ++i)
      sum += numbers[i];
  }
  return sum;
}

double task_reduction() {
  double sum = 0;
#pragma omp parallel reduction(task, + : sum)
  {
#pragma omp task in_reduction(+ : sum)
    sum += 1;
  }
  return sum;
}

template <typename Number>
double loop_over() {
  std::vector<double> out(size);
#pragma omp parallel for schedule(dynamic)
  for (Number i = 0; i < static_cast<Number>(size); ++i)
    out[i] = numbers[i];
  return out[size / 2];
}

double reductions() {
  double sum = 0, squares = 0;
#pragma omp parallel for reduction(+ : sum, squares)
  for (int i = 0; i < size; ++i)
    sum += numbers[i], squares += numbers[i] * numbers[i];
  return sum + squares;
}

/// As many as there are: each adds one.
double threads_of_sum() {
  double sum = 0;
#pragma omp parallel reduction(+ : sum)
  sum += 1;
  return sum;
}

double threads_of_free_sum() {
  double sum = 0;
  int threads = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < size; ++i) {
    sum += numbers[i];
    if (i == 0)
      threads = omp_get_num_threads();
  }
  return sum < 0 ? sum : threads;
}

double free_atomic() {
  double sum = 0;
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < size; ++i) {
#pragma omp atomic
    sum += numbers[i];
  }
  return sum;
}

double integer_reductions() {
  long sum = 0;
  int count = 0;
  unsigned bits = 0;
#pragma omp parallel for reduction(+ : sum, count) reduction(| : bits)
  for (int i = 0; i < size; ++i)
    sum += i, count += i % 3, bits |= static_cast<unsigned>(i) & 6U;
  return static_cast<double>(sum + count) + bits;
}

/// Both are kept by comparing, which may be of what comes with them.
double extremes() {
  int least = size, most = 0;
#pragma omp parallel for reduction(min : least) reduction(max : most)
  for (int i = 0; i < size; ++i)
    least = i < least ? i : least, most = i > most ? i : most;
  return least + most;
}

#pragma omp declare reduction(digits:unsigned                                                      \
                              : omp_out = omp_out * 31 + omp_in) initializer(omp_priv = 0)
double inlined_reduction() {
  unsigned digits = 0;
  int count = 0;
#pragma omp parallel for reduction(digits : digits) reduction(+ : count)
  for (int i = 0; i < size; ++i)
    count += i % 3;
  return digits + count;
}

struct Pair {
  long first, second;
};
/// Whole numbers, in an order that matters.
__attribute__((noinline)) void append(Pair* to, const Pair* from) {
  to->first = to->first * 31 + from->first;
  to->second += from->second;
}
#pragma omp declare reduction(append:Pair                                                          \
                              : append(&omp_out, &omp_in)) initializer(omp_priv = {0, 0})
double own_reduction() {
  Pair pair = {0, 0};
#pragma omp parallel for reduction(append : pair)
  for (int i = 0; i < size; ++i)
    pair.second += i;
  return static_cast<double>(pair.second);
}

double atomic() {
  double sum = 0;
#pragma omp parallel for
  for (int i = 0; i < size; ++i) {
#pragma omp atomic
    sum += numbers[i];
  }
  return sum;
}

long count() {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < size; ++i)
    sum += numbers[i] > 0 ? 1 : 0;
  return sum;
}

// Which thread does which iterations: a number in which each has its place. One thread stays in its
// first until the others have done half of all.
unsigned long who(const char* schedule, int slow) {
  std::vector<int> thread(400);
  std::atomic<int> done_by_others = 0;
  const auto turn = [&](size_t i) {
    while (omp_get_thread_num() == slow && omp_get_num_threads() > 1 && done_by_others < 200) {}
    done_by_others += omp_get_thread_num() != slow;
    thread[i] = thread[i] * 7 + omp_get_thread_num(); // what an earlier loop has shown stays
  };
  const unsigned long long end = thread.size();
  if (std::strcmp(schedule, "who_dynamic") == 0) {
#pragma omp parallel for schedule(dynamic, 3)
    for (size_t i = 0; i < thread.size(); ++i)
      turn(i);
  } else if (std::strcmp(schedule, "who_guided") == 0) {
#pragma omp parallel for schedule(guided)
    for (int i = 0; i < 400; ++i)
      turn(static_cast<size_t>(i));
  } else if (std::strcmp(schedule, "who_monotonic") == 0) {
#pragma omp parallel for schedule(monotonic : dynamic)
    for (int i = 0; i < 400; ++i)
      turn(static_cast<size_t>(i));
  } else if (std::strcmp(schedule, "who_runtime") == 0) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 400; ++i)
      turn(static_cast<size_t>(i));
  } else {
#pragma omp parallel
    for (int times = 0; times < 3; ++times) {
#pragma omp for schedule(dynamic)
      for (unsigned long long i = 0; i < end; ++i)
        turn(i);
#pragma omp for schedule(guided, 2) nowait
      for (int i = 0; i < 100; ++i)
        thread[static_cast<size_t>(i)] += 4 * omp_get_thread_num();
#pragma omp barrier
    }
  }
  unsigned long sum = 0;
  for (const int one : thread)
    sum = sum * 31 + static_cast<unsigned long>(one);
  return sum;
}

// Constructs by which one thread of the team does what the others do not.
int one_does(const char* construct) {
  int who = -1;
  const auto is = [construct](const char* name) {
    return std::strcmp(construct, name) == 0;
  };
#pragma omp parallel
  {
    if (is("sections")) {
#pragma omp sections
      {
#pragma omp section
        who = omp_get_thread_num();
#pragma omp section
        numbers[0] = 1;
      }
    } else if (is("single")) {
#pragma omp single
      who = omp_get_thread_num();
    } else if (is("ordered")) {
#pragma omp for schedule(dynamic) ordered
      for (int i = 0; i < 9; ++i) {
#pragma omp ordered
        who = omp_get_thread_num();
      }
    } else if (is("doacross")) {
#pragma omp for schedule(dynamic) ordered(1)
      for (int i = 1; i < 9; ++i) {
#pragma omp ordered depend(sink : i - 1)
        who = omp_get_thread_num();
#pragma omp ordered depend(source)
      }
    } else if (is("task")) {
#pragma omp master
#pragma omp task shared(who)
      who = omp_get_thread_num();
    }
  }
  return who;
}

// Each iteration once, in the order of the loop where that is asked for.
long all_iterations() {
  long sum = 0, order = 0;
#pragma omp parallel for schedule(dynamic, 2) ordered
  for (int i = 0; i < 300; ++i) {
#pragma omp ordered
    order = order * 3 % 1000003 + i;
  }
#pragma omp parallel for schedule(dynamic) collapse(2)
  for (int i = 0; i < 20; ++i)
    for (int k = 0; k < 20; ++k)
#pragma omp atomic
      sum += i * k;
#pragma omp parallel for schedule(dynamic, 7)
  for (int i = 300; i > 0; i -= 3)
#pragma omp atomic
    sum += i;
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel for schedule(dynamic) num_threads(2)
    for (int i = 0; i < 50; ++i)
#pragma omp atomic
      sum += i;
  }
  return order + sum;
}

// In which blocks long loops go to threads: how often the thread changes from an iteration to the
// next, and whether it does so at multiples of the chunk alone. Each iteration is done once.
class Blocks {
public:
  static constexpr int count = 100000;

  Blocks() : thread_(count, -1) {}

  void do_one(long iteration) {
    int& thread = thread_[static_cast<size_t>(iteration)];
    thread = thread == -1 ? omp_get_thread_num() : -2;
  }

  void print(const char* name, int chunk) const {
    int changes = 0;
    bool is_in_chunks = true;
    bool is_done_once = thread_[0] >= 0;
    for (size_t i = 1; i < thread_.size(); ++i) {
      is_done_once = is_done_once && thread_[i] >= 0;
      if (thread_[i] == thread_[i - 1])
        continue;
      ++changes;
      is_in_chunks = is_in_chunks && i % static_cast<size_t>(chunk) == 0;
    }
    std::printf("%s %d %s %s\n", name, changes, is_in_chunks ? "in chunks" : "in parts of chunks",
                is_done_once ? "once" : "not once");
  }

private:
  std::vector<int> thread_;
};

void dynamic_blocks() {
  Blocks blocks;
#pragma omp parallel for schedule(dynamic, 3)
  for (int i = 0; i < Blocks::count; ++i)
    blocks.do_one(i);
  blocks.print("dynamic", 3);
}

void guided_blocks() {
  Blocks blocks;
#pragma omp parallel for schedule(guided)
  for (unsigned i = 0; i < Blocks::count; ++i)
    blocks.do_one(i);
  blocks.print("guided", 1);
}

void blocks_downwards() {
  Blocks blocks;
#pragma omp parallel for schedule(dynamic, 5)
  for (long i = 7L * (Blocks::count - 1) - 50; i >= -50; i -= 7)
    blocks.do_one(Blocks::count - 1 - (i + 50) / 7);
  blocks.print("dynamic", 5);
}

void runtime_blocks() {
  Blocks blocks;
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < Blocks::count; ++i)
    blocks.do_one(i);
  blocks.print("dynamic", 2);
}

void blocks_of_collapsed() {
  Blocks blocks;
#pragma omp parallel for schedule(dynamic) collapse(2)
  for (int i = 0; i < Blocks::count / 100; ++i)
    for (int k = 0; k < 100; ++k)
      blocks.do_one(i * 100 + k);
  blocks.print("dynamic", 1);
}

void blocks_in_region() {
  Blocks dynamic, guided, downwards, by_variable;
  const unsigned long long begin = 1ULL << 63, end = begin + Blocks::count; // beyond what is signed
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 4) nowait
    for (unsigned long long i = begin; i < end; ++i)
      dynamic.do_one(static_cast<long>(i - begin));
#pragma omp for schedule(guided, 2) nowait
    for (int i = 0; i < Blocks::count; ++i)
      guided.do_one(i);
#pragma omp for schedule(dynamic) nowait
    for (unsigned long long i = end; i > begin; --i)
      downwards.do_one(static_cast<long>(end - i));
#pragma omp for schedule(runtime)
    for (unsigned long long i = begin; i < end; ++i)
      by_variable.do_one(static_cast<long>(i - begin));
  }
  dynamic.print("dynamic", 4);
  guided.print("guided", 2);
  downwards.print("dynamic", 1);
  by_variable.print("dynamic", 2);
}

int print_blocks() {
  dynamic_blocks();
  guided_blocks();
  blocks_downwards();
  runtime_blocks();
  blocks_of_collapsed();
  blocks_in_region();
  return 0;
}

/// A program that asks for threads whatever the environment says.
int own_number_of_threads() {
  omp_set_num_threads(4);
  int most = 0;
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 100; ++i)
    if (i == 0)
      most = omp_get_num_threads();
#pragma omp parallel for schedule(guided) num_threads(3)
  for (int i = 0; i < 100; ++i)
    if (i == 0)
      most += omp_get_num_threads();
  return most;
}

} // namespace

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const auto is = [what](const char* name) {
    return std::strcmp(what, name) == 0;
  };
  if (is("set_dynamic"))
    omp_set_dynamic(1);
  if (is("set_dynamic") || is("get_dynamic"))
    return std::printf("%d\n", omp_get_dynamic()) < 0;
  if (std::strncmp(what, "one_", 4) == 0)
    return std::printf("%d\n", one_does(what + 4)) < 0;
  if (is("chosen")) { // what the program has chosen stays
    omp_set_schedule(omp_sched_dynamic, 3);
    std::vector<int> thread(60);
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 60; ++i)
      thread[static_cast<size_t>(i)] = omp_get_thread_num();
    omp_sched_t kind = omp_sched_auto;
    int chunk = 0;
    omp_get_schedule(&kind, &chunk);
    std::printf("%d %d\n", static_cast<int>(kind), chunk);
    for (const int one : thread)
      std::printf("%d", one);
    return std::printf("\n") < 0;
  }
  if (std::strncmp(what, "who", 3) == 0)
    return std::printf("%lu\n", who(what, argv[2][0] - '0')) < 0;
  if (is("blocks"))
    return print_blocks();
  if (is("own_number"))
    return std::printf("%d\n", own_number_of_threads()) < 0;
  if (is("all_iterations"))
    return std::printf("%ld\n", all_iterations()) < 0;
  const double result = is("loop_in_region")        ? loop_in_region()
                        : is("reduction")           ? reduction()
                        : is("reductions")          ? reductions()
                        : is("threads_of_free_sum") ? threads_of_free_sum()
                        : is("free_atomic")         ? free_atomic()
                        : is("threads_of_sum")      ? threads_of_sum()
                        : is("integer_reductions")  ? integer_reductions()
                        : is("extremes")            ? extremes()
                        : is("inlined_reduction")   ? inlined_reduction()
                        : is("own_reduction")       ? own_reduction()
                        : is("reduction_in_region") ? reduction_in_region()
                        : is("task_reduction")      ? task_reduction()
                        : is("unsigned")            ? loop_over<unsigned>()
                        : is("long")                ? loop_over<long>()
                        : is("atomic")              ? atomic()
                        : is("count")               ? static_cast<double>(count())
                                                    : one_loop(what);
  std::printf("%.3f\n", result);
}
