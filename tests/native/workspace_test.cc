// The runtime's sorts and Fourier transforms stay within the workspace that they ask for: the arena behind it would hide it.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "native/aot_runtime/weft_rt_fft.h"
#include "native/aot_runtime/weft_rt_sort.h"
#include "native/schedule/fft_plan.h"
#include "native/schedule/sort_plan.h"
#include "text/parse.h"

namespace weft::test {
namespace {

/// Memory with a mark behind it.
class Guarded {
 public:
  explicit Guarded(size_t bytes) : bytes_(bytes), memory_(bytes + kMark + 64, std::byte{0x5a}) {}
  void* data() { return reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(memory_.data()) + 63) / 64 * 64); }
  bool is_intact() {
    const auto* end = static_cast<const std::byte*>(data()) + bytes_;
    return std::all_of(end, end + kMark, [](std::byte b) { return b == std::byte{0x5a}; });
  }

 private:
  static constexpr size_t kMark = 4096;
  size_t bytes_;
  std::vector<std::byte> memory_;
};

OpView only_op(const Module& module, std::string_view mnemonic) {
  const Function& f = module.get("main");
  for (OpId id : f.ops(f.body())) {
    if (f.def(id).mnemonic == mnemonic) return {f, id};
  }
  throw InternalError("no such op");
}

TEST(Workspace, OfSorts) {
  std::mt19937 random(1);
  for (const char* type : {"f32", "f64"}) {
    for (const char* order : {"TOTALORDER", "FLOAT"}) {
      for (const auto& [rows, columns] :
           {std::pair{7, 1001}, std::pair{1001, 7}, std::pair{1, 40000}, std::pair{2, 33000}}) {
        const std::string t = "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "x" + type + ">";
        const std::string s = "tensor<" + std::string(type) + ">";
        const auto module =
            parse_module("func.func @main(%x: " + t + ") -> " + t +
                             " {\n  %r = \"stablehlo.sort\"(%x) <{dimension = 1 : i64}> ({\n" + "  ^bb0(%a: " + s +
                             ", %b: " + s + "):\n    %c = stablehlo.compare GT, %a, %b, " + order + " : (" + s + ", " +
                             s + ") -> tensor<i1>\n    stablehlo.return %c : tensor<i1>\n  }) : (" + t + ") -> " + t +
                             "\n  return %r : " + t + "\n}\n",
                         "test");
        const OpView op = only_op(*module, "stablehlo.sort");
        for (int64_t take : {1, 5, 300, columns}) {
          const auto plan = native::plan_sort(op, {take, {true}}, nullptr);
          ASSERT_TRUE(plan);
          for (int64_t parts : {1, 2, 3, 8}) {
            const std::vector<int64_t> words = plan->for_parts(parts);
            const size_t bytes = op.operand_type(0).num_bytes();
            Guarded workspace(weft_rt_sort_workspace(words.data())), in(bytes), out(bytes);
            for (size_t i = 0; i < bytes; i += 4) {
              // No NaN: the comparator is null.
              const auto bits = static_cast<uint32_t>(random() & 0xbfffffffU);
              std::memcpy(static_cast<std::byte*>(in.data()) + i, &bits, 4);
            }
            void* buffers[] = {in.data(), out.data()};
            weft_rt_sort(words.data(), nullptr, buffers, workspace.data());
            EXPECT_TRUE(workspace.is_intact() && in.is_intact() && out.is_intact())
                << t << " " << order << ", the first " << take << " on " << parts << " parts";
          }
        }
      }
    }
  }
}

TEST(Workspace, OfFourierTransforms) {
  for (const char* kind : {"FFT", "IFFT", "RFFT", "IRFFT"}) {
    for (int64_t n : {1, 2, 9, 64, 97, 1000}) {
      for (int64_t m : {1, 6, 37, 130}) {
        const bool is_real = std::string(kind) == "RFFT", gives_real = std::string(kind) == "IRFFT";
        const std::string rows = "tensor<3x" + std::to_string(m) + "x";
        const std::string full = std::to_string(n) + "x", half = std::to_string(n / 2 + 1) + "x";
        const std::string from = rows + (gives_real ? half : full) + (is_real ? "f32>" : "complex<f32>>");
        const std::string to = rows + (is_real ? half : full) + (gives_real ? "f32>" : "complex<f32>>");
        const auto module =
            parse_module("func.func @main(%x: " + from + ") -> " + to + " {\n  %r = stablehlo.fft %x, type = " + kind +
                             ", length = [" + std::to_string(m) + ", " + std::to_string(n) + "] : (" + from + ") -> " +
                             to + "\n  return %r : " + to + "\n}\n",
                         "test");
        const OpView op = only_op(*module, "stablehlo.fft");
        const auto plan = native::plan_fft(op, nullptr);
        ASSERT_TRUE(plan);
        const std::vector<float> table(plan->table.begin(), plan->table.end());
        for (int64_t parts : {1, 3}) {
          const std::vector<int64_t> words = plan->for_parts(parts);
          Guarded workspace(plan->workspace_bytes(parts)), in(op.operand_type(0).num_bytes()),
              out(op.result_type().num_bytes());
          void* buffers[] = {in.data(), out.data()};
          weft_rt_fft(words.data(), table.data(), 0, buffers, workspace.data());
          EXPECT_TRUE(workspace.is_intact() && in.is_intact() && out.is_intact())
              << kind << " " << m << " x " << n << " on " << parts << " parts";
        }
      }
    }
  }
}

}  // namespace
}  // namespace weft::test
