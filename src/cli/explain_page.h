// The account of a compiled program as one HTML page that needs nothing else: no network, no other file.
#pragma once
#include <string>

#include "ir/account.h"

namespace weft::cli {

/// `source`: the program's text, whose lines the steps point at.
std::string explain_page(const ProgramAccount& account, const std::string& source, const std::string& file,
                         const std::string& entry);

}  // namespace weft::cli
