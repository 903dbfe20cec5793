// Long lines at a terminal: report/wrapped_lines.h.
#include "report/wrapped_lines.h"

#include <gtest/gtest.h>

namespace detshim {
namespace {

TEST(WrappedLines, LeaveWhatFits) {
  for (const char* line : {"", "   ", "label       a short text", "word"})
    EXPECT_EQ(wrapped_line(line, 40), line);
}

TEST(WrappedLines, GoOnUnderTheirText) {
  EXPECT_EQ(wrapped_line("different   stdout, run 1 and run 2: line 2 of ten", 36),
            "different   stdout, run 1 and run 2:\n"
            "            line 2 of ten");
  EXPECT_EQ(wrapped_line("            continued with more words than fit", 36),
            "            continued with more\n"
            "            words than fit");
  EXPECT_EQ(wrapped_line("a plain sentence without any label at all", 20),
            "a plain sentence\nwithout any label at\nall");
}

TEST(WrappedLines, KeepLongWordsAndCommandsWhole) {
  EXPECT_EQ(wrapped_line("label   /a/path/that/is/longer/than/the/line it was in", 30),
            "label   /a/path/that/is/longer/than/the/line\n        it was in");
  const char* const command = "all of it:  detshim log diff /some/folder/one /some/folder/two";
  EXPECT_EQ(wrapped_line(command, 30), command);
  EXPECT_EQ(wrapped_line("a label that is all of what there is  and text behind it", 25),
            "a label that is all of\nwhat there is  and text\nbehind it");
}

TEST(WrappedLines, CountNeitherColourNorBytes) {
  EXPECT_EQ(wrapped_line("\033[1mverdict:\033[0m covered, as it is", 26),
            "\033[1mverdict:\033[0m covered, as it is");
  EXPECT_EQ(wrapped_line("\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4 \xC3\xB6\xC3\xB6\xC3\xB6 1234567890 12", 22),
            "\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4 \xC3\xB6\xC3\xB6\xC3\xB6 1234567890 12");
}

TEST(WrappedLines, OfANarrowTerminalGoOnFurtherLeft) {
  const char* const line = "            words behind a wide label, in ten columns";
  EXPECT_EQ(wrapped_line(line, 30), "            words behind a\n    wide label, in ten columns");
  EXPECT_EQ(wrapped_line(line, 20), line) << "too narrow for anything";
}

TEST(WrappedLines, ThatNameAVariableAreNoCommands) {
  EXPECT_EQ(wrapped_line("seed 42 (from DETSHIM_SEED), mode enforce", 30),
            "seed 42 (from DETSHIM_SEED),\nmode enforce");
  const char* const command = "the rest    DETSHIM_DISABLE=env:A,env:B and more of it";
  EXPECT_EQ(wrapped_line(command, 40), command);
}

} // namespace
} // namespace detshim
