// An ordinary user of cuDNN's graph API with many graphs (cudnn_graphs.h), without a GPU.
//
//   cudnn_graphs [PART...]   of every graph whose name holds a PART, or of all, in each heuristics
//   mode, a
//                            line `= GRAPH MODE expected=ANSWER count=N`, then a line for each
//                            engine config; where the library refuses, the line ends in
//                            `refused=STATUS at=CALL`
#include "cudnn_graphs.h"

#include <cstdio>
#include <string>
#include <vector>

namespace {

void print(Descriptor config) {
  const Engine engine = engine_of(config);
  std::printf("engine=%lld notes=", static_cast<long long>(engine.index));
  for (size_t i = 0; i < engine.notes.size(); ++i)
    std::printf("%s%d", i ? "," : "", static_cast<int>(engine.notes[i]));
  std::printf(" knobs=");
  for (const Knob& knob : knobs_of(config))
    std::printf("%d:%lld,", static_cast<int>(knob.type), static_cast<long long>(knob.value));
  std::printf("\n");
}

const char* name_of(Answer answer) {
  return answer == Answer::engines     ? "engines"
         : answer == Answer::no_engine ? "no-engine"
                                       : "refusal";
}

} // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> parts(argv + 1, argv + argc);
  const std::pair<const char*, cudnnBackendHeurMode_t> modes[] = {
      {"A", CUDNN_HEUR_MODE_A}, {"B", CUDNN_HEUR_MODE_B}, {"FALLBACK", CUDNN_HEUR_MODE_FALLBACK}};
  const auto properties = device_properties();
  for (const Graph& graph : all_graphs()) {
    if (!parts.empty() && std::none_of(parts.begin(), parts.end(), [&](const std::string& part) {
          return graph.name.find(part) != part.npos;
        }))
      continue;
    for (const auto& [name, mode] : modes) {
      std::printf("= %s %s expected=%s ", graph.name.c_str(), name, name_of(graph.answer));
      try {
        const auto configs = configs_of(heuristics_of(build(graph), mode, properties));
        std::printf("count=%zu\n", configs.size());
        for (const auto config : configs)
          print(config);
      } catch (const Refused& refused) {
        std::printf("refused=%d at=%s\n", static_cast<int>(refused.status), refused.what);
      }
    }
  }
}
