// One OpenMP construct at a time, by name. Built by gcc and by clang, each with its own runtime.
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
    for (int i = 0; i < size; ++i) out[i] = numbers[i];
  } else if (std::strcmp(schedule, "guided") == 0) {
#pragma omp parallel for schedule(guided)
    for (int i = 0; i < size; ++i) out[i] = numbers[i];
  } else if (std::strcmp(schedule, "runtime") == 0) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < size; ++i) out[i] = numbers[i];
  } else {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < size; ++i) out[i] = numbers[i];
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
    for (unsigned long long i = 0; i < end; ++i) out[i] = numbers[i];
  }
  return out[size / 2];
}

double reduction() {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < size; ++i) sum += numbers[i];
  return sum;
}

double reduction_in_region() {
  double sum = 0;
#pragma omp parallel
  {
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < size; ++i) sum += numbers[i];
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
  for (Number i = 0; i < static_cast<Number>(size); ++i) out[i] = numbers[i];
  return out[size / 2];
}

double reductions() {
  double sum = 0, squares = 0;
#pragma omp parallel for reduction(+ : sum, squares)
  for (int i = 0; i < size; ++i) sum += numbers[i], squares += numbers[i] * numbers[i];
  return sum + squares;
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
  for (int i = 0; i < size; ++i) sum += numbers[i] > 0 ? 1 : 0;
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const auto is = [what](const char* name) { return std::strcmp(what, name) == 0; };
  if (is("set_dynamic")) omp_set_dynamic(1);
  if (is("set_dynamic") || is("get_dynamic")) return std::printf("%d\n", omp_get_dynamic()) < 0;
  const double result = is("loop_in_region")        ? loop_in_region()
                        : is("reduction")           ? reduction()
                        : is("reductions")          ? reductions()
                        : is("reduction_in_region") ? reduction_in_region()
                        : is("task_reduction")      ? task_reduction()
                        : is("unsigned")            ? loop_over<unsigned>()
                        : is("long")                ? loop_over<long>()
                        : is("atomic")              ? atomic()
                        : is("count")               ? static_cast<double>(count())
                                                    : one_loop(what);
  std::printf("%.3f\n", result);
}
