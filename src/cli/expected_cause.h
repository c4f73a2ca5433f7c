// Whether an error of ours names the cause that a verify-error record expects.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace weft::cli {

/// How a refusal agrees with the record's expected_diagnostics, which are the words of another verifier.
struct CauseVerdict {
  bool expects_op = false;     // the record says at which op
  bool names_op = false;       // our message begins with an op, and with that one
  bool expects_label = false;  // the expected words stand for a constraint of the specification
  bool has_label = false;      // our message carries that constraint's label
  std::string wrong;           // our label is another; empty when it is right or none is expected
  std::string aside;           // worth a note: our message is at another op, or at none
};

/// `message`: our UserError's text, "[op] … (label)". `facts`: the manifest's record.
CauseVerdict judge_cause(const std::string& message, const nlohmann::json& facts);

}  // namespace weft::cli
