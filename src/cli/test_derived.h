// Records of derivatives and lanes that were exported beside a program: derived anew from the program, compared with the record.
#pragma once
#include <string_view>
#include <vector>

#include "cli/test_record.h"

namespace weft::cli {

/// What a record is of its base program (the first part of its name: "grad", "vmap", …); empty when it is no such derivation.
std::string_view derivation_of(const Record& record);
/// Keeps the records that are derived from another of them, and makes them of kind kDerived.
void keep_derived(std::vector<Record>& records);
/// Derives from the base program, runs that and compares.
Outcome run_derived(const Record& record, const Target& target, const Mode& mode);

}  // namespace weft::cli
