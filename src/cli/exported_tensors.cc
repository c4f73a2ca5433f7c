#include "cli/exported_tensors.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "base/file.h"
#include "base/float_format.h"
#include "base/format.h"

namespace weft::cli {
namespace {

double epsilon(ElementType t) {
  switch (t) {
    case ElementType::kF64:
    case ElementType::kC128: return std::numeric_limits<double>::epsilon();
    case ElementType::kF16: return 0x1p-10;
    case ElementType::kBF16: return 0x1p-7;
    default: return std::numeric_limits<float>::epsilon();
  }
}

bool is_approximate(ElementType t) { return is_float(t) || is_complex(t); }

std::complex<double> number(const Tensor& t, int64_t i) {
  const ElementType type = t.element_type();
  const ElementType part = type == ElementType::kC64    ? ElementType::kF32
                           : type == ElementType::kC128 ? ElementType::kF64
                                                        : type;
  const std::byte* at = t.buffer().data() + static_cast<size_t>(i) * byte_size(type);
  uint64_t re = 0, im = 0;
  std::memcpy(&re, at, byte_size(part));
  if (is_complex(type)) std::memcpy(&im, at + byte_size(part), byte_size(part));
  return {decode_float(part, re), is_complex(type) ? decode_float(part, im) : 0.0};
}

bool same_special(double a, double b) { return (std::isnan(a) && std::isnan(b)) || a == b; }

double abs_error_of_xla(const nlohmann::json& facts) {
  if (!facts.contains("xla_err_vs_f64")) return 0;
  const auto& abs = facts["xla_err_vs_f64"]["abs"];
  return abs.is_number() ? abs.get<double>() : 0.0;
}

}  // namespace

ExportedTensors::ExportedTensors(const Record& record)
    : facts_(record.facts.at("tensors")), num_arguments_(record.facts.at("n_in")) {
  const std::string inside = record.facts.at("file");
  const std::string folder = record.file.substr(0, record.file.size() - inside.size());
  bytes_ = read_file(folder + record.facts.at("data").get<std::string>());
  if (facts_.size() != num_arguments_ + record.facts.at("n_out").get<size_t>())
    throw UserError("the record has another number of tensors");
}

Tensor ExportedTensors::read(size_t i, Type type) const {
  const auto& facts = facts_.at(i);
  const Shape shape = facts.at("shape").get<Shape>();
  const size_t offset = facts.at("offset"), size = facts.at("nbytes");
  if (!type.is_tensor() || Type::tensor(type.element_type(), shape) != type || size != type.num_bytes() ||
      offset + size > bytes_.size()) {
    throw UserError("the record's tensor " + facts.at("name").get<std::string>() + " is not a " + type.str());
  }
  Tensor t(type.element_type(), shape);
  std::memcpy(t.raw(), bytes_.data() + offset, size);
  return t;
}

std::vector<Tensor> ExportedTensors::arguments(size_t first, std::span<const Type> types) const {
  if (first + types.size() > num_arguments_) {
    throw UserError("arguments: got " + std::to_string(first + types.size()) + ", the record has " +
                    std::to_string(num_arguments_));
  }
  std::vector<Tensor> out;
  for (size_t i = 0; i < types.size(); ++i) out.push_back(read(first + i, types[i]));
  return out;
}

std::string ExportedTensors::difference(const std::vector<Tensor>& got) const {
  const size_t count = facts_.size() - num_arguments_;
  if (got.size() != count)
    return "results: got " + std::to_string(got.size()) + ", the record has " + std::to_string(count);
  std::vector<Tensor> expected;
  for (size_t i = 0; i < got.size(); ++i)
    expected.push_back(read(num_arguments_ + i, Type::tensor(got[i].element_type(), got[i].shape())));
  return difference(got, expected);
}

std::string ExportedTensors::difference(const std::vector<Tensor>& got, const std::vector<Tensor>& expected) const {
  double scale = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    if (!is_approximate(got[i].element_type())) continue;
    for (int64_t k = 0; k < expected[i].size(); ++k) {
      const double m = std::abs(number(expected[i], k));
      if (std::isfinite(m)) scale = std::max(scale, m);
    }
  }
  for (size_t i = 0; i < got.size(); ++i) {
    const ElementType t = got[i].element_type();
    if (!is_approximate(t)) {
      if (std::memcmp(got[i].raw(), expected[i].raw(), got[i].size_bytes()) != 0)
        return "result " + std::to_string(i) + " differs";
      continue;
    }
    const double xla = abs_error_of_xla(facts_.at(num_arguments_ + i));
    const double allowed = std::max(8 * xla, 16 * epsilon(t) * scale);
    double worst = 0;
    for (int64_t k = 0; k < got[i].size(); ++k) {
      const auto a = number(got[i], k), e = number(expected[i], k);
      if (same_special(a.real(), e.real()) && same_special(a.imag(), e.imag())) continue;
      const double error = std::abs(a - e);
      if (!(error <= allowed)) worst = std::isnan(error) ? INFINITY : std::max(worst, error);
    }
    if (worst > 0)
      return "result " + std::to_string(i) + ": error " + format_float(worst) + ", allowed " + format_float(allowed);
  }
  return {};
}

}  // namespace weft::cli
