// Hands a text out in the ways that its arguments name: TEXT WAY... TEXT may be - for the variable
// PRINTS_TEXT.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <string>
#include <sys/uio.h>
#include <thread>
#include <unistd.h>

extern "C" {
int __printf_chk(int flag, const char* format, ...);
int __fprintf_chk(FILE* file, int flag, const char* format, ...);
int __vprintf_chk(int flag, const char* format, va_list arguments);
int __vfprintf_chk(FILE* file, int flag, const char* format, va_list arguments);
}

namespace {

using Listed = int (*)(const char* format, va_list arguments);

int list(Listed print, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = print(format, arguments);
  va_end(arguments);
  return length;
}

bool print(const std::string& way, const char* text) {
  const size_t size = std::strlen(text);
  const iovec parts[] = {{const_cast<char*>(text), 1}, {const_cast<char*>(text) + 1, size - 1}};
  static FILE* const file = std::tmpfile();
  static const int fd = fileno(file);
  const long length = static_cast<long>(size);
  if (way == "write")
    return write(1, text, size) == length;
  if (way == "pwrite")
    return pwrite(fd, text, size, 3) == length;
  if (way == "pwrite64")
    return pwrite64(fd, text, size, 3) == length;
  if (way == "writev")
    return writev(1, parts, 2) == length;
  if (way == "pwritev")
    return pwritev(fd, parts, 2, 3) == length;
  if (way == "pwritev64")
    return pwritev64(fd, parts, 2, 3) == length;
  if (way == "pwritev2")
    return pwritev2(fd, parts, 2, 3, 0) == length;
  if (way == "pwritev64v2")
    return pwritev64v2(fd, parts, 2, 3, 0) == length;
  if (way == "fwrite")
    return fwrite(text, 1, size, stdout) == size;
  if (way == "fwrite_unlocked")
    return fwrite_unlocked(text, 1, size, file) == size;
  if (way == "fputs")
    return fputs(text, stdout) >= 0;
  if (way == "fputs_unlocked")
    return fputs_unlocked(text, stderr) >= 0;
  if (way == "puts")
    return puts(text) >= 0;
  if (way == "printf")
    return printf("%s %d\n", text, 1) > length;
  if (way == "fprintf")
    return fprintf(stderr, "%s %d\n", text, 1) > length;
  if (way == "__printf_chk")
    return __printf_chk(1, "%s %d\n", text, 1) > length;
  if (way == "__fprintf_chk")
    return __fprintf_chk(file, 1, "%s %d\n", text, 1) > length;
  if (way == "vprintf")
    return list(vprintf, "%s %d\n", text, 1) > length;
  if (way == "vfprintf")
    return list(
               [](const char* format, va_list more) {
                 return vfprintf(stdout, format, more);
               },
               "%s %d\n", text, 1) > length;
  if (way == "__vprintf_chk")
    return list(
               [](const char* format, va_list more) {
                 return __vprintf_chk(1, format, more);
               },
               "%s %d\n", text, 1) > length;
  if (way == "__vfprintf_chk")
    return list(
               [](const char* format, va_list more) {
                 return __vfprintf_chk(stdout, 1, format, more);
               },
               "%s %d\n", text, 1) > length;
  if (way == "cout")
    return static_cast<bool>(std::cout << text << std::endl);
  if (way == "many") {
    for (int i = 0; i < 5000; ++i)
      std::printf("%s%d\n", text, i);
    return true;
  }
  if (way == "thread") {
    std::thread([text] {
      std::printf("%s in a thread\n", text);
    }).join();
    return true;
  }
  if (way == "draw")
    return rand() >= 0;
  if (way == "seed")
    return srand(static_cast<unsigned>(*text)), true;
  return false;
}

} // namespace

int main(int argc, char** argv) {
  const char* const text = std::strcmp(argv[1], "-") == 0 ? std::getenv("PRINTS_TEXT") : argv[1];
  for (int i = 2; i < argc; ++i)
    if (!print(argv[i], text))
      return 1;
}
