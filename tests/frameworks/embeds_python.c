#include <dlfcn.h>
#include <stdio.h>
int main(int count, char** words) {
  void* const all = dlopen(words[1], RTLD_NOW | RTLD_GLOBAL);
  if (all == 0)
    return puts(dlerror()), 77;
  ((void (*)(void))dlsym(all, "Py_Initialize"))();
  return ((int (*)(const char*))dlsym(all, "PyRun_SimpleString"))(words[2]) +
         ((int (*)(void))dlsym(all, "Py_FinalizeEx"))();
}
