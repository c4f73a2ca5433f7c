// Products of 8-bit integers summed in 32 bits: exact, also where sums are as large as they can be.
#include <random>

#include "tests/native/on_both.h"

namespace weft::test {
namespace {

struct Form {
  int64_t batch, m, n, k;
  bool lhs_turned, rhs_turned;
};

std::string text_of(const Form& f) {
  const auto type = [&](int64_t rows, int64_t columns, ElementType e) {
    return Type::tensor(e, std::vector<int64_t>{f.batch, rows, columns}).str();
  };
  const std::string a = f.lhs_turned ? type(f.k, f.m, ElementType::kI8) : type(f.m, f.k, ElementType::kI8),
                    b = f.rhs_turned ? type(f.n, f.k, ElementType::kI8) : type(f.k, f.n, ElementType::kI8),
                    c = type(f.m, f.n, ElementType::kI32);
  return "func.func @main(%a: " + a + ", %b: " + b + ") -> " + c +
         " {\n  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [" +
         (f.lhs_turned ? "1" : "2") + "] x [" + (f.rhs_turned ? "2" : "1") + "] : (" + a + ", " + b + ") -> " + c +
         "\n  return %0 : " + c + "\n}";
}

Tensor random_bytes(Shape shape, bool are_extreme, std::mt19937& random) {
  Tensor t(ElementType::kI8, std::move(shape));
  for (int64_t i = 0; i < t.size(); ++i) {
    const auto v = static_cast<int8_t>(random());
    t.mutable_data<int8_t>()[static_cast<size_t>(i)] = !are_extreme ? v : v < 0 ? -128 : v < 64 ? -127 : 127;
  }
  return t;
}

void check(const Form& f, bool are_extreme, const CompileOptions& options, std::mt19937& random) {
  const Tensor a = random_bytes(f.lhs_turned ? Shape{f.batch, f.k, f.m} : Shape{f.batch, f.m, f.k}, are_extreme,
                                random),
               b = random_bytes(f.rhs_turned ? Shape{f.batch, f.n, f.k} : Shape{f.batch, f.k, f.n}, are_extreme,
                                random);
  const Tensor c =
      get_target("native").compile(parse_module(text_of(f), "test"), "main", options)->run(std::vector{a, b})[0];
  size_t wrong = 0;
  for (int64_t p = 0; p < f.batch; ++p) {
    for (int64_t i = 0; i < f.m; ++i) {
      for (int64_t j = 0; j < f.n; ++j) {
        int32_t sum = 0;
        for (int64_t k = 0; k < f.k; ++k) {
          const int64_t at = p * f.m * f.k + (f.lhs_turned ? k * f.m + i : i * f.k + k),
                        other = p * f.n * f.k + (f.rhs_turned ? j * f.k + k : k * f.n + j);
          sum += a.data<int8_t>()[static_cast<size_t>(at)] * b.data<int8_t>()[static_cast<size_t>(other)];
        }
        wrong += c.data<int32_t>()[static_cast<size_t>((p * f.m + i) * f.n + j)] != sum ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(wrong, 0u) << text_of(f);
}

TEST(ProductsOfBytes, AreExactInAllForms) {
  std::mt19937 random(1);
  for (const bool are_extreme : {false, true}) {
    for (int form = 0; form < 4; ++form) {
      for (const auto& [batch, m, n, k] : {std::array<int64_t, 4>{1, 100, 70, 90},
                                           {3, 33, 65, 47},
                                           {2, 64, 64, 64},
                                           {1, 40, 300, 1001},
                                           {1, 5, 7, 3}}) {
        CompileOptions options;
        options.partitions = 2;
        check({batch, m, n, k, (form & 1) != 0, (form & 2) != 0}, are_extreme, options, random);
        options.disabled = {"library_size_limits"};
        check({batch, m, n, k, (form & 1) != 0, (form & 2) != 0}, are_extreme, options, random);
      }
    }
  }
}

}  // namespace
}  // namespace weft::test
