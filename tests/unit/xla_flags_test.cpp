#include "core/policy/settings_table.h"
#include "core/policy/xla_flags.h"

#include <gtest/gtest.h>

#include <string>

namespace detshim {
namespace {

struct Case {
  std::string value;
  XlaFlags expected;
  std::string lacks = {}; ///< o, l and s, for the three flags
};
void PrintTo(const Case& tested, std::ostream* stream) {
  *stream << '"' << tested.value.substr(0, 60) << '"';
}

const std::string ops = xla_flag_ops, level = xla_flag_level;
const std::string bare = "--xla_gpu_deterministic_ops";
const std::string scatter = xla_flag_scatter, passes = "--xla_disable_hlo_passes";
const std::string asked = "--xla_gpu_enable_scatter_determinism_expander";

class XlaFlagsAre : public testing::TestWithParam<Case> {};

TEST_P(XlaFlagsAre, ReadAsXlaReadsThem) {
  XlaFlagsLacking lacking = {};
  EXPECT_EQ(read_xla_flags(GetParam().value.c_str(), lacking), GetParam().expected);
  if (GetParam().expected != XlaFlags::closed) {
    EXPECT_EQ(std::string{lacking.ops ? "o" : ""} + (lacking.level ? "l" : "") + (lacking.scatter ? "s" : ""),
              GetParam().lacks);
  }
  EXPECT_EQ(setting_is_good("XLA_FLAGS", GetParam().value.c_str()),
            GetParam().expected == XlaFlags::repeatable);
}

INSTANTIATE_TEST_SUITE_P(
    All, XlaFlagsAre,
    testing::Values(
        Case{"", XlaFlags::extendable, "ols"}, Case{"  \t\n", XlaFlags::extendable, "ols"},
        Case{ops + " " + level, XlaFlags::repeatable}, Case{level + "\n" + ops, XlaFlags::repeatable},
        Case{bare + " " + level, XlaFlags::repeatable}, Case{ops, XlaFlags::extendable, "l"},
        Case{level, XlaFlags::extendable, "os"},
        // The last of a name counts.
        Case{bare + "=false", XlaFlags::extendable, "ols"},
        Case{ops + " " + level + " " + bare + "=false", XlaFlags::extendable, "os"},
        Case{bare + "=false " + ops + " " + level, XlaFlags::repeatable},
        Case{ops + " " + level + " --xla_gpu_autotune_level=4", XlaFlags::extendable, "l"},
        Case{ops + " --xla_gpu_autotune_level=01", XlaFlags::extendable, "l"},
        // Another flag, whose name begins alike.
        Case{bare + "_too=true --xla_gpu_autotune_levels=0", XlaFlags::extendable, "ols"},
        // Quotes, within which a flag is none.
        Case{"--a=\"" + ops + "\" --b='" + level + "'", XlaFlags::extendable, "ols"},
        Case{bare + "=\"true\" --xla_gpu_autotune_level='0'", XlaFlags::repeatable},
        Case{"--a=\"b\\\"c d\" " + ops + " " + level, XlaFlags::repeatable},
        Case{"--a='b\\' " + ops + " " + level, XlaFlags::repeatable},
        Case{"--a=\"" + std::string(5000, 'x') + "\" --" + std::string(5000, 'y') + " " + ops,
             XlaFlags::extendable, "l"},
        // The pass that the first flag switches on, which ours takes away.
        Case{scatter, XlaFlags::extendable, "ol"}, Case{scatter + " " + ops, XlaFlags::extendable, "l"},
        Case{passes + "=algsimp", XlaFlags::extendable, "ols"},
        Case{passes + "=", XlaFlags::extendable, "ols"}, Case{passes, XlaFlags::extendable, "ols"},
        Case{scatter + "s", XlaFlags::extendable, "ols"},
        Case{passes + "=a,b,scatter_determinism_expander", XlaFlags::extendable, "ol"},
        Case{scatter + ",c", XlaFlags::extendable, "ol"},
        Case{passes + "=\"scatter_determinism_expander,c\"", XlaFlags::extendable, "ol"},
        Case{passes + "='c,scatter_determinism_expander'", XlaFlags::extendable, "ol"},
        Case{passes + "=" + std::string(500, 'x') + ",scatter_determinism_expander", XlaFlags::extendable,
             "ol"},
        // One list is added to the other, so it need not be the last.
        Case{scatter + " " + passes + "=algsimp", XlaFlags::extendable, "ol"},
        // Who asks for the pass by name has it, and who asked for the first flag what that brings.
        Case{asked, XlaFlags::extendable, "ol"}, Case{asked + "=True", XlaFlags::extendable, "ol"},
        Case{asked + "=1 " + level, XlaFlags::extendable, "o"},
        Case{asked + "=false", XlaFlags::extendable, "ols"},
        Case{asked + "=true " + asked + "=false", XlaFlags::extendable, "ols"},
        Case{asked + " " + ops + " " + level, XlaFlags::repeatable},
        // What XLA reads no flags behind.
        Case{"flags.txt", XlaFlags::closed}, Case{"--a=b c --d", XlaFlags::closed},
        Case{"--a=\"b " + ops + " " + level, XlaFlags::closed}, Case{"--a='b", XlaFlags::closed},
        Case{"--a=\"b\\", XlaFlags::closed}, Case{"-- --a", XlaFlags::closed},
        Case{"c " + ops + " " + level, XlaFlags::closed},
        Case{ops + " " + level + " c", XlaFlags::repeatable}));

} // namespace
} // namespace detshim
