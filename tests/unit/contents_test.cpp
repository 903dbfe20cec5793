// What files hold that a program writes, compared: formats made by hand, byte by byte.
#include "artifact_formats/artifact_formats.h"
#include "artifact_formats/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace detshim;

std::string number_bytes(std::uint64_t number, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i)
    bytes += static_cast<char>(number >> (8 * i) & 0xFF);
  return bytes;
}

std::string float_bytes(float value) {
  return number_bytes(std::bit_cast<std::uint32_t>(value), 4);
}

std::string npy(const std::string& type, const std::string& shape, const std::string& data,
                const std::string& order = "False") {
  const std::string header =
      "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
  return "\x93NUMPY" + std::string("\1\0", 2) + number_bytes(header.size(), 2) + header + data;
}

struct ZipEntry {
  std::string name, data;
  std::uint64_t check = 0, size = 0; ///< of what is packed in `data` by deflate, where it is
  bool is_listed = true;             ///< the directory speaks of it
  std::string descriptor = {};       ///< behind the data, where it was not known before
};

/// A zip archive, all entries of that date.
std::string zip(const std::vector<ZipEntry>& entries, unsigned date = 0x21) {
  std::string bytes, directory;
  const auto listed =
      static_cast<std::uint64_t>(std::ranges::count(entries, true, &ZipEntry::is_listed));
  for (const ZipEntry& entry : entries) {
    const std::string common =
        number_bytes(20, 2) + number_bytes(entry.descriptor.empty() ? 0 : 8, 2) +
        number_bytes(entry.size != 0 ? 8 : 0, 2) + number_bytes(0, 2) + number_bytes(date, 2) +
        number_bytes(entry.check, 4) + number_bytes(entry.data.size(), 4) +
        number_bytes(entry.size != 0 ? entry.size : entry.data.size(), 4) +
        number_bytes(entry.name.size(), 2) + number_bytes(0, 2);
    if (entry.is_listed)
      directory += "PK\1\2" + number_bytes(20, 2) + common + number_bytes(0, 2) +
                   number_bytes(0, 2) + number_bytes(0, 2) + number_bytes(0, 4) +
                   number_bytes(bytes.size(), 4) + entry.name;
    bytes += "PK\3\4" + common + entry.name + entry.data + entry.descriptor;
  }
  return bytes + directory + "PK\5\6" + number_bytes(0, 4) + number_bytes(listed, 2) +
         number_bytes(listed, 2) + number_bytes(directory.size(), 4) +
         number_bytes(bytes.size(), 4) + number_bytes(0, 2);
}

std::string safetensors(const std::string& header, const std::string& data) {
  return number_bytes(header.size(), 8) + header + data;
}

/// One event of TensorBoard's: a scalar under a tag.
std::string event(double wall_time, unsigned step, const std::string& tag, float value) {
  const auto message = [](char key, const std::string& inner) {
    return key + std::string(1, static_cast<char>(inner.size())) + inner;
  };
  const std::string summary = message('\x0a', message('\x0a', tag) + "\x15" + float_bytes(value));
  const std::string data = "\x09" + number_bytes(std::bit_cast<std::uint64_t>(wall_time), 8) +
                           "\x10" + static_cast<char>(step) + message('\x2a', summary);
  return number_bytes(data.size(), 8) + "crc1" + data + "crc2";
}

ContentDifference difference(const std::string& name, const std::string& one,
                             const std::string& other) {
  const FileComparison comparison = compare_contents(name, one, other);
  EXPECT_TRUE(comparison.difference)
      << "equal by " << comparison.format << ": " << comparison.ignored;
  return comparison.difference.value_or(ContentDifference());
}

TEST(Contents, OfEqualBytesAreEqual) {
  const std::string nan = npy("<f4", "(1,)", number_bytes(0x7fc00000, 4));
  EXPECT_FALSE(compare_contents("a.npy", nan, nan).difference);
  EXPECT_EQ(compare_contents("a.npy", nan, nan).ignored, "");
}

TEST(Contents, OfAnArrayDifferAtAnIndex) {
  const std::string one =
      npy("<f4", "(2, 2)", float_bytes(1) + float_bytes(2) + float_bytes(3) + float_bytes(4));
  const std::string other =
      npy("<f4", "(2, 2)", float_bytes(1) + float_bytes(2) + float_bytes(3.5) + float_bytes(8));
  const ContentDifference found = difference("a.npy", one, other);
  EXPECT_EQ(found.where, "array [1, 0]");
  EXPECT_EQ(found.value, "3");
  EXPECT_EQ(found.other_value, "3.5");
  EXPECT_EQ(found.count, 2u);
  EXPECT_EQ(found.of, 4u);
  EXPECT_DOUBLE_EQ(found.max_absolute, 4);
  EXPECT_DOUBLE_EQ(found.max_relative, 0.5);
}

TEST(Contents, InColumnOrderHaveTheFirstIndexFirst) {
  const std::string zeros(8, '\0');
  std::string ones = zeros;
  ones[1] = 1;
  EXPECT_EQ(
      difference("a.npy", npy("|i1", "(4, 2)", zeros, "True"), npy("|i1", "(4, 2)", ones, "True"))
          .where,
      "array [1, 0]");
}

struct Element {
  std::string type, bytes, other_bytes, value, other_value;
};

class Elements : public testing::TestWithParam<Element> {};
INSTANTIATE_TEST_SUITE_P(
    All, Elements,
    testing::Values(Element{"|b1", "\1", std::string(1, '\0'), "true", "false"},
                    Element{"|i1", "\xff", "\x7f", "-1", "127"},
                    Element{"|u1", "\xff", "\x7f", "255", "127"},
                    Element{"<i2", "\xfe\xff", std::string("\1\0", 2), "-2", "1"},
                    Element{"<u8", std::string(8, '\xff'), std::string(7, '\xff') + "\x7f",
                            "18446744073709551615", "9223372036854775807"},
                    Element{"<f2", std::string("\0\x3c", 2), "\1\x3c", "1", "1.0009766"},
                    Element{"<f4", float_bytes(0), float_bytes(-0.0f), "0", "-0"},
                    Element{">f4", std::string("\x3f\x80\0\0", 4), std::string("\x40\0\0\0", 4),
                            "1", "2"},
                    Element{"<f8", number_bytes(std::bit_cast<std::uint64_t>(0.1), 8),
                            number_bytes(std::bit_cast<std::uint64_t>(0.2), 8), "0.1", "0.2"},
                    Element{"<c8", float_bytes(1) + float_bytes(2), float_bytes(1) + float_bytes(3),
                            "(1, 2)", "(1, 3)"},
                    Element{"<f4", number_bytes(0x7fc00000, 4), number_bytes(0x7fc00001, 4),
                            "nan (0x0000c07f)", "nan (0x0100c07f)"},
                    Element{"|S2", "ab", "ac", "0x6162", "0x6163"}));

TEST_P(Elements, AreReadByTheirType) {
  const Element& element = GetParam();
  const ContentDifference found = difference("a.npy", npy(element.type, "()", element.bytes),
                                             npy(element.type, "()", element.other_bytes));
  EXPECT_EQ(found.value, element.value);
  EXPECT_EQ(found.other_value, element.other_value);
}

TEST(Contents, OfOneShapeAndAnotherDiffer) {
  const std::string data = float_bytes(1) + float_bytes(2);
  const ContentDifference found =
      difference("a.npy", npy("<f4", "(2,)", data), npy("<f4", "(2, 1)", data));
  EXPECT_EQ(found.value, "<f4 [2]");
  EXPECT_EQ(found.other_value, "<f4 [2, 1]");
}

TEST(Contents, ThatAreDamagedAreComparedAsBytes) {
  const std::string whole = npy("<f4", "(2,)", float_bytes(1) + float_bytes(2));
  const ContentDifference found = difference("a.npy", whole, whole.substr(0, whole.size() - 1));
  EXPECT_EQ(found.where, "size, and byte " + std::to_string(whole.size() - 1));
  EXPECT_EQ(difference("a.npy", whole, whole + "x").other_value,
            std::to_string(whole.size() + 1) + " bytes");
}

TEST(Contents, OfAnArchiveAreComparedWithoutItsDates) {
  const std::string array = npy("<f4", "(1,)", float_bytes(1)),
                    changed = npy("<f4", "(1,)", float_bytes(2));
  const std::string one = zip({{"w.npy", array}, {"b.npy", array}});
  const FileComparison dated =
      compare_contents("a.npz", one, zip({{"b.npy", array}, {"w.npy", array}}, 0x99));
  EXPECT_FALSE(dated.difference);
  EXPECT_NE(dated.ignored, "");
  EXPECT_EQ(difference("a.npz", one, zip({{"w.npy", changed}, {"b.npy", array}}, 0x99)).where,
            "'w' [0]");
  EXPECT_EQ(difference("a.npz", one, zip({{"w.npy", array}})).where, "'b'");
  EXPECT_EQ(difference("a.npz", zip({{"w.npy", array}}), one).other_value, "<f4 [1]");
}

TEST(Contents, OfAnArchiveAreHeldToTheirChecksum) {
  const std::string text = "123456789";
  const auto archive = [&](std::uint64_t check, unsigned date) {
    const std::string packed = "\1" + number_bytes(text.size(), 2) +
                               number_bytes(0xFFFF - text.size(), 2) + text; // RFC 1951, 3.2.4
    return zip({{"a.txt", packed, check, text.size()}}, date);
  };
  constexpr std::uint64_t right = 0xCBF43926; // the usual check value of CRC-32
  EXPECT_FALSE(compare_contents("a.zip", archive(right, 0x21), archive(right, 0x99)).difference);
  // What cannot be unpacked is compared byte by byte, dates too.
  EXPECT_TRUE(
      compare_contents("a.zip", archive(right + 1, 0x21), archive(right + 1, 0x99)).difference);
}

/// Two arrays saved into one file, one archive behind the other: a reader sees the last of them
/// alone.
TEST(Contents, OfAnArchiveAreNotPassedOverWhereItSaysNothingOfThem) {
  const auto array = [](float value) {
    return zip({{"w.npy", npy("<f4", "(1,)", float_bytes(value))}});
  };
  difference("a.npz", array(1) + array(2),
             array(3) + array(2)); // the offsets are those of the first
  difference("a.npz", array(1) + "x", array(1) + "y");
  difference("a.npz", array(1) + array(2), array(1) + array(3));
  const auto commented = [&](const std::string& comment) {
    std::string bytes = array(1);
    bytes.replace(bytes.size() - 2, 2, number_bytes(comment.size(), 2));
    return bytes + comment;
  };
  EXPECT_EQ(difference("a.npz", commented("seed 1"), commented("seed 2")).where, "'comments' [5]");
}

// An entry that was replaced stays where it was: the directory does not list it.
TEST(Contents, OfAnArchiveAreNotPassedOverBetweenItsEntries) {
  const auto archive = [](const std::string& replaced) {
    return zip({{"a.txt", "a"}, {"b.txt", replaced, 0, 0, false}, {"b.txt", "b"}});
  };
  difference("a.zip", archive("old"), archive("odd"));
}

// A writer that cannot go back says behind an entry what it was: with a signature or without one,
// its sizes in 32 bits or in 64.
TEST(Contents, OfAnArchiveFromAPipeAreComparedWithoutItsDates) {
  for (const std::string signature : {"", "PK\7\10"})
    for (const std::size_t size : {std::size_t{4}, std::size_t{8}}) {
      const std::string descriptor =
          signature + number_bytes(0, 4) + number_bytes(1, size) + number_bytes(1, size);
      const auto archive = [&](unsigned date, const std::string& last) {
        return zip(
            {{"a.txt", "a", 0, 0, true, descriptor}, {"b.txt", last, 0, 0, true, descriptor}},
            date);
      };
      EXPECT_FALSE(compare_contents("a.zip", archive(0x21, "b"), archive(0x99, "b")).difference)
          << descriptor.size();
      EXPECT_EQ(difference("a.zip", archive(0x21, "b"), archive(0x99, "c")).where, "'b.txt' [0]");
    }
}

std::string pickled_text(const std::string& characters) {
  return "X" + number_bytes(characters.size(), 4) + characters;
}

/// {'w': a tensor of two floats}, as PyTorch pickles it.
std::string pickle(const std::string& key = pickled_text("w")) {
  const auto text = pickled_text;
  const std::string storage =
      "(" + text("storage") + "ctorch\nFloatStorage\n" + text("0") + text("cpu") + "K\2tQ";
  return "\x80\2}" + key + "ctorch._utils\n_rebuild_tensor_v2\n(" + storage +
         std::string("K\0", 2) + "K\2\x85K\1\x85\x89tRs.";
}

TEST(Contents, OfACheckpointAreNamedByItsPickle) {
  const auto checkpoint = [](const std::string& folder, float second) {
    return zip({{folder + "/data.pkl", pickle()},
                {folder + "/data/0", float_bytes(1) + float_bytes(second)}});
  };
  const ContentDifference found = difference("a.pt", checkpoint("a", 2), checkpoint("tmp17", 3));
  EXPECT_EQ(found.where, "'data/0 (w)' [1]");
  EXPECT_EQ(found.value, "2");
  EXPECT_EQ(found.parts, 1u);
  EXPECT_FALSE(compare_contents("a.pt", checkpoint("a", 2), checkpoint("tmp17", 2)).difference);
}

// A large checkpoint has more than 256 objects that it names again.
TEST(Contents, OfALargeCheckpointAreNamedByItsPickle) {
  const std::string number = number_bytes(300, 4);
  const std::string key = pickled_text("v") + "q" + number_bytes(300 & 0xFF, 1) + "0" +
                          pickled_text("w") + "r" + number + "0j" + number;
  const auto checkpoint = [&](float second) {
    return zip({{"a/data.pkl", pickle(key)}, {"a/data/0", float_bytes(1) + float_bytes(second)}});
  };
  EXPECT_EQ(difference("a.pt", checkpoint(2), checkpoint(3)).where, "'data/0 (w)' [1]");
}

/// PyTorch writes a hash of all other entries into one of them.
TEST(Contents, OfACheckpointAreShownBeforeTheirHash) {
  const auto checkpoint = [](float second, const std::string& hash) {
    return zip({{"a/data.pkl", pickle()},
                {"a/.data/serialization_id", hash},
                {"a/data/0", float_bytes(1) + float_bytes(second)}});
  };
  const ContentDifference found = difference("a.pt", checkpoint(2, "123"), checkpoint(3, "124"));
  EXPECT_EQ(found.where, "'data/0 (w)' [1]");
  EXPECT_EQ(found.parts, 1u);
  EXPECT_EQ(difference("a.pt", checkpoint(2, "123"), checkpoint(2, "124")).where,
            "'.data/serialization_id' [2]");
}

/// {"epoch": 3, "time": 1.5} by protocol 4, with a number and a text that is to be.
std::string pickle_of(double time, const std::string& text) {
  std::string reversed = number_bytes(std::bit_cast<std::uint64_t>(time), 8);
  std::ranges::reverse(reversed);
  const auto short_text = [](const std::string& value) {
    return "\x8c" + std::string(1, static_cast<char>(value.size())) + value + "\x94";
  };
  return "\x80\x04\x95" + number_bytes(50, 8) + "}\x94(" + short_text("epoch") + "K\x03" +
         short_text("time") + "G" + reversed + short_text("note") + short_text(text) + "u.";
}

TEST(Listing, OfAPickleHasItsNumbersBehindTheirNames) {
  const auto listing = [](double time, const std::string& text = "a") {
    return pickle_listing(pickle_of(time, text)).value_or("(none)");
  };
  EXPECT_NE(listing(1.5).find("\nepoch x94 3\ntime x94 1.5\nnote x94\na x94 u x2e\n"),
            std::string::npos)
      << listing(1.5);
  EXPECT_NE(listing(1.5), listing(1.5000000000000002));
  EXPECT_NE(listing(1.5, "a b"), listing(1.5, "a\nb")) << "a line's end is no blank";
  EXPECT_FALSE(pickle_listing(pickle_of(1.5, "a") + "x")) << "more behind its end";
  EXPECT_FALSE(pickle_listing(pickle_of(1.5, "a").substr(0, 40)));
  EXPECT_FALSE(pickle_listing("I1\n.")) << "protocol 0";
  EXPECT_FALSE(pickle_listing(""));
}

TEST(Contents, OfSafetensorsAreNamed) {
  const std::string header = R"({"w":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}})";
  const ContentDifference found =
      difference("a.safetensors", safetensors(header, std::string("\x80\x3f\x80\x3f", 4)),
                 safetensors(header, std::string("\x80\x3f\0\x40", 4)));
  EXPECT_EQ(found.where, "'w' [1]");
  EXPECT_EQ(found.value, "1");
  EXPECT_EQ(found.other_value, "2");
}

// Bytes that lie in no tensor, or metadata, are no smaller a difference.
TEST(Contents, OfSafetensorsAreAllCompared) {
  const std::string gap =
      R"({"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"v":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})";
  EXPECT_EQ(difference("a.safetensors", safetensors(gap, "ab"), safetensors(gap, "ac")).unit,
            "byte");
  const auto with_metadata = [](const std::string& text) {
    return safetensors(R"({"__metadata__":{"a":")" + text +
                           R"("},"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
                       "a");
  };
  EXPECT_EQ(difference("a.safetensors", with_metadata("1"), with_metadata("2")).where.substr(0, 8),
            "'header'");
}

TEST(Contents, OfEventsAreComparedWithoutTheirTimes) {
  const std::string name = "runs/events.out.tfevents.1.host.2";
  const std::string one = event(1.5, 1, "loss", 0.5) + event(2.5, 2, "loss", 0.25);
  const FileComparison later =
      compare_contents(name, one, event(9.5, 1, "loss", 0.5) + event(10.5, 2, "loss", 0.25));
  EXPECT_FALSE(later.difference);
  EXPECT_EQ(later.ignored, "wall_time of the events");
  const ContentDifference found =
      difference(name, one, event(1.5, 1, "loss", 0.5) + event(2.5, 2, "loss", 0.125));
  EXPECT_EQ(found.where, "'loss' [1]");
  EXPECT_EQ(found.other_value, "0.125");
  EXPECT_EQ(difference(name, one, event(1.5, 1, "loss", 0.5) + event(2.5, 3, "loss", 0.25)).where,
            "'loss (steps)' [1]");
}

TEST(Contents, OfEventsArePassedOverForTheirTimesAlone) {
  const auto with_text = [](char letter) {
    const std::string data = std::string("\x0a\x01") + letter;
    return number_bytes(data.size(), 8) + "crc1" + data + "crc2";
  };
  difference("a.tfevents.1", with_text('a'), with_text('b'));
}

// A part that the file names cannot be taken for one that its reader named.
TEST(Contents, OfEqualFilesAreEqualWhateverTheirPartsAreCalled) {
  for (const std::string tag : {"events", "<events>", "loss (steps)"}) {
    const auto with = [&](double time) {
      return event(time, 1, "loss", 0.5) + event(time, 1, tag, 0.25) + event(time, 2, "steps", 1);
    };
    const FileComparison found = compare_contents("a.tfevents.1", with(1.5), with(2.5));
    EXPECT_FALSE(found.difference) << tag << found.difference->where;
  }
  const std::string array = npy("<f4", "(1,)", float_bytes(1));
  for (const std::string name : {"a", "a (header)", "comments", "<header> a", "<comments>"}) {
    const auto with = [&](unsigned date) {
      return zip({{name, "xy"}, {"a.npy", array}}, date);
    };
    const FileComparison found = compare_contents("a.npz", with(0x21), with(0x99));
    EXPECT_FALSE(found.difference) << name << found.difference->where;
    difference("a.npz", with(0x21), zip({{name, "xz"}, {"a.npy", array}}, 0x99));
  }
}

TEST(Contents, OfATensorNamedHeaderAreNotTheHeader) {
  const auto with = [](const std::string& blank) {
    return safetensors(R"({"header":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})" + blank,
                       "a");
  };
  EXPECT_EQ(difference("a.safetensors", with(""), with(" ")).other_value.substr(0, 4), "text");
}

TEST(Contents, OfOneOrderAndAnotherSaySo) {
  const std::string data(32, '\0');
  const ContentDifference found =
      difference("a.npy", npy("<f8", "(2, 2)", data), npy("<f8", "(2, 2)", data, "True"));
  EXPECT_NE(found.value, found.other_value);
  EXPECT_EQ(found.other_value, "<f8 [2, 2] in Fortran's order");
}

/// One file, with an extra field in both of its headers.
std::string zip_with(const std::string& extra, unsigned attributes = 0,
                     const std::string& local_extra = "") {
  const auto fixed = [](const std::string& its_extra) {
    return number_bytes(20, 2) + number_bytes(0, 2) + number_bytes(0, 2) + number_bytes(0, 4) +
           number_bytes(0, 4) + number_bytes(1, 4) + number_bytes(1, 4) + number_bytes(1, 2) +
           number_bytes(its_extra.size(), 2);
  };
  const std::string local = "PK\3\4" + fixed(extra + local_extra) + "w" + extra + local_extra + "x";
  const std::string entry = "PK\1\2" + number_bytes(0x314, 2) + fixed(extra) + number_bytes(0, 6) +
                            number_bytes(attributes, 4) + number_bytes(0, 4) + "w" + extra;
  return local + entry + "PK\5\6" + number_bytes(0, 4) + number_bytes(1, 2) + number_bytes(1, 2) +
         number_bytes(entry.size(), 4) + number_bytes(local.size(), 4) + number_bytes(0, 2);
}

TEST(Contents, OfAnArchiveAreComparedWithoutTheDatesInExtraFieldsAndSaySo) {
  const FileComparison found = compare_contents("a.zip", zip_with("UT" + number_bytes(1, 2) + 'a'),
                                                zip_with("UT" + number_bytes(1, 2) + 'b'));
  EXPECT_FALSE(found.difference);
  EXPECT_NE(found.ignored.find("dates"), std::string::npos) << found.ignored;
  const std::string padded = zip_with("", 0, "FB" + number_bytes(2, 2) + "ZZ"); // as PyTorch does
  EXPECT_FALSE(compare_contents("a.pt", zip_with(""), padded).difference);
}

// A link, or a file that others may run, is another thing than a file.
TEST(Contents, OfAnArchiveAreComparedWithTheirAttributes) {
  const ContentDifference found =
      difference("a.zip", zip_with("", 0100644U << 16), zip_with("", 0120777U << 16));
  EXPECT_EQ(found.where, "'w (attributes)'");
  EXPECT_NE(found.value.find("mode 100644"), std::string::npos) << found.value;
  EXPECT_NE(found.other_value.find("mode 120777"), std::string::npos) << found.other_value;
  difference("a.zip", zip_with("", 0100644U << 16), zip_with("", 0100755U << 16));
  difference("a.zip", zip_with("ux" + number_bytes(1, 2) + 'a'),
             zip_with("ux" + number_bytes(1, 2) + 'b'));
  // A reader refuses one of these.
  EXPECT_NE(difference("a.zip", zip({{"a", "a", 0xE8B7BE43}}), zip({{"a", "a", 1}}))
                .other_value.find("damaged"),
            std::string::npos);
}

TEST(Contents, OfATableDifferInACell) {
  const ContentDifference found = difference("a.csv", "epoch,loss\n1,0.5\n2,\"0,25\"\n3,1\n",
                                             "epoch,loss\n1,0.75\n2,\"0,25\"\n3,2\n");
  EXPECT_EQ(found.where, "line 2, value 2, loss");
  EXPECT_EQ(found.value, "0.5");
  EXPECT_EQ(found.count, 2u);
  EXPECT_DOUBLE_EQ(found.max_absolute, 1);
  EXPECT_EQ(difference("a.csv", "a\n", "a\r\n").where, "size, and byte 1");
  EXPECT_EQ(difference("a.csv", "a\n1\n", "a\n1\n2\n").where, "line 3, value 1, a");
}

TEST(Contents, OfJsonDifferInAValue) {
  const ContentDifference found =
      difference("a.json", R"({"epochs": [{"loss": 1.0}, {"loss": NaN}]})",
                 R"({"epochs": [{"loss": 1.0}, {"loss": 0.5}]})");
  EXPECT_EQ(found.where, "line 1, value 5, \"loss\"");
  EXPECT_EQ(found.value, "NaN");
  // The order of a dictionary is what often differs from run to run, and white space is bytes.
  EXPECT_EQ(difference("a.json", R"({"a":1,"b":2})", R"({"b":2,"a":1})").value, "\"a\"");
  EXPECT_EQ(difference("a.json", R"({"a":1})", R"({"a": 1})").where.substr(0, 4), "size");
  EXPECT_EQ(difference("a.jsonl", "{\"a\":1}\n{\"a\":2}\n", "{\"a\":1}\n{\"a\":3}\n").where,
            "line 2, value 2, \"a\"");
}

} // namespace
