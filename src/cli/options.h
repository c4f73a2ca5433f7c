// The command line: words in, a call of one command out.
#pragma once
#include <string>
#include <vector>

namespace weft::cli {

/// Calls the command that `words` (without the program's name) name and returns its exit code. Throws UsageError for unknown
/// commands and options, with the nearest there is, and what the command throws.
int dispatch(std::vector<std::string> words);

}  // namespace weft::cli
