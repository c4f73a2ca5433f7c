#include "native/aot/gemm_calls.h"

#include "native/contraction/matmul_form.h"

namespace weft::native {
namespace {

/// A matrix as dnnl_sgemm takes it: 'N' by rows, 'T' by columns, 0 for neither.
struct Side {
  char letter = 0;
  int64_t step = 0;
};

Side side_of(const std::vector<int64_t>& strides, int64_t rows, int64_t columns) {
  const int64_t row = strides[strides.size() - 2], column = strides[strides.size() - 1];
  if (column == 1 && row >= columns) return {'N', row};
  if (row == 1 && column >= rows) return {'T', column};
  return {};
}

Side transposed(Side s) { return {s.letter == 'N' ? 'T' : 'N', s.step}; }

struct Gemm {
  int64_t m = 0, n = 0, k = 0;
  Side a, b, c;
  bool is_swapped = false;
  std::vector<int64_t> batch;  // for each dimension: extent, steps of a, b, c
};

class GemmDescription final : public LibraryKernel {
 public:
  explicit GemmDescription(Gemm gemm) : gemm(std::move(gemm)) {}
  std::string implementation() const override { return "onednn sgemm"; }
  size_t scratch_bytes() const override { return 0; }
  bool execute(const void* const*, void* const*, void*) const noexcept override { return false; }
  const Gemm gemm;
};

std::string number(int64_t x) { return std::to_string(x); }

}  // namespace

std::unique_ptr<LibraryKernel> describe_gemm(const OpView& op, std::string& note) {
  if (op.def().mnemonic != "stablehlo.dot_general") return nullptr;
  const auto refuse = [&](const std::string& why) {
    note = "onednn: " + why;
    return nullptr;
  };
  const Type result = op.result_type();
  for (Type t : {op.operand_type(0), op.operand_type(1), result}) {
    if (!t.is_static() || t.is_quantized() || t.element_type() != ElementType::kF32)
      return refuse("only products of f32 go to libdnnl");
  }
  const MatmulAnalysis analysis = analyze_dot_general(op, ContractionLayout::dense(op));
  if (!analysis.reason.empty()) return refuse(analysis.reason);
  if (!analysis.form.lhs_copy.empty() || !analysis.form.rhs_copy.empty()) return refuse("an operand would be copied");
  const MatmulDesc& d = analysis.form.desc;
  // As for calls within this process (kernels/matmul.cc).
  constexpr int64_t kSmall = 64, kThin = 8;
  if (d.m <= kThin / 2 || d.n <= kThin / 2 || d.k <= kThin || d.m * d.n * d.k <= kSmall * kSmall * kSmall)
    return refuse("too small or too thin: a generated loop wins");
  Gemm g{
      d.m,   d.n, d.k, side_of(d.a_strides, d.m, d.k), side_of(d.b_strides, d.k, d.n), side_of(d.c_strides, d.m, d.n),
      false, {}};
  if (g.a.letter == 0 || g.b.letter == 0 || g.c.letter == 0) return refuse("an operand is no matrix where it lies");
  if (g.c.letter == 'T') {
    // The result by columns is the transposed product of the transposed operands.
    g = {d.n, d.m, d.k, transposed(g.b), transposed(g.a), transposed(g.c), true, {}};
  }
  for (size_t i = 0; i < d.batch.size(); ++i) {
    const int64_t a = d.a_strides[i], b = d.b_strides[i];
    g.batch.insert(g.batch.end(), {d.batch[i], g.is_swapped ? b : a, g.is_swapped ? a : b, d.c_strides[i]});
  }
  return std::make_unique<GemmDescription>(std::move(g));
}

std::string gemms_source(const CompiledProgram& program) {
  std::string lists, rows;
  for (size_t i = 0; i < program.libraries.size(); ++i) {
    const auto* call = dynamic_cast<const GemmDescription*>(program.libraries[i].kernel.get());
    if (call == nullptr) continue;
    const Gemm& g = call->gemm;
    const std::string name = "batch_" + std::to_string(i);
    lists += "static const int64_t " + name + "[] = {";
    for (int64_t x : g.batch) lists += number(x) + ", ";
    lists += "0};\n";
    rows += "  {" + number(g.m) + ", " + number(g.n) + ", " + number(g.k) + ", " + number(g.a.step) + ", " +
            number(g.b.step) + ", " + number(g.c.step) + ", '" + g.a.letter + "', '" + g.b.letter + "', " +
            (g.is_swapped ? "1" : "0") + ", " + std::to_string(g.batch.size() / 4) + ", " + name + "},\n";
  }
  return lists + "static const weft_rt_gemm gemms[] = {\n" + rows + "  {0}\n};\n";
}

}  // namespace weft::native
