#include "core/policy/settings_table.h"
#include "core/policy/xla_flags.h"

#include <gtest/gtest.h>

#include <string>

namespace detshim {
namespace {

struct Case {
  std::string value;
  XlaFlags expected;
};
void PrintTo(const Case& tested, std::ostream* stream) {
  *stream << '"' << tested.value.substr(0, 60) << '"';
}

const std::string ops = xla_flag_ops, level = xla_flag_level;
const std::string bare = "--xla_gpu_deterministic_ops";

class XlaFlagsAre : public testing::TestWithParam<Case> {};

TEST_P(XlaFlagsAre, ReadAsXlaReadsThem) {
  EXPECT_EQ(read_xla_flags(GetParam().value.c_str()), GetParam().expected);
  EXPECT_EQ(setting_is_good("XLA_FLAGS", GetParam().value.c_str()),
            GetParam().expected == XlaFlags::repeatable);
}

INSTANTIATE_TEST_SUITE_P(
    All, XlaFlagsAre,
    testing::Values(Case{"", XlaFlags::extendable}, Case{"  \t\n", XlaFlags::extendable},
                    Case{ops + " " + level, XlaFlags::repeatable},
                    Case{level + "\n" + ops, XlaFlags::repeatable},
                    Case{bare + " " + level, XlaFlags::repeatable}, Case{ops, XlaFlags::extendable},
                    Case{level, XlaFlags::extendable},
                    // The last of a name counts.
                    Case{bare + "=false", XlaFlags::extendable},
                    Case{ops + " " + level + " " + bare + "=false", XlaFlags::extendable},
                    Case{bare + "=false " + ops + " " + level, XlaFlags::repeatable},
                    Case{ops + " " + level + " --xla_gpu_autotune_level=4", XlaFlags::extendable},
                    Case{ops + " --xla_gpu_autotune_level=01", XlaFlags::extendable},
                    // Another flag, whose name begins alike.
                    Case{bare + "_too=true --xla_gpu_autotune_levels=0", XlaFlags::extendable},
                    // Within quotes it is no flag.
                    Case{"--a=\"" + ops + "\" --b='" + level + "'", XlaFlags::extendable},
                    Case{bare + "=\"true\" --xla_gpu_autotune_level='0'", XlaFlags::repeatable},
                    Case{"--a=\"b\\\"c d\" " + ops + " " + level, XlaFlags::repeatable},
                    Case{"--a='b\\' " + ops + " " + level, XlaFlags::repeatable},
                    Case{"--a=\"" + std::string(5000, 'x') + "\" --" + std::string(5000, 'y') +
                             " " + ops,
                         XlaFlags::extendable},
                    // What XLA reads no flags behind.
                    Case{"flags.txt", XlaFlags::closed}, Case{"--a=b c --d", XlaFlags::closed},
                    Case{"--a=\"b " + ops + " " + level, XlaFlags::closed},
                    Case{"--a='b", XlaFlags::closed}, Case{"--a=\"b\\", XlaFlags::closed},
                    Case{"-- --a", XlaFlags::closed},
                    Case{"c " + ops + " " + level, XlaFlags::closed},
                    Case{ops + " " + level + " c", XlaFlags::repeatable}));

} // namespace
} // namespace detshim
