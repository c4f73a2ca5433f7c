// Every elementwise op of the registry as generated vector code, on the samples of its record.
#include "generated_check.h"

#include <optional>

#include "ops/record.h"

namespace weft::codegen {
namespace {

// Distance in units in the last place; NaN to NaN is 0.
double ulps(double got, double want, ElementType t) {
  if ((std::isnan(got) && std::isnan(want)) || got == want) return 0;
  if (!std::isfinite(got) || !std::isfinite(want)) return INFINITY;
  int fraction = 23, least = -126;
  if (t == ElementType::kF64) fraction = 52, least = -1022;
  if (t == ElementType::kBF16) fraction = 7;
  if (t == ElementType::kF16) fraction = 10, least = -14;
  const int exponent = want == 0 ? least : std::max(std::ilogb(want), least);
  return std::abs(got - want) / std::ldexp(1.0, exponent - fraction);
}

// In f64 these promise a relative error of 1e-13 (ops/scalar/special_functions.h), which is 450 units; the others few.
double allowed_ulps(std::string_view mnemonic, ElementType t) {
  const bool is_series = mnemonic == "chlo.zeta" || mnemonic == "chlo.polygamma" || mnemonic == "chlo.digamma";
  if (is_series && t == ElementType::kF64) return 450;
  return t == ElementType::kF32 || t == ElementType::kF64 ? 4 : 1;
}

// `only`: samples whose first operand has this element type.
void check_elementwise(const Isa& isa, std::optional<ElementType> only = {}) {
  std::mt19937_64 rng(21);
  int ops = 0;
  for (const OpRecord* r : all_ops()) {
    if (r->scalar.refused() || r->samples.refused()) continue;
    ++ops;
    for (const Sample& s : r->samples.rule()()) {
      if (only && (s.operands.empty() || s.operands[0].type.element_type() != *only)) continue;
      Program p;
      std::vector<Value> args;
      for (const SampleOperand& o : s.operands) args.push_back(p.arg(o.type));
      p.b.yield(s.emit(p.b, args));
      bool all = true;
      for (OpId id : p.f->ops(p.f->body())) all = all && (p.f->def(id).is_terminator || can_inline({*p.f, id}));
      if (!all) continue;
      std::vector<Tensor> inputs;
      for (const SampleOperand& o : s.operands) {
        Tensor t = random_tensor(rng, o.type, o.domain.special);
        if (is_float(o.type.element_type())) {  // into the domain
          for (int64_t i = 0; i < t.size(); ++i) {
            const double x = element_as_double(t, i);
            if (!std::isfinite(x) || (o.domain.special && x == 0)) continue;
            const double v = o.domain.low + (x + 4) / 8 * (o.domain.high - o.domain.low);
            const uint64_t bits = o.type.element_type() == ElementType::kF64 ? std::bit_cast<uint64_t>(v)
                                  : o.type.element_type() == ElementType::kF32
                                      ? std::bit_cast<uint32_t>(static_cast<float>(v))
                                  : o.type.element_type() == ElementType::kF16 ? f16(static_cast<float>(v)).bits
                                                                               : bf16(static_cast<float>(v)).bits;
            std::memcpy(static_cast<std::byte*>(t.raw()) + static_cast<size_t>(i) * byte_size(t.element_type()), &bits,
                        byte_size(t.element_type()));
          }
        }
        inputs.push_back(t);
      }
      const std::vector<Tensor> want = evaluate(p.module, "kernel", inputs), got = run_kernel(*p.f, inputs, isa);
      for (size_t k = 0; k < want.size(); ++k) {
        const ElementType t = want[k].element_type();
        if (!is_float(t)) {
          ASSERT_TRUE(same(got[k], want[k])) << r->mnemonic << " " << s.label;
          continue;
        }
        for (int64_t i = 0; i < want[k].size(); ++i) {
          const double g = element_as_double(got[k], i), w = element_as_double(want[k], i);
          ASSERT_LE(ulps(g, w, t), allowed_ulps(r->mnemonic, t))
              << r->mnemonic << " " << s.label << " got " << g << " expected " << w << " from "
              << element_as_double(inputs[0], std::min(i, inputs[0].size() - 1));
        }
      }
    }
  }
  EXPECT_GT(ops, 40);
}

TEST(GeneratedElementwise, SamplesOfAllOps) { check_elementwise(Isa::host()); }
TEST(GeneratedElementwise, SamplesForALesserCpu) { check_elementwise(Isa::named("x86-64-v3"), ElementType::kF32); }

// A result too large for the caches is written past them where its memory is aligned; both ways give every element.
TEST(GeneratedElementwise, LargeResultsAtAnyAddress) {
  constexpr int64_t kElements = (int64_t{9} << 20) + 5;
  Program p;
  const Value x = p.arg(Type::tensor(ElementType::kF32, {kElements}));
  p.b.yield(std::vector<Value>{p.b.add(x, x)});
  KernelOptions options;
  const KernelPlan plan = plan_kernel(*p.f, options);
  Jit& jit = shared_jit(options.isa);
  auto module = jit.new_module("large_results");
  emit_kernel(*module, *p.f, plan, options, "large_results");
  jit.add(std::move(module));
  auto* run = jit.function<void(void* const*, int64_t, int64_t)>("large_results");
  std::vector<float> in(kElements);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  std::vector<float> memory(kElements + 64);
  const auto address = reinterpret_cast<uintptr_t>(memory.data());
  float* const aligned = memory.data() + (64 - address % 64) % 64 / sizeof(float);
  for (int offset : {0, 1}) {
    std::fill(memory.begin(), memory.end(), -1.0f);
    void* const buffers[] = {in.data(), aligned + offset, nullptr};
    run(buffers, plan.units / 2, plan.units);
    run(buffers, 0, plan.units / 2);
    for (int64_t i = 0; i < kElements; ++i)
      ASSERT_EQ(aligned[offset + i], 2 * in[static_cast<size_t>(i)]) << i << " at offset " << offset;
    EXPECT_EQ(aligned[offset + kElements], -1);
  }
}

}  // namespace
}  // namespace weft::codegen
