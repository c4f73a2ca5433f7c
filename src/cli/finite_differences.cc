#include "cli/finite_differences.h"

#include <cmath>
#include <random>

#include "base/format.h"
#include "ir/clone.h"
#include "ir/target.h"
#include "ops/families.h"
#include "ops/record.h"
#include "ops/scalar/num.h"

namespace weft::cli {
namespace {

ElementType wide(ElementType e) { return is_float(e) ? ElementType::kF64 : is_complex(e) ? ElementType::kC128 : e; }

Type wide(Type t) {
  if (!t.is_tensor()) return t;
  if (t.is_quantized()) throw Unsupported("a program with quantized types has no f64 form");
  return t.with_element(wide(t.element_type()));
}

/// Copies a function with the types changed.
class Widening {
 public:
  explicit Widening(const Function& f) : f_(f), map_(f), out_(std::make_unique<Function>(f.name())) {}

  std::unique_ptr<Function> run() {
    copy_signature(f_, *out_);
    for (Value v : f_.args()) map_.set(v, out_->add_arg(out_->body(), wide(f_.type(v))));
    copy(f_.body(), out_->body());
    return std::move(out_);
  }

 private:
  Attrs attrs_of(const OpView& op) {
    Attrs attrs = op.attrs();
    if (op.def().mnemonic == "stablehlo.constant")
      attrs.set("value", Literal::dense(in_f64(attrs.literal("value").materialize())));
    if (std::string target = attrs.text_or("call_target_name", ""); target.starts_with("lapack_")) {
      char& letter = target[std::string_view("lapack_").size()];
      letter = letter == 's' ? 'd' : letter == 'c' ? 'z' : letter;
      attrs.set("call_target_name", target);
    }
    return attrs;
  }
  void copy(RegionId source, RegionId region) {
    for (OpId id : f_.ops(source)) {
      const OpView op{f_, id};
      if (op.def().mnemonic == "stablehlo.bitcast_convert" &&
          (element_class(op.operand_type(0).element_type()) | element_class(op.result_type().element_type())) &
              kFieldClass)
        throw Unsupported("[stablehlo.bitcast_convert] a program that reads the bits of numbers has no f64 form",
                          op.loc());
      std::vector<Value> operands;
      for (Value v : op.operands()) operands.push_back(map_.at(v));
      std::vector<RegionId> regions;
      for (RegionId r : op.regions()) {
        regions.push_back(out_->new_region());
        for (Value v : f_.args(r)) map_.set(v, out_->add_arg(regions.back(), wide(f_.type(v))));
        copy(r, regions.back());
      }
      std::vector<Type> types;
      for (size_t i = 0; i < op.num_results(); ++i) types.push_back(wide(op.result_type(i)));
      const OpId made = out_->append(region, op.def(), operands, attrs_of(op), types, regions, op.loc());
      for (size_t i = 0; i < types.size(); ++i) map_.set(op.result(i), out_->result(made, i));
    }
  }

  const Function& f_;
  ValueMap map_;
  std::unique_ptr<Function> out_;
};

double inner(const Tensor& a, const Tensor& b, bool of_sizes) {
  double sum = 0;
  for (size_t i = 0; i < a.data<double>().size(); ++i) {
    const double term = a.data<double>()[i] * b.data<double>()[i];
    sum += of_sizes ? std::fabs(term) : term;
  }
  return sum;
}

}  // namespace

std::unique_ptr<Module> in_f64(const Module& module) {
  auto out = std::make_unique<Module>();
  for (const auto& f : module.functions()) out->add(Widening(*f).run());
  verify(*out);
  return out;
}

Tensor in_f64(const Tensor& x) {
  const ElementType e = x.element_type(), to = wide(e);
  if (to == e) return x;
  Tensor out(to, x.shape());
  for (int64_t i = 0; i < x.size(); ++i) {
    if (is_complex(e)) {
      const std::complex<float> z = x.data<std::complex<float>>()[static_cast<size_t>(i)];
      out.mutable_data<std::complex<double>>()[static_cast<size_t>(i)] = z;
    } else {
      out.mutable_data<double>()[static_cast<size_t>(i)] = load_num(x.raw(), e, i).real;
    }
  }
  return out;
}

std::string difference_from_quotients(const std::shared_ptr<const Module>& module, const std::string& loss,
                                      std::span<const size_t> where, const std::vector<Tensor>& args,
                                      std::span<const Tensor> gradient) {
  constexpr int kDirections = 3;
  constexpr double kStep = 1e-6;
  const auto program = get_target("eval").compile(module, loss);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int k = 0; k < kDirections; ++k) {
    double slope = 0, size = 0;
    std::vector<Tensor> up = args, down = args;
    for (size_t i = 0; i < where.size(); ++i) {
      Tensor direction(ElementType::kF64, args[where[i]].shape());
      Tensor &high = up[where[i]], &low = down[where[i]];
      high = high.clone(), low = low.clone();
      for (size_t e = 0; e < direction.data<double>().size(); ++e) {
        const double d = uniform(random);
        direction.mutable_data<double>()[e] = d;
        high.mutable_data<double>()[e] += kStep * d;
        low.mutable_data<double>()[e] -= kStep * d;
      }
      slope += inner(gradient[i], direction, false);
      size += inner(gradient[i], direction, true);
    }
    const double a = program->run(up)[0].data<double>()[0], b = program->run(down)[0].data<double>()[0];
    const double quotient = (a - b) / (2 * kStep), allowed = 1e-6 * size + 1e-9 * (std::fabs(a) + 1e-3);
    if (!(std::fabs(slope - quotient) <= allowed))
      return "a slope of the gradient is " + format_float(slope) + ", by differences " + format_float(quotient);
  }
  return {};
}

}  // namespace weft::cli
