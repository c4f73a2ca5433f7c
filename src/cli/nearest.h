// Which known word an unknown one was meant to be.
#pragma once
#include <span>
#include <string>

namespace weft::cli {

/// The candidate that is fewest edits (insertions, deletions, replacements, swaps of neighbours) away; empty when none is near.
std::string nearest(const std::string& word, std::span<const std::string> candidates);
/// "; did you mean X?" or nothing.
std::string did_you_mean(const std::string& word, std::span<const std::string> candidates);

}  // namespace weft::cli
