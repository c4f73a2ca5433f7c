// What `weft test` runs: a program of our own, or a record of a manifest.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ir/target.h"

namespace weft::cli {

struct Record {
  enum Kind : uint8_t { kProgram, kCase, kExported, kDerived } kind = kProgram;
  std::string id;
  std::string file;      // the .mlir
  nlohmann::json facts;  // the manifest's record
  std::string base;      // of kDerived: the .mlir of the program to derive from
  std::string op;        // what the score by op counts it under; empty for records that run nothing
};

struct Outcome {
  enum Status : uint8_t { kPassed, kFailed, kSkipped } status = kPassed;
  std::string reason;
  bool strict = true;  // passed by the strict score too
  /// For the counts. Verify-error records: what the refusal says; others: whether the program reads, and reads again as it was printed.
  enum Note : unsigned {
    kRefused = 1,
    kExpectsOp = 2,
    kNamesOp = 4,
    kExpectsLabel = 8,
    kHasLabel = 16,
    kReads = 32,
    kFixedPoint = 64,
    kByDifferences = 128,  // a gradient that is not the record's, but that of finite differences of the program
  };
  unsigned notes = 0;
};

/// A verification mode: how a program is changed before it runs and what is switched off while it does.
struct Mode {
  bool reparse = false;  // print and parse first
  bool generic = false;  // … in generic form
  bool simplify = false;
  bool arguments = false;  // all constants become arguments
  CompileOptions options;
};
/// Modes may be joined by commas. UserError for a name that is none.
Mode mode_of(const std::string& name);
/// The names for --list-modes.
std::vector<std::string> modes_of(const std::string& target);

/// The program as the mode wants it.
std::unique_ptr<Module> changed_by(const Mode& mode, std::unique_ptr<Module> module, const std::string& file);

Outcome run_record(const Record& record, const Target& target, const Mode& mode);

/// The entry with its own constants and the results of @inputs() as arguments, and their values; no module when it has none.
struct Hoisted {
  std::shared_ptr<const Module> module;
  std::vector<Tensor> args;
};
Hoisted constants_as_arguments(const Module& module, const std::string& entry);
/// Every constant that the entry reaches as a further argument, also in loops, branches and functions that it calls; what says the extents
/// of a result stays. No module when there is none.
Hoisted all_constants_as_arguments(const Module& module, const std::string& entry);

}  // namespace weft::cli
