// Makes a booster of LightGBM's from one argument, and sets a parameter of XGBoost's from
// `name=value`.
#include <cstring>
#include <string>

extern "C" int LGBM_BoosterCreate(const void* data, const char* parameters, void** booster);
extern "C" int XGBoosterSetParam(void* booster, const char* name, const char* value);

int main(int count, char** arguments) {
  void* booster = nullptr;
  if (count == 3 && std::strcmp(arguments[1], "lightgbm") == 0)
    return LGBM_BoosterCreate(nullptr, arguments[2], &booster);
  for (int i = 2; i < count; ++i) {
    const std::string set = arguments[i];
    const std::size_t equals = set.find('=');
    if (XGBoosterSetParam(nullptr, set.substr(0, equals).c_str(), set.substr(equals + 1).c_str()) !=
        0)
      return 1;
  }
  return count < 3;
}
