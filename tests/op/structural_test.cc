// Values of ops that move elements: the examples of the StableHLO specification, and what it says of edges.
#include "tests/op/run_op.h"

namespace weft::test {
namespace {

using Ints = std::vector<int64_t>;

Tensor i32(const std::vector<int32_t>& values, Shape shape) { return Tensor::of(values, std::move(shape)); }

void expect_i32(const Tensor& got, const std::vector<int32_t>& values, const Shape& shape) {
  EXPECT_EQ(got.shape(), shape);
  const auto d = got.data<int32_t>();
  EXPECT_EQ(std::vector<int32_t>(d.begin(), d.end()), values);
}

Tensor run(const std::vector<Tensor>& args, std::function<Value(OpBuilder&, std::span<const Value>)> emit) {
  return run_op(args, [&](OpBuilder& b, std::span<const Value> v) { return std::vector<Value>{emit(b, v)}; })[0];
}

TEST(Structural, Iota) {
  const Tensor rows = run({}, [](OpBuilder& b, auto) { return b.iota(Type::tensor(ElementType::kI32, {4, 5}), 0); });
  expect_i32(rows, {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3}, {4, 5});
  const Tensor columns = run({}, [](OpBuilder& b, auto) { return b.iota(Type::tensor(ElementType::kI32, {4, 5}), 1); });
  expect_i32(columns, {0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4}, {4, 5});
  const Tensor wrapped = run({}, [](OpBuilder& b, auto) { return b.iota(Type::tensor(ElementType::kU8, {258}), 0); });
  EXPECT_EQ(wrapped.data<uint8_t>()[255], 255);
  EXPECT_EQ(wrapped.data<uint8_t>()[257], 1);
}

TEST(Structural, BroadcastInDim) {
  const Tensor got = run({i32({1, 2, 3}, {1, 3})},
                         [](OpBuilder& b, auto v) { return b.broadcast_in_dim(v[0], Ints{2, 1}, Ints{2, 3, 2}); });
  expect_i32(got, {1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3}, {2, 3, 2});
}

TEST(Structural, Reshape) {
  expect_i32(run({i32({1, 2, 3, 4, 5, 6}, {2, 3})}, [](OpBuilder& b, auto v) { return b.reshape(v[0], Ints{3, 2}); }),
             {1, 2, 3, 4, 5, 6}, {3, 2});
}

TEST(Structural, Transpose) {
  const Tensor x = i32({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {2, 3, 2});
  expect_i32(run({x}, [](OpBuilder& b, auto v) { return b.transpose(v[0], Ints{2, 1, 0}); }),
             {1, 7, 3, 9, 5, 11, 2, 8, 4, 10, 6, 12}, {2, 3, 2});
}

TEST(Structural, Reverse) {
  expect_i32(run({i32({1, 2, 3, 4, 5, 6}, {3, 2})}, [](OpBuilder& b, auto v) { return b.reverse(v[0], Ints{1}); }),
             {2, 1, 4, 3, 6, 5}, {3, 2});
}

TEST(Structural, Slice) {
  const Tensor x = i32({0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 3, 4}, {3, 4});
  expect_i32(run({x}, [](OpBuilder& b, auto v) { return b.slice(v[0], Ints{1, 2}, Ints{3, 4}); }), {1, 2, 3, 4},
             {2, 2});
  const Tensor line = i32({0, 1, 2, 3, 4, 5, 6}, {7});
  expect_i32(run({line}, [](OpBuilder& b, auto v) { return b.slice(v[0], Ints{1}, Ints{7}, Ints{3}); }), {1, 4}, {2});
  expect_i32(run({line}, [](OpBuilder& b, auto v) { return b.slice(v[0], Ints{7}, Ints{7}); }), {}, {0});
}

TEST(Structural, Pad) {
  const Tensor x = i32({1, 2, 3, 4, 5, 6}, {2, 3}), zero = i32({0}, {});
  expect_i32(run({x, zero}, [](OpBuilder& b, auto v) { return b.pad(v[0], v[1], Ints{0, 1}, Ints{2, 1}, Ints{1, 2}); }),
             {0, 1, 0, 0, 2, 0, 0, 3, 0,  //
              0, 0, 0, 0, 0, 0, 0, 0, 0,  //
              0, 4, 0, 0, 5, 0, 0, 6, 0,  //
              0, 0, 0, 0, 0, 0, 0, 0, 0,  //
              0, 0, 0, 0, 0, 0, 0, 0, 0},
             {5, 9});
  // Edges are cut from the array that has its interior padding already.
  expect_i32(run({i32({1, 2, 3}, {3}), i32({9}, {})},
                 [](OpBuilder& b, auto v) { return b.pad(v[0], v[1], Ints{-1}, Ints{1}, Ints{1}); }),
             {9, 2, 9, 3, 9}, {5});
}

TEST(Structural, Concatenate) {
  expect_i32(run({i32({1, 2, 3, 4, 5, 6}, {3, 2}), i32({7, 8}, {1, 2})},
                 [](OpBuilder& b, auto v) { return b.concatenate(v, 0); }),
             {1, 2, 3, 4, 5, 6, 7, 8}, {4, 2});
  expect_i32(
      run({i32({1, 2}, {2, 1}), i32({3, 4, 5, 6}, {2, 2})}, [](OpBuilder& b, auto v) { return b.concatenate(v, 1); }),
      {1, 3, 4, 2, 5, 6}, {2, 3});
}

/// The message of the UserError that building the op throws.
std::string refusal(const std::vector<Type>& types, std::string_view mnemonic, Attrs attrs,
                    std::vector<Type> declared = {}) {
  Module module;
  Function& f = module.add(std::make_unique<Function>("f"));
  std::vector<Value> args;
  for (Type t : types) args.push_back(f.add_arg(f.body(), t));
  OpBuilder b(f, f.body(), &module);
  try {
    b.create(mnemonic, args, std::move(attrs), declared);
  } catch (const UserError& e) { return e.what(); }
  return "accepted";
}

TEST(Structural, ConstraintsAreNamed) {
  const Type x = Type::tensor(ElementType::kF32, {2, 3}), scalar = Type::scalar(ElementType::kF32);
  const auto f32 = [](std::initializer_list<int64_t> shape) { return Type::tensor(ElementType::kF32, shape); };
  const auto slice = [&](Ints start, Ints limit, Ints strides) {
    return refusal({x}, "stablehlo.slice", {{"start_indices", start}, {"limit_indices", limit}, {"strides", strides}});
  };
  const auto pad = [&](Type value, Ints low, Ints high, Ints interior) {
    return refusal({x, value}, "stablehlo.pad",
                   {{"edge_padding_low", low}, {"edge_padding_high", high}, {"interior_padding", interior}});
  };
  const auto broadcast = [&](Ints dimensions, Type result) {
    return refusal({x}, "stablehlo.broadcast_in_dim", {{"broadcast_dimensions", dimensions}}, {result});
  };
  struct Case {
    std::string got;
    const char* label;
  };
  const Case cases[] = {
      {slice({0}, {1, 1}, {1, 1}), "(slice_c2)"},
      {slice({0, 0}, {3, 3}, {1, 1}), "(slice_c3)"},
      {slice({-1, 0}, {2, 3}, {1, 1}), "(slice_c3)"},
      {slice({2, 0}, {1, 3}, {1, 1}), "(slice_c3)"},
      {slice({0, 0}, {2, 3}, {1, 0}), "(slice_c4)"},
      {pad(Type::scalar(ElementType::kF64), {0, 0}, {0, 0}, {0, 0}), "(pad_c1)"},
      {pad(scalar, {0}, {0, 0}, {0, 0}), "(pad_c2)"},
      {pad(scalar, {0, 0}, {0, 0}, {0, -1}), "(pad_c3)"},
      {pad(scalar, {-3, 0}, {0, 0}, {0, 0}), "(pad_c4)"},
      {pad(scalar, {INT64_MAX, 0}, {INT64_MAX, 0}, {INT64_MAX, 0}), "(pad_c4)"},
      {broadcast({0, 1}, Type::tensor(ElementType::kF64, {2, 3})), "(broadcast_in_dim_c1)"},
      {broadcast({0}, x), "(broadcast_in_dim_c2)"},
      {broadcast({0, 2}, x), "(broadcast_in_dim_c3)"},
      {broadcast({0, 0}, f32({2, 2})), "(broadcast_in_dim_c4)"},
      {broadcast({0, 1}, f32({2, 4})), "(broadcast_in_dim_c5)"},
      {refusal({x}, "stablehlo.reshape", {}, {f32({7})}), "(reshape_c2)"},
      {refusal({x}, "stablehlo.reshape", {}, {f32({INT64_MAX, INT64_MAX, 6})}), "(reshape_c2)"},
      {refusal({x}, "stablehlo.transpose", {{"permutation", Ints{0, 0}}}), "(transpose_c2)"},
      {refusal({x}, "stablehlo.reverse", {{"dimensions", Ints{1, 1}}}), "(reverse_c2)"},
      {refusal({x}, "stablehlo.reverse", {{"dimensions", Ints{2}}}), "(reverse_c3)"},
      {refusal({x, f32({2, 3, 1})}, "stablehlo.concatenate", {{"dimension", int64_t{0}}}), "(concatenate_c2)"},
      {refusal({x, f32({1, 3})}, "stablehlo.concatenate", {{"dimension", int64_t{1}}}), "(concatenate_c2)"},
      {refusal({}, "stablehlo.concatenate", {{"dimension", int64_t{0}}}), "(concatenate_c3)"},
      {refusal({x}, "stablehlo.concatenate", {{"dimension", int64_t{2}}}), "(concatenate_c4)"},
      {refusal({}, "stablehlo.iota", {{"iota_dimension", int64_t{2}}}, {x}), "(iota_c1)"},
      {refusal({x, scalar}, "stablehlo.add", {}), "(add_c1)"},
      {refusal({x}, "stablehlo.slice", {}), "attribute start_indices is missing"},
      {refusal({x}, "stablehlo.transpose", {{"permutation", int64_t{1}}}),
       "attribute permutation: got 1, expected a list of integers"},
      {refusal({Type::tensor(ElementType::kI32, {2})}, "stablehlo.tanh", {}),
       "expected a tensor of floating-point or complex type"},
      {refusal({x, x, x}, "stablehlo.add", {}), "number of operands: got 3, expected 2"},
  };
  for (const Case& c : cases)
    EXPECT_NE(c.got.find(c.label), std::string::npos) << c.got << "\n  should name " << c.label;
}

}  // namespace
}  // namespace weft::test
