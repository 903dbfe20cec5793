// Hands a file's bytes, or its name (with "file" in front), to the driver, for each further argument anew,
// and launches the kernel of that name twice. "node", "changed" and "grid" are ways to launch that name none.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include <dlfcn.h>

extern "C" {
int cuInit(unsigned);
int cuModuleLoadData(void** module, const void* code);
int cuModuleLoad(void** module, const char* file);
int cuModuleUnload(void* module);
int cuModuleGetFunction(void** function, void* module, const char* name);
int cuGraphAddKernelNode(void** node, void* graph, const void* after, unsigned long count,
                         const void* kernel);
int cuGraphExecKernelNodeSetParams_v2(void* graph, void* node, const void* kernel);
int cuLaunchGrid(void* function, int, int);
int cuLaunchKernel(void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   void* stream, void** arguments, void** extra);
}

int main(int argc, char** argv) {
  const bool by_name = argc > 1 && std::strcmp(argv[1], "file") == 0;
  const char* const file = argv[by_name ? 2 : 1];
  std::ifstream stream(file, std::ios::binary);
  const std::string code{std::istreambuf_iterator<char>(stream), {}};
  cuInit(0);
  for (int i = by_name ? 3 : 2; i < argc; ++i) {
    void *module = nullptr, *function = nullptr;
    const int status = by_name ? cuModuleLoad(&module, file) : cuModuleLoadData(&module, code.c_str());
    const auto is = [&](const char* way) { return std::strcmp(argv[i], way) == 0; };
    if (is("node") && cuGraphAddKernelNode(nullptr, nullptr, nullptr, 0, nullptr) == 0) continue;
    if (is("changed") && cuGraphExecKernelNodeSetParams_v2(nullptr, nullptr, nullptr) == 0) continue;
    if (is("grid") && cuLaunchGrid(nullptr, 1, 1) == 0) continue;
    cuModuleGetFunction(&function, module, argv[i]);
    for (int launch = 0; launch < 2; ++launch)
      if (cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr) != 0 || status != 0)
        return 1;
    cuModuleUnload(module);
  }
  std::puts("done");
}
