// The inputs and outputs of a program exported with them, and the rule by which results pass.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "cli/test_record.h"
#include "weft/tensor.h"

namespace weft::cli {

class ExportedTensors {
 public:
  explicit ExportedTensors(const Record& record);

  size_t num_arguments() const { return num_arguments_; }
  /// As many arguments as there are types, from `first` on. UserError when the record holds others than these types.
  std::vector<Tensor> arguments(size_t first, std::span<const Type> types) const;
  /// What is wrong with the results; empty when nothing is. Integers and booleans are exact; a floating-point element may be off by 8
  /// times the error that the exporter's own results have against f64, or by 16 eps of the largest of all results.
  std::string difference(const std::vector<Tensor>& got) const;
  /// As above, from other results than the record's, as precise as they.
  std::string difference(const std::vector<Tensor>& got, const std::vector<Tensor>& expected) const;

 private:
  Tensor read(size_t i, Type type) const;

  nlohmann::json facts_;  // of the tensors, arguments first
  size_t num_arguments_;
  std::string bytes_;
};

}  // namespace weft::cli
