// Files of text that hold values: .csv and .tsv cell by cell, .json and .jsonl value by value.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace detshim {

struct Cell {
  std::string place;     ///< "row 3, column 'loss'", "epochs[2].loss"
  std::string_view text; ///< as it stands in the file
};

/// Gives one cell after another, then nothing.
using CellReader = std::function<std::optional<Cell>()>;

CellReader read_table(std::string_view bytes, char separator);
CellReader read_json(std::string_view bytes);

/// The number that is all of the text.
std::optional<double> number_of(std::string_view text);

} // namespace detshim
