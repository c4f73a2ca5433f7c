// Our derivatives and lanes of the exported programs against those that were exported with them: gradients, lanes, gradients over
// lanes, Jacobians and Hessians, computed elsewhere by another system.
// The folder of the corpora is WEFT_CORPUS, by default ../shared beside the checkout; without it the test is skipped.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "eval/evaluator.h"
#include "ops/families.h"
#include "ops/scalar/num.h"
#include "text/parse.h"
#include "transform/gradient.h"
#include "transform/vectorize.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// The unpacked folder; empty when there is no corpus.
fs::path exported_programs() {
  const char* given = std::getenv("WEFT_CORPUS");
  const fs::path corpus = given != nullptr ? fs::path(given) : fs::path(WEFT_SOURCE_DIR) / ".." / "shared";
  const fs::path archive = corpus / "conformance" / "jax-open.tar.xz";
  if (!fs::exists(archive)) return {};
  const fs::path folder = fs::path(WEFT_BINARY_DIR) / "corpus";
  if (!fs::exists(folder / "jax" / "manifest.open.jsonl")) {
    fs::create_directories(folder);
    const std::string command = "tar -xf '" + archive.string() + "' -C '" + folder.string() + "'";
    if (std::system(command.c_str()) != 0) return {};
  }
  return folder / "jax";
}

std::optional<ElementType> element_of(const std::string& numpy) {
  static const std::map<std::string, ElementType> kTypes = {
      {"bool", ElementType::kI1},     {"int8", ElementType::kI8},       {"int16", ElementType::kI16},
      {"int32", ElementType::kI32},   {"int64", ElementType::kI64},     {"uint8", ElementType::kU8},
      {"uint16", ElementType::kU16},  {"uint32", ElementType::kU32},    {"uint64", ElementType::kU64},
      {"float16", ElementType::kF16}, {"bfloat16", ElementType::kBF16}, {"float32", ElementType::kF32},
      {"float64", ElementType::kF64}};
  const auto at = kTypes.find(numpy);
  return at == kTypes.end() ? std::nullopt : std::optional(at->second);
}

struct Expected {
  Tensor value;
  double reference_error;  // of the exporter, against the same program in f64
};
/// Arguments, then expected results; nothing when a type is not real.
std::optional<std::vector<Expected>> read_tensors(const Json& record, const std::string& bytes) {
  std::vector<Expected> out;
  for (const Json& t : record.at("tensors")) {
    const auto element = element_of(t.at("dtype"));
    if (!element) return std::nullopt;
    Tensor value(*element, t.at("shape").get<Shape>());
    std::memcpy(value.raw(), bytes.data() + t.at("offset").get<size_t>(), value.size_bytes());
    double error = 0;
    if (t.contains("xla_err_vs_f64") && t["xla_err_vs_f64"].contains("abs") && t["xla_err_vs_f64"]["abs"].is_number()) {
      error = t["xla_err_vs_f64"]["abs"];
    }
    out.push_back({std::move(value), error});
  }
  return out;
}

double element(const Tensor& t, int64_t i) { return load_num(t.raw(), t.element_type(), i).real; }
std::byte* at(const Tensor& t, int64_t i) {
  return static_cast<std::byte*>(t.raw()) + static_cast<size_t>(i) * byte_size(t.element_type());
}

/// A base program and what is asked of it.
class Derivation {
 public:
  explicit Derivation(std::unique_ptr<Module> module) : module_(std::move(module)) {
    const Function& f = module_->get("main");
    types_ = f.arg_types();
    results_ = f.result_types();
    for (size_t i = 0; i < types_.size(); ++i) {
      if (is_float(types_[i].element_type())) where_.push_back(i);
    }
  }
  size_t num_args() const { return types_.size(); }

  std::vector<Tensor> lanes(const std::vector<Tensor>& args) { return over_three_lanes("main", args); }
  std::vector<Tensor> gradients(const std::vector<Tensor>& args) {
    return evaluate(*module_, gradient_of_loss(), args);
  }
  std::vector<Tensor> gradients_over_lanes(const std::vector<Tensor>& args) {
    return over_three_lanes(gradient_of_loss(), args);
  }
  std::vector<Tensor> jacobian(const std::vector<Tensor>& args) { return jacobian_of("main", results_, args); }
  std::vector<Tensor> hessian(const std::vector<Tensor>& args) {
    const std::string g = gradient_of_loss();
    return jacobian_of(g, module_->get(g).result_types(), args);
  }

 private:
  std::vector<Tensor> over_three_lanes(const std::string& f, const std::vector<Tensor>& args) {
    const std::vector<int64_t> axes(types_.size(), 0);
    const std::string name = vectorize(*module_, f, axes, 3).name();
    verify(*module_);
    return evaluate(*module_, name, args);
  }

  /// The gradient of the sum over float results of 0.7 * sum(sin(result)), 16-bit results taken to f32 first.
  std::string gradient_of_loss() {
    Function& loss = module_->add(std::make_unique<Function>("loss"));
    std::vector<Value> args;
    for (Type t : types_) args.push_back(loss.add_arg(loss.body(), t));
    OpBuilder b(loss, loss.body(), module_.get());
    Value sum;
    for (Value v : b.create("func.call", args, Attrs{{"callee", "main"}}, results_)) {
      if (is_complex(b.type(v).element_type())) throw Unsupported("the loss of complex results");
      if (!is_float(b.type(v).element_type())) continue;
      if (byte_size(b.type(v).element_type()) == 2) v = b.convert(v, ElementType::kF32);
      const ElementType e = b.type(v).element_type();
      std::vector<int64_t> dims;
      for (int64_t d = 0; d < b.type(v).rank(); ++d) dims.push_back(d);
      const Value part = b.multiply(b.reduce(b.make("stablehlo.sine", {v}), dims, "stablehlo.add"), b.scalar(e, 0.7));
      sum = sum ? b.add(sum, b.convert(part, b.type(sum).element_type())) : part;
    }
    b.yield(std::span(&sum, 1));
    gradient(*module_, "loss", where_, "gradient_of_loss");
    verify(*module_);
    return "gradient_of_loss";
  }

  /// All columns at once: the forward derivative over one lane for each element of the arguments.
  std::vector<Tensor> jacobian_of(const std::string& f, const std::vector<Type>& results, std::vector<Tensor> args) {
    jvp(*module_, f, where_, "tangents");
    int64_t columns = 0;
    for (size_t i : where_) columns += types_[i].num_elements();
    std::vector<int64_t> axes(types_.size(), kUniform);
    int64_t column = 0;
    for (size_t i : where_) {
      const Type lane = with_lanes(types_[i], columns);
      Tensor basis = Tensor::zeros(lane.element_type(), Shape(lane.shape().begin(), lane.shape().end()));
      const Tensor one = scalar_tensor(lane.element_type(), 1);
      const int64_t count = types_[i].num_elements();
      for (int64_t k = 0; k < count; ++k) std::memcpy(at(basis, (column + k) * count + k), one.raw(), one.size_bytes());
      column += count;
      axes.push_back(0);
      args.push_back(std::move(basis));
    }
    const std::string name = vectorize(*module_, "tangents", axes, columns).name();
    verify(*module_);
    const std::vector<Tensor> all = evaluate(*module_, name, args);
    std::vector<Tensor> out;
    size_t tangent = results.size();
    for (const Type& result : results) {
      if (!is_float(result.element_type())) continue;
      const Tensor& rows = all[tangent++];
      column = 0;
      for (size_t i : where_) {
        const int64_t count = types_[i].num_elements(), size = result.num_elements();
        Shape shape(result.shape().begin(), result.shape().end());
        shape.insert(shape.end(), types_[i].shape().begin(), types_[i].shape().end());
        Tensor block(result.element_type(), shape);
        for (int64_t r = 0; r < size; ++r) {
          for (int64_t k = 0; k < count; ++k) {
            std::memcpy(at(block, r * count + k), at(rows, (column + k) * size + r), byte_size(result.element_type()));
          }
        }
        column += count;
        out.push_back(std::move(block));
      }
    }
    return out;
  }

  std::unique_ptr<Module> module_;
  std::vector<Type> types_, results_;
  std::vector<size_t> where_;
};

double epsilon(ElementType t) {
  return t == ElementType::kF64   ? 0x1p-52
         : t == ElementType::kF32 ? 0x1p-23
         : t == ElementType::kF16 ? 0x1p-10
                                  : 0x1p-7;
}

/// The corpus' rule: integers exact; |got - expected| at most 8 times the exporter's own error, or 16 eps of the largest result.
void expect_within_rule(const std::vector<Tensor>& got, std::span<const Expected> expected) {
  ASSERT_EQ(got.size(), expected.size());
  double scale = 0;
  for (const Expected& e : expected) {
    if (!is_float(e.value.element_type())) continue;
    for (int64_t i = 0; i < e.value.size(); ++i) {
      if (std::isfinite(element(e.value, i))) scale = std::max(scale, std::fabs(element(e.value, i)));
    }
  }
  for (size_t r = 0; r < got.size(); ++r) {
    const Tensor& e = expected[r].value;
    ASSERT_EQ(got[r].element_type(), e.element_type()) << "result " << r;
    ASSERT_EQ(got[r].shape(), e.shape()) << "result " << r;
    if (!is_float(e.element_type())) {
      EXPECT_EQ(std::memcmp(got[r].raw(), e.raw(), e.size_bytes()), 0) << "result " << r;
      continue;
    }
    const double allowed = std::max(8 * expected[r].reference_error, 16 * epsilon(e.element_type()) * scale);
    for (int64_t i = 0; i < e.size(); ++i) {
      const double a = element(got[r], i), b = element(e, i);
      if (a == b || (std::isnan(a) && std::isnan(b))) continue;
      ASSERT_NEAR(a, b, allowed) << "result " << r << ", element " << i;
    }
  }
}

/// Exported derivatives that are not those of the exported program.
const std::map<std::string, std::string> kOtherDerivatives = {
    {"grad/cf/custom_vjp", "its gradient is what its author says"},
    {"grad/linalg/cho_solve",
     "takes cholesky to read the whole matrix; the op reads one triangle (specification: cholesky)"},
    {"grad/diffrax/tsit5_adaptive", "differs in the fourth digit, not looked into: step sizes depend on the state"},
};

TEST(ExportedDerivatives, EqualThoseExportedBesideTheProgram) {
  const fs::path folder = exported_programs();
  if (folder.empty()) GTEST_SKIP() << "no corpus: WEFT_CORPUS names no folder with conformance/jax-open.tar.xz";
  std::map<std::string, Json> records;
  std::ifstream manifest(folder / "manifest.open.jsonl");
  for (std::string line; std::getline(manifest, line);) {
    // NaN is no JSON; it occurs among statistics that are not read here.
    for (size_t p; (p = line.find(": NaN")) != std::string::npos;) line.replace(p, 5, ": null");
    for (size_t p; (p = line.find(": Infinity")) != std::string::npos;) line.replace(p, 10, ": null");
    Json record = Json::parse(line);
    const std::string id = record.at("id");
    records[id.substr(id.find('/') + 1)] = std::move(record);
  }
  using Ask = std::vector<Tensor> (Derivation::*)(const std::vector<Tensor>&);
  const std::map<std::string, Ask> asks = {{"grad", &Derivation::gradients},
                                           {"vmap", &Derivation::lanes},
                                           {"vmap_grad", &Derivation::gradients_over_lanes},
                                           {"jacfwd", &Derivation::jacobian},
                                           {"jacrev", &Derivation::jacobian},
                                           {"hessian", &Derivation::hessian}};
  int held = 0;
  std::map<std::string, int> unsupported;
  for (const auto& [id, record] : records) {
    const auto ask = asks.find(id.substr(0, id.find('/')));
    const auto base = records.find(record.at("base"));
    if (ask == asks.end() || base == records.end()) continue;
    if (kOtherDerivatives.contains(id)) continue;
    SCOPED_TRACE(id);
    const auto tensors = read_tensors(record, read_file((folder / record.at("data").get<std::string>()).string()));
    if (!tensors) continue;
    std::string file = (folder / base->second.at("file").get<std::string>()).string();
    // The same program without library calls, where there is one.
    const std::string plain = file.substr(0, file.size() - 5) + ".tpu.mlir";
    if (fs::exists(plain)) file = plain;
    try {
      Derivation derivation(parse_module(read_file(file), file));
      const size_t num_args = record.at("n_in");
      std::vector<Tensor> args;  // the base program's come last
      for (size_t i = num_args - derivation.num_args(); i < num_args; ++i) args.push_back((*tensors)[i].value);
      expect_within_rule((derivation.*ask->second)(args), std::span(*tensors).subspan(num_args));
      ++held;
    } catch (const Unsupported& e) { ++unsupported[e.what()]; } catch (const Error& e) {
      ADD_FAILURE() << e.what();
    }
  }
  for (const auto& [reason, count] : unsupported) std::cout << "not supported, " << count << ": " << reason << "\n";
  std::cout << held << " programs were compared\n";
  EXPECT_GT(held, 150);
}

}  // namespace
}  // namespace weft::test
