// A library that prints as it is loaded, and a program that uses it (WITH_MAIN).
#include <cstdio>

#include <unistd.h>

extern "C" void use_library();

#if defined(WITH_MAIN)
int main() { use_library(); }
#else
namespace {
__attribute__((constructor)) void say() { (void)!write(1, "loaded\n", 7); }
} // namespace

void use_library() { std::puts("used"); }
#endif
