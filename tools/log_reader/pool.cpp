// Decides by the fields that the library added to a record: `pool` of a draw in a worker,
// `threads_of` of a thread that was started, and of who takes from a queue. Logs before 0.2 have
// kind, queue and place in one text; there `threads` counts for pthread_create alone, since
// OpenMP's functions have a number of that name.
//
// It cannot know of a pool that the library did not recognise.
#include "log_reader/pool.h"

#include <algorithm>
#include <string_view>

namespace detshim {
namespace {

/// Of a text, as logs before 0.2 have it: "multiprocessing.Queue/mp-7f3a, /home/me/train.py:7".
Pool pool_in(std::string_view text) {
  Pool pool;
  const std::size_t comma = std::min(text.find(", "), text.size());
  const std::size_t slash = std::min(text.find('/'), comma);
  pool.kind = text.substr(0, slash);
  pool.queue = text.substr(std::min(slash + 1, comma), comma - std::min(slash + 1, comma));
  if (comma < text.size())
    pool.place = text.substr(comma + 2);
  return pool;
}

std::string value_of(const Call& call, const char* field) {
  const std::string* const value = find_field(call.fields, field);
  return value == nullptr ? "" : *value;
}

/// The pool that a thread was started for.
std::optional<Pool> pool_of_thread(const Call& call) {
  if (const std::string* const kind = find_field(call.fields, "threads_of"))
    return Pool{*kind, value_of(call, "queue"), value_of(call, "made_at")};
  const std::string* const threads = find_field(call.fields, "threads");
  return threads == nullptr ? std::nullopt : std::optional(pool_in(*threads));
}

} // namespace

std::optional<Pool> pool_of(const Call& call) {
  // What a worker starts threads for, or takes from, counts, whichever pool the worker belongs to.
  // Of OpenMP's functions a field "threads" is a number.
  if (call.function == "pthread_create" || call.function == "sem_trywait")
    if (const std::optional<Pool> started = pool_of_thread(call))
      return started;
  const std::string* const kind = find_field(call.fields, "pool");
  if (kind == nullptr)
    return std::nullopt;
  Pool pool = pool_in(*kind);
  if (const std::string* const place = find_field(call.fields, "pool_at"))
    pool.place = *place;
  return pool;
}

} // namespace detshim
