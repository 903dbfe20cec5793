// Users of a library that is opened for themselves alone:
//
//   users LIBRARY        draws from two functions
//   users LIBRARY many   5000 times each
//   users LIBRARY deep   from a function that calls itself on six lines, in many orders
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

namespace {

using Draw = int(int);
Draw* draw;

[[gnu::noinline]] int encoder() {
  return draw(100) * 2; // encoder's draw
}

[[gnu::noinline]] int decoder() {
  return draw(100) * 3; // decoder's draw
}

[[gnu::noinline]] int walk(int depth, unsigned way) {
  if (depth == 0)
    return draw(100) + 1;
  const unsigned rest = way / 6;
  switch (way % 6) {
  case 0:
    return walk(depth - 1, rest) + 1;
  case 1:
    return walk(depth - 1, rest) + 2;
  case 2:
    return walk(depth - 1, rest) + 3;
  case 3:
    return walk(depth - 1, rest) + 4;
  case 4:
    return walk(depth - 1, rest) + 5;
  default:
    return walk(depth - 1, rest) + 6;
  }
}

} // namespace

int main(int argc, char** argv) {
  void* const library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (library == nullptr)
    return 1;
  draw = reinterpret_cast<Draw*>(dlsym(library, "wrapper_draw"));
  unsigned sum = 0;
  const bool is_deep = argc > 2 && std::strcmp(argv[2], "deep") == 0;
  const int times = argc > 2 ? 5000 : 1;
  for (int i = 0; i < times; ++i)
    sum = sum * 31 + static_cast<unsigned>(is_deep ? walk(8, static_cast<unsigned>(i) * 331)
                                                   : encoder() + decoder());
  std::printf("%u\n", sum);
}
