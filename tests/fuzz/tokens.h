// Program texts as tokens, and damage done to them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "reduce/random.h"

namespace weft::fuzz {

using reduce::Numbers;
using reduce::Random;
using reduce::random_tensor;

/// Words, numbers, strings, blanks and single signs; together they are the text.
std::vector<std::string_view> tokens(std::string_view text);
std::vector<std::string_view> lines(std::string_view text);
/// One to five tokens, lines or bytes deleted, doubled, exchanged, or taken from another program.
std::string damaged(Random& random, const std::string& text, const std::string& other);

}  // namespace weft::fuzz
