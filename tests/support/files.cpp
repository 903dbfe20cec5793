#include "files.h"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <system_error>

std::string contents(const std::filesystem::path& file) {
  std::ifstream stream{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{stream}, {}};
}

std::vector<Section> sections(const std::filesystem::path& file) {
  const std::string mark = "## ";
  std::vector<Section> found = {{}}; // the first is what stands above
  std::istringstream text{contents(file)};
  std::string empty_lines;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with(mark)) {
      found.push_back({line.substr(mark.size()), found.front().text});
      empty_lines.clear();
    } else if (line.empty()) {
      empty_lines += '\n';
    } else {
      found.back().text += empty_lines + line + '\n';
      empty_lines.clear();
    }
  }
  found.erase(found.begin());
  if (found.empty())
    throw std::runtime_error("no sections in " + file.string());
  return found;
}

std::string section(const std::filesystem::path& file, const std::string& name) {
  for (const Section& one : sections(file))
    if (one.name == name)
      return one.text;
  throw std::runtime_error("no section " + name + " in " + file.string());
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "detshim-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw std::system_error(errno, std::generic_category(), "mkdtemp");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored; // what cannot be removed must not end the test
  std::filesystem::remove_all(path_, ignored);
}
