// Single elements that the entry reads and writes itself, against the evaluator.
#include "tests/native/on_both.h"

namespace weft::test {
namespace {

void expect_both(const std::string& text, const std::vector<Tensor>& args) {
  CompileOptions options;
  options.check_memory_plan = true;
  const OnBoth got = on_both(text, args, options);
  ASSERT_EQ(got.native.size(), got.eval.size());
  for (size_t i = 0; i < got.native.size(); ++i)
    expect_same_bits(got.native[i], got.eval[i], "result " + std::to_string(i));
}

Tensor line(const std::vector<double>& values) {
  Tensor t(ElementType::kF64, {static_cast<int64_t>(values.size())});
  std::ranges::copy(values, t.mutable_data<double>());
  return t;
}

/// x[row, column], then the same element replaced by its double, of a 2 × 3 tensor.
std::string read_and_replace(const std::string& element, const std::string& index) {
  const std::string x = "tensor<2x3x" + element + ">", one = "tensor<1x1x" + element + ">",
                    s = "tensor<" + element + ">", i = "tensor<" + index + ">";
  return "func.func @main(%x: " + x + ", %r: " + i + ", %c: " + i + ") -> (" + s + ", " + x + ") {\n" +
         "  %p = stablehlo.dynamic_slice %x, %r, %c, sizes = [1, 1] : (" + x + ", " + i + ", " + i + ") -> " + one +
         "\n" + "  %v = stablehlo.reshape %p : (" + one + ") -> " + s + "\n" + "  %w = stablehlo.add %v, %v : " + s +
         "\n" + "  %u = stablehlo.reshape %w : (" + s + ") -> " + one + "\n" +
         "  %y = stablehlo.dynamic_update_slice %x, %u, %r, %c : (" + x + ", " + one + ", " + i + ", " + i + ") -> " +
         x + "\n" + "  return %v, %y : " + s + ", " + x + "\n}\n";
}

TEST(Elements, IndicesAreClampedInTheirOwnType) {
  Tensor x(ElementType::kF64, {2, 3});
  for (int k = 0; k < 6; ++k) x.mutable_data<double>()[k] = 10 + k;
  for (int64_t r : {-3, 0, 1, 2, 300}) {
    for (int64_t c : {-1, 2, 7})
      expect_both(read_and_replace("f64", "i64"), {x, Tensor::scalar_of<int64_t>(r), Tensor::scalar_of<int64_t>(c)});
  }
  expect_both(read_and_replace("f64", "i32"), {x, Tensor::scalar_of<int32_t>(-5), Tensor::scalar_of<int32_t>(1)});
  // From 128 up, a number of eight bits without a sign is no negative one.
  expect_both(read_and_replace("f64", "ui8"), {x, Tensor::scalar_of<uint8_t>(200), Tensor::scalar_of<uint8_t>(1)});
}

TEST(Elements, OfOtherTypes) {
  const Tensor r = Tensor::scalar_of<int64_t>(1), c = Tensor::scalar_of<int64_t>(2);
  for (const auto& [name, type] :
       std::vector<std::pair<std::string, ElementType>>{{"i8", ElementType::kI8},
                                                        {"ui16", ElementType::kU16},
                                                        {"bf16", ElementType::kBF16},
                                                        {"f32", ElementType::kF32},
                                                        {"complex<f32>", ElementType::kC64},
                                                        {"complex<f64>", ElementType::kC128}}) {
    Tensor x = Tensor::zeros(type, {2, 3});
    auto* bytes = static_cast<unsigned char*>(x.raw());
    for (size_t k = 0; k < x.size_bytes(); ++k) bytes[k] = static_cast<unsigned char>(k % 60);
    expect_both(read_and_replace(name, "i64"), {x, r, c});
  }
}

TEST(Elements, AreReadBeforeALaterUpdate) {
  expect_both(R"(
func.func @main(%x: tensor<4xf64>, %i: tensor<i64>) -> (tensor<4xf64>, tensor<f64>) {
  %one = stablehlo.constant dense<1> : tensor<i64>
  %nine = stablehlo.constant dense<9.0> : tensor<f64>
  %old = stablehlo.dynamic_slice %x, %i, sizes = [1] : (tensor<4xf64>, tensor<i64>) -> tensor<1xf64>
  %n = stablehlo.reshape %nine : (tensor<f64>) -> tensor<1xf64>
  %y = stablehlo.dynamic_update_slice %x, %n, %i : (tensor<4xf64>, tensor<1xf64>, tensor<i64>) -> tensor<4xf64>
  %new = stablehlo.dynamic_slice %y, %i, sizes = [1] : (tensor<4xf64>, tensor<i64>) -> tensor<1xf64>
  %a = stablehlo.reshape %old : (tensor<1xf64>) -> tensor<f64>
  %b = stablehlo.reshape %new : (tensor<1xf64>) -> tensor<f64>
  %j = stablehlo.add %i, %one : tensor<i64>
  %c = stablehlo.reshape %a : (tensor<f64>) -> tensor<1xf64>
  %z = stablehlo.dynamic_update_slice %y, %c, %j : (tensor<4xf64>, tensor<1xf64>, tensor<i64>) -> tensor<4xf64>
  %d = stablehlo.subtract %b, %a : tensor<f64>
  return %z, %d : tensor<4xf64>, tensor<f64>
})",
              {line({1, 2, 3, 4}), Tensor::scalar_of<int64_t>(2)});
}

/// Sorts by exchanging neighbours: nested loops, branches that hand the array on, reads and writes of one array.
constexpr const char* kExchangeSort = R"(
func.func @main(%x: tensor<8xf64>) -> (tensor<8xf64>, tensor<8xf64>) {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %last = stablehlo.constant dense<7> : tensor<i64>
  %o:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i64>, tensor<8xf64>
  cond {
    %go = stablehlo.compare LT, %i, %last : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %n:2 = stablehlo.while(%j = %zero, %b = %a) : tensor<i64>, tensor<8xf64>
    cond {
      %go = stablehlo.compare LT, %j, %last : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %k = stablehlo.add %j, %one : tensor<i64>
      %p = stablehlo.dynamic_slice %b, %j, sizes = [1] : (tensor<8xf64>, tensor<i64>) -> tensor<1xf64>
      %q = stablehlo.dynamic_slice %b, %k, sizes = [1] : (tensor<8xf64>, tensor<i64>) -> tensor<1xf64>
      %s = stablehlo.reshape %p : (tensor<1xf64>) -> tensor<f64>
      %t = stablehlo.reshape %q : (tensor<1xf64>) -> tensor<f64>
      %wrong = stablehlo.compare GT, %s, %t : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %c = "stablehlo.if"(%wrong) ({
        %v = stablehlo.reshape %t : (tensor<f64>) -> tensor<1xf64>
        %w = stablehlo.reshape %s : (tensor<f64>) -> tensor<1xf64>
        %d = stablehlo.dynamic_update_slice %b, %v, %j : (tensor<8xf64>, tensor<1xf64>, tensor<i64>) -> tensor<8xf64>
        %e = stablehlo.dynamic_update_slice %d, %w, %k : (tensor<8xf64>, tensor<1xf64>, tensor<i64>) -> tensor<8xf64>
        stablehlo.return %e : tensor<8xf64>
      }, {
        stablehlo.return %b : tensor<8xf64>
      }) : (tensor<i1>) -> tensor<8xf64>
      stablehlo.return %k, %c : tensor<i64>, tensor<8xf64>
    }
    %m = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %m, %n#1 : tensor<i64>, tensor<8xf64>
  }
  return %o#1, %x : tensor<8xf64>, tensor<8xf64>
})";

TEST(Elements, OfAnArrayThatLoopsAndBranchesHandOn) {
  const Tensor x = line({5, 3, 8, 1, 7, 2, 6, 4});
  expect_both(kExchangeSort, {x});
  const OnBoth got = on_both(kExchangeSort, {x});
  expect_same_bits(got.native[0], line({1, 2, 3, 4, 5, 6, 7, 8}), "sorted");
  expect_same_bits(got.native[1], x, "the argument");
}

TEST(Elements, HaveNoKernels) {
  const auto program = get_target("native").compile(parse_module(kExchangeSort, "test"), "main", {});
  EXPECT_EQ(program->explain().find("kernel "), std::string::npos) << program->explain();
}

}  // namespace
}  // namespace weft::test
