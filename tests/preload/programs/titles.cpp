// Writes a title over its arguments and its environment, as servers do for ps. argv[1] says how it
// finds the end of what it may write to: `last` takes the last variable's, `envp` the same of
// main's, `row` goes on as long as one follows the other, `first` looks back for the arguments from
// the first variable.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace {

char* end_of(char* text) { return text + std::strlen(text) + 1; }

char* end_of_last(char** variables) {
  char* end = nullptr;
  for (; *variables != nullptr; ++variables)
    end = end_of(*variables);
  return end;
}

char* end_of_row(char* end) {
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (*variable == end)
      end = end_of(end);
  return end;
}

/// True if the argument's text is the one before the first variable's.
bool is_before_first_variable(const char* argument) {
  const char* at = environ[0] - 1; // the zero that ends it
  while (at > argument && at[-1] != 0)
    --at;
  return at == argument;
}

void keep_variables() {
  size_t count = 0;
  while (environ[count] != nullptr)
    ++count;
  auto** copies = static_cast<char**>(std::calloc(count + 1, sizeof(char*)));
  for (size_t i = 0; i < count; ++i)
    copies[i] = strdup(environ[i]);
  environ = copies;
}

} // namespace

int main(int count, char** arguments, char** variables) {
  const char* const way = arguments[1];
  char* const last_argument = arguments[count - 1];
  char* end = end_of_row(end_of(last_argument));
  if (std::strcmp(way, "last") == 0)
    end = end_of_last(environ);
  if (std::strcmp(way, "envp") == 0)
    end = end_of_last(variables);
  const bool is_title = std::strcmp(way, "first") != 0;
  if (!is_title && !is_before_first_variable(last_argument))
    return 1;
  if (is_title && end <= arguments[0])
    return 2;
  keep_variables();
  const size_t size = static_cast<size_t>(end - arguments[0]);
  if (is_title)
    std::snprintf(static_cast<char*>(std::memset(arguments[0], 0, size)), size, "title");
  const char* const last = std::getenv("ZZ_LAST");
  std::printf("%s %d\n", last == nullptr ? "-" : last, rand());
  std::fflush(stdout);
  return std::system("echo ${ZZ_LAST:-none}");
}
