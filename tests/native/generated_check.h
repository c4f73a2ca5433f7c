// Compiles an IR function as one kernel, runs it, and compares with the evaluator.
#pragma once
#include <gtest/gtest.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <cmath>
#include <cstring>
#include <random>

#include "eval/evaluator.h"
#include "native/codegen/jit.h"
#include "native/codegen/kernel.h"
#include "ops/builder.h"

namespace weft::codegen {

inline Jit& shared_jit(const Isa& isa) {
  static std::map<std::string, std::unique_ptr<Jit>> jits;
  std::unique_ptr<Jit>& jit = jits[isa.cpu + isa.features];
  if (!jit) jit = std::make_unique<Jit>(isa);
  return *jit;
}

/// Runs `f` as one kernel, its units in `parts` calls in a scrambled order.
inline std::vector<Tensor> run_kernel(const Function& f, std::span<const Tensor> args, const Isa& isa = Isa::host(),
                                      int parts = 3) {
  static int serial = 0;
  KernelOptions options;
  options.isa = isa;
  const KernelPlan plan = plan_kernel(f, options);
  Jit& jit = shared_jit(isa);
  const std::string name = "kernel_" + std::to_string(serial++);
  auto module = jit.new_module(name);
  emit_kernel(*module, f, plan, options, name);
  if (getenv("WEFT_DUMP") != nullptr) module->print(llvm::errs(), nullptr);
  jit.add(std::move(module));
  auto* fn = jit.function<void(void* const*, int64_t, int64_t)>(name);

  std::vector<Tensor> results;
  std::vector<void*> buffers;
  std::vector<Tensor> guards;
  for (const Tensor& a : args) buffers.push_back(a.raw());
  size_t r = 0;
  for (const Type t : f.result_types()) {
    Tensor out(t.element_type(), Shape(t.shape().begin(), t.shape().end()));
    std::memset(out.raw(), 0x5a, out.size_bytes());
    const int64_t updated = updated_argument(f, f.operand(f.terminator(f.body()), r++));
    if (updated >= 0) std::memcpy(out.raw(), args[static_cast<size_t>(updated)].raw(), out.size_bytes());
    results.push_back(out);
    buffers.push_back(out.raw());
  }
  std::vector<std::byte> scratch(plan.scratch_bytes + 64);
  buffers.push_back(scratch.data());
  for (int p = parts; p-- > 0;) fn(buffers.data(), plan.units * p / parts, plan.units * (p + 1) / parts);
  if (plan.scratch_bytes > 0) {
    jit.function<void(void* const*, int64_t, int64_t)>(name + "_finish")(buffers.data(), 0, plan.finish_units);
  }
  return results;
}

inline double element_as_double(const Tensor& t, int64_t i) {
  const auto* p = static_cast<const std::byte*>(t.raw()) + static_cast<size_t>(i) * byte_size(t.element_type());
  uint64_t bits = 0;
  std::memcpy(&bits, p, std::min<size_t>(8, byte_size(t.element_type())));
  switch (t.element_type()) {
    case ElementType::kF32: return std::bit_cast<float>(static_cast<uint32_t>(bits));
    case ElementType::kF64: return std::bit_cast<double>(bits);
    case ElementType::kBF16: return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
    case ElementType::kF16: return f16::to_float(static_cast<uint16_t>(bits));
    default: return static_cast<double>(bits);
  }
}

/// Bitwise, all NaN alike; `tolerance` allows |got - want| <= tolerance * (1 + |want|) for floats.
inline ::testing::AssertionResult same(const Tensor& got, const Tensor& want, double tolerance = 0) {
  if (got.shape() != want.shape() || got.element_type() != want.element_type())
    return ::testing::AssertionFailure() << "shape or type";
  const size_t n = byte_size(want.element_type());
  for (int64_t i = 0; i < want.size(); ++i) {
    const size_t at = static_cast<size_t>(i) * n;
    if (std::memcmp(static_cast<std::byte*>(got.raw()) + at, static_cast<std::byte*>(want.raw()) + at, n) == 0)
      continue;
    const double g = element_as_double(got, i), w = element_as_double(want, i);
    if (is_float(want.element_type())) {
      if (std::isnan(g) && std::isnan(w)) continue;
      if (tolerance > 0 && std::abs(g - w) <= tolerance * (1 + std::abs(w))) continue;
    }
    return ::testing::AssertionFailure() << "element " << i << " of " << want.size() << ": got " << g << ", expected "
                                         << w;
  }
  return ::testing::AssertionSuccess();
}

/// Random elements; floats within [-4, 4] with some special ones, integers small with some extreme ones.
inline Tensor random_tensor(std::mt19937_64& rng, Type t, bool special = true) {
  Tensor out(t.element_type(), Shape(t.shape().begin(), t.shape().end()));
  auto* p = static_cast<std::byte*>(out.raw());
  const ElementType e = t.element_type();
  for (int64_t i = 0; i < out.size(); ++i, p += byte_size(e)) {
    uint64_t bits = 0;
    if (is_boolean(e)) {
      bits = rng() & 1;
    } else if (is_float(e)) {
      double v = std::uniform_real_distribution<double>(-4, 4)(rng);
      if (special) {
        const double odd[] = {0.0, -0.0, NAN, INFINITY, -INFINITY, 1.0, -1.0, 1e-40};
        if (rng() % 8 == 0) v = odd[rng() % 8];
      }
      switch (e) {
        case ElementType::kF16: bits = f16(static_cast<float>(v)).bits; break;
        case ElementType::kBF16: bits = bf16(static_cast<float>(v)).bits; break;
        case ElementType::kF32: bits = std::bit_cast<uint32_t>(static_cast<float>(v)); break;
        default: bits = std::bit_cast<uint64_t>(v);
      }
    } else {
      bits = special && rng() % 4 == 0
                 ? rng()
                 : static_cast<uint64_t>(static_cast<int64_t>(rng() % 17) - (is_signed_integer(e) ? 8 : 0));
    }
    std::memcpy(p, &bits, byte_size(e));
  }
  return out;
}

/// A module with one function under construction.
struct Program {
  Module module;
  Function* f;
  OpBuilder b;
  Program() : f(&module.add(std::make_unique<Function>("kernel"))), b(*f, f->body(), &module) {}
  Value arg(Type t) { return f->add_arg(f->body(), t); }
};

/// One line per op, for the message of a failure.
inline std::string describe(const Function& f) {
  std::string text;
  for (Value a : f.args()) text += "  arg %" + std::to_string(a.index) + " : " + f.type(a).str() + "\n";
  for (OpId id : f.ops(f.body())) {
    text += "  ";
    for (Value v : f.results(id)) text += "%" + std::to_string(v.index) + " : " + f.type(v).str() + " = ";
    text += std::string(f.def(id).mnemonic);
    for (Value v : f.operands(id)) text += " %" + std::to_string(v.index);
    for (const auto& [name, attr] : f.attrs(id).entries()) text += " " + name + "=" + attr.str();
    text += "\n";
  }
  return text;
}

/// Random arguments, kernel against evaluator.
inline void check_program(Program& p, std::mt19937_64& rng, double tolerance = 0, bool special = true,
                          const Isa& isa = Isa::host()) {
  std::vector<Tensor> args;
  for (Type t : p.f->arg_types()) args.push_back(random_tensor(rng, t, special));
  const std::vector<Tensor> want = evaluate(p.module, "kernel", args);
  const std::vector<Tensor> got = run_kernel(*p.f, args, isa);
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_TRUE(same(got[i], want[i], tolerance)) << "result " << i << "\n" << describe(*p.f);
}

}  // namespace weft::codegen
