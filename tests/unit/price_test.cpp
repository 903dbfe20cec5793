// Which parts are priced as needed, and which set is named as the cheapest, by trials that are told
// here.
#include "verify/price.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace detshim;

namespace {

using Words = std::vector<std::string>;

Words names_of(const std::vector<PricePart>& parts) {
  Words names;
  for (const PricePart& part : parts)
    names.push_back(part.name);
  return names;
}

/// With all parts a run takes 10 seconds, and so much less without each of those.
constexpr double with_all = 10;

struct Told {
  std::map<std::string, double> costs;
  std::function<std::size_t(const Words& without, std::size_t runs)> differing;
  std::size_t most_trials = 100;
  double slower = 0; ///< the second trial of all, than the first
  std::vector<std::pair<Words, std::size_t>> trials =
      {}; ///< what was left off, and in how many runs

  Price price(const Words& names, double noise = 0) {
    std::vector<PricePart> parts;
    for (const std::string& name : names)
      parts.push_back({name, name});
    PriceSearch search;
    search.has_time = [&](std::size_t) {
      return trials.size() < most_trials;
    };
    search.try_without = [&, noise](const std::vector<PricePart>& left_off, std::size_t runs) {
      const Words without = names_of(left_off);
      trials.emplace_back(without, runs);
      PriceTrial trial{runs, differing(without, runs), with_all, noise, ""};
      for (const std::string& name : without)
        trial.seconds -= costs[name];
      return trial;
    };
    search.try_all_again = [&, noise] {
      trials.emplace_back(Words{}, runs_of_trial);
      return PriceTrial{runs_of_trial, differing({}, runs_of_trial), with_all + slower, noise, ""};
    };
    return find_price({runs_of_trial, 0, with_all, noise, ""}, parts, search);
  }
};

std::size_t none(const Words& /*without*/, std::size_t /*runs*/) { return 0; }

bool is_needed(const Price& price, const std::string& name) {
  for (const PricedPart& part : price.parts)
    if (part.part.name == name)
      return !part.without->repeats();
  ADD_FAILURE() << name;
  return false;
}

TEST(Prices, OfWhatIsNotNeededAreSaved) {
  Told told{{{"dear", 4}, {"cheap", 1}, {"free", 0.1}, {"needed", 5}},
            [](const Words& without, std::size_t runs) {
              return without == Words{"needed"} ? runs - 1 : 0;
            }};
  const Price price = told.price({"cheap", "dear", "free", "needed"});
  EXPECT_EQ(names_of(price.left_off), (Words{"dear", "cheap"}));
  ASSERT_TRUE(price.cheapest);
  EXPECT_EQ(price.cheapest->seconds, 5);
  EXPECT_TRUE(is_needed(price, "needed"));
  EXPECT_FALSE(is_needed(price, "dear"));
  EXPECT_DOUBLE_EQ(*price.cost_of(price.parts[1]), 10.0 / 6);
  EXPECT_FALSE(price.is_out_of_time);
  EXPECT_EQ(told.trials.back().second, 5u);
}

// What was off by itself in one of two runs is looked for in more.
TEST(Prices, AreSavedAfterAsManyRunsAsTheRarestDifferenceWants) {
  Told told{{{"a", 1}, {"rare", 1}}, [](const Words& without, std::size_t /*runs*/) {
              return without == Words{"rare"} ? std::size_t{1} : 0;
            }};
  const Price price = told.price({"a", "rare"});
  EXPECT_EQ(names_of(price.left_off), Words{"a"});
  EXPECT_EQ(told.trials.back(), (std::pair<Words, std::size_t>{{"a"}, 6}));
}

// Each can go alone, and not both: the cheaper one comes back.
TEST(Prices, OfPartsThatStandInForEachOther) {
  Told told{{{"a", 1}, {"b", 2}}, [](const Words& without, std::size_t runs) {
              return without.size() > 1 ? runs - 1 : 0;
            }};
  const Price price = told.price({"a", "b"});
  EXPECT_EQ(names_of(price.left_off), Words{"b"});
  ASSERT_TRUE(price.cheapest);
}

TEST(Prices, WithinChanceAreNone) {
  Told told{{{"a", 1}}, none};
  EXPECT_TRUE(told.price({"a"}, 1).left_off.empty());
  EXPECT_EQ(names_of(told.price({"a"}, 0.5).left_off), Words{"a"});
  Told drifting{{{"a", 1}}, none};
  drifting.slower = 1.5;
  EXPECT_TRUE(drifting.price({"a"}).left_off.empty());
  Told less{{{"a", 0.15}}, none};
  EXPECT_TRUE(less.price({"a"}).left_off.empty());
}

TEST(Prices, AreNotNamedWhereAllOfThemNoLongerRepeat) {
  Told told{{{"a", 1}}, [](const Words& without, std::size_t /*runs*/) {
              return without.empty() ? std::size_t{1} : 0;
            }};
  const Price price = told.price({"a"});
  EXPECT_FALSE(price.all.repeats());
  EXPECT_TRUE(price.left_off.empty());
}

TEST(Prices, AreNotNamedWithoutTime) {
  Told told{{{"a", 1}, {"b", 1}}, none, 1};
  const Price one = told.price({"a", "b"});
  EXPECT_TRUE(one.is_out_of_time);
  EXPECT_TRUE(one.parts[0].without);
  EXPECT_FALSE(one.parts[1].without);
  EXPECT_TRUE(one.left_off.empty());
  EXPECT_FALSE(one.cheapest);
  Told all{{{"a", 1}}, none, 2};
  const Price unconfirmed = all.price({"a"});
  EXPECT_TRUE(unconfirmed.is_out_of_time);
  EXPECT_TRUE(unconfirmed.left_off.empty());
}

} // namespace
