// The walk of the loaded objects must find what the dynamic linker finds.
#include "core/base/modules.h"

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/random.h>

namespace detshim {
namespace {

Module libc() {
  Module found;
  each_module([&](const Module& module) {
    if (std::strstr(module.path, "libc.so.6") == nullptr)
      return false;
    found = module;
    return true;
  });
  return found;
}

TEST(Modules, FindsTheLinkersOwnAnswers) {
  void* handle = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  ASSERT_NE(handle, nullptr);
  for (const char* name :
       {"rand", "random", "getrandom", "lrand48", "open64", "dlsym", "pthread_create", "execve",
        "fopen", "__open64_2", "posix_spawn", "srandom_r"})
    EXPECT_EQ(libc().symbol(name), dlsym(handle, name)) << name;
  EXPECT_EQ(libc().symbol("no_such_function"), nullptr);
  dlclose(handle);
}

TEST(Modules, AnIndirectFunctionIsWhatItsResolverGives) {
  const auto get_time =
      reinterpret_cast<time_t (*)(time_t*)>(const_cast<void*>(libc().symbol("time")));
  ASSERT_NE(get_time, nullptr);
  const time_t before = time(nullptr);
  EXPECT_GE(get_time(nullptr), before);
}

TEST(Modules, FindsTheObjectOfAnAddress) {
  Module module;
  static int here;
  ASSERT_TRUE(find_module(&here, module));
  EXPECT_TRUE(is_own(module));
  char path[600];
  module_path(module, path, sizeof path);
  EXPECT_NE(std::strstr(path, "unit_tests"), nullptr);

  ASSERT_TRUE(find_module(libc().symbol("rand"), module));
  EXPECT_EQ(module.base, libc().base);
  int on_the_stack;
  EXPECT_FALSE(find_module(&on_the_stack, module));
}

} // namespace
} // namespace detshim
