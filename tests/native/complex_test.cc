// Complex numbers as machine code: every op of the registry that takes them, on special values, and programs that carry, reduce,
// contract, move and update them, against the evaluator.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <random>

#include "eval/evaluator.h"
#include "native/native_target.h"
#include "ops/builder.h"
#include "ops/record.h"

namespace weft {
namespace {

using Emit = std::function<std::vector<Value>(OpBuilder&, std::span<const Value>)>;

constexpr ElementType kComplex[] = {ElementType::kC64, ElementType::kC128};

std::complex<double> element(const Tensor& t, int64_t i) {
  const auto at = [&](int64_t k) {
    const bool is_single = t.element_type() == ElementType::kF32 || t.element_type() == ElementType::kC64;
    return is_single ? static_cast<const float*>(t.raw())[k] : static_cast<const double*>(t.raw())[k];
  };
  return is_complex(t.element_type()) ? std::complex<double>(at(2 * i), at(2 * i + 1)) : at(i);
}

bool is_number(ElementType t) { return is_complex(t) || t == ElementType::kF32 || t == ElementType::kF64; }

/// Equal but for `relative` of the number's size; special values must agree part by part.
::testing::AssertionResult near(const Tensor& got, const Tensor& want, double relative) {
  if (got.shape() != want.shape() || got.element_type() != want.element_type())
    return ::testing::AssertionFailure() << "shape or type";
  const size_t bytes = byte_size(want.element_type());
  for (int64_t i = 0; i < want.size(); ++i) {
    const size_t at = static_cast<size_t>(i) * bytes;
    if (std::memcmp(static_cast<const std::byte*>(got.raw()) + at, static_cast<const std::byte*>(want.raw()) + at,
                    bytes) == 0)
      continue;
    if (is_number(want.element_type())) {
      const std::complex<double> g = element(got, i), w = element(want, i);
      const auto agree = [&](double x, double y) {
        if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
        if (std::isinf(x) || std::isinf(y)) return x == y;
        const double size = std::isfinite(std::abs(w)) ? std::abs(w) : std::abs(y);
        return std::abs(x - y) <= relative * (size + 1e-30);
      };
      if (agree(g.real(), w.real()) && agree(g.imag(), w.imag())) continue;
      return ::testing::AssertionFailure() << "element " << i << ": got " << g << ", expected " << w;
    }
    return ::testing::AssertionFailure() << "element " << i << " differs";
  }
  return ::testing::AssertionSuccess();
}

std::shared_ptr<Module> program(std::span<const Type> args, const Emit& emit) {
  auto module = std::make_shared<Module>();
  Function& f = module->add(std::make_unique<Function>("main"));
  std::vector<Value> values;
  for (Type t : args) values.push_back(f.add_arg(f.body(), t));
  OpBuilder b(f, f.body(), module.get());
  b.yield(emit(b, values));
  return module;
}

/// Numbers around the unit circle, or all pairs of special parts and some others.
Tensor numbers(std::mt19937_64& rng, Type type, bool special) {
  static const double kParts[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 0.5, -2.25, 1e-30, 1e30, 700, -45};
  constexpr uint64_t kCount = std::size(kParts);
  Tensor t(type.element_type(), Shape(type.shape().begin(), type.shape().end()));
  std::uniform_real_distribution<double> any(-3, 3);
  const bool is_single = byte_size(type.element_type()) == 8;
  for (int64_t i = 0; i < t.size(); ++i) {
    const double re = special ? kParts[static_cast<uint64_t>(i) % kCount] : any(rng);
    const double im = special ? kParts[static_cast<uint64_t>(i) / kCount % kCount] : any(rng);
    for (int64_t k : {0, 1}) {
      const double v = k == 0 ? re : im;
      if (is_single) {
        static_cast<float*>(t.raw())[2 * i + k] = static_cast<float>(v);
      } else {
        static_cast<double*>(t.raw())[2 * i + k] = v;
      }
    }
  }
  return t;
}

void compare(const std::shared_ptr<Module>& module, std::span<const Tensor> inputs, double relative,
             const std::string& what) {
  const std::vector<Tensor> want = evaluate(*module, "main", inputs);
  for (const std::vector<std::string>& disabled : {std::vector<std::string>{}, std::vector<std::string>{"fuse"}}) {
    CompileOptions options;
    options.disabled = disabled;
    const std::vector<Tensor> got = native_target().compile(module, "main", options)->run(inputs);
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_TRUE(near(got[i], want[i], relative))
          << what << ", result " << i << (disabled.empty() ? "" : ", no fusion");
    }
  }
}

/// The program on random numbers of both types, special ones too where `special`.
void check(const std::string& what, std::span<const std::vector<int64_t>> shapes, const Emit& emit,
           bool special = false, double single = 2e-6) {
  std::mt19937_64 rng(7);
  for (ElementType e : kComplex) {
    std::vector<Type> types;
    for (const auto& s : shapes) types.push_back(Type::tensor(e, s));
    const auto module = program(types, emit);
    for (int round = 0; round < (special ? 2 : 1); ++round) {
      std::vector<Tensor> inputs;
      for (Type t : types) inputs.push_back(numbers(rng, t, round == 1));
      compare(module, inputs, e == ElementType::kC64 ? single : single * 1e-8, what + " of " + std::string(name(e)));
    }
  }
}
void check(const std::string& what, std::initializer_list<std::vector<int64_t>> shapes, const Emit& emit,
           bool special = false, double single = 2e-6) {
  check(what, std::span(shapes.begin(), shapes.size()), emit, special, single);
}

// Each op of numbers without attributes that accepts complex operands, alone, on all pairs of special parts.
TEST(NativeComplex, ElementwiseOpsOfTheRegistry) {
  int ops = 0;
  for (const OpRecord* r : all_ops()) {
    if (r->scalar.refused() || r->samples.refused() || r->schema.begin() != r->schema.end()) continue;
    const std::vector<Sample> samples = (*r->samples.rule())();
    if (samples.empty() || r->mnemonic == "stablehlo.complex" || r->mnemonic == "stablehlo.select" ||
        r->mnemonic == "stablehlo.clamp" || r->mnemonic == "stablehlo.convert" ||
        r->mnemonic == "stablehlo.bitcast_convert")
      continue;  // operands of other types: below
    const size_t count =
        r->mnemonic == "stablehlo.real" || r->mnemonic == "stablehlo.imag" ? 1 : samples[0].operands.size();
    const Emit emit = [&](OpBuilder& b, std::span<const Value> x) { return b.create(r->mnemonic, x.first(count)); };
    const std::vector<std::vector<int64_t>> shapes(count, std::vector<int64_t>{170});
    std::vector<Type> types(count, Type::tensor(ElementType::kC64, {170}));
    try {
      program(types, emit);
    } catch (const UserError&) {
      continue;  // takes no complex numbers
    }
    ++ops;
    check(std::string(r->mnemonic), shapes, emit, true);
    check(std::string(r->mnemonic) + " of rank 0", std::vector<std::vector<int64_t>>(count), emit);
  }
  EXPECT_GT(ops, 30);
}

TEST(NativeComplex, BinaryOpsOnAllPairsOfSpecialValues) {
  for (std::string_view mnemonic : {"stablehlo.add", "stablehlo.subtract", "stablehlo.multiply", "stablehlo.divide",
                                    "stablehlo.power", "stablehlo.maximum"}) {
    check(
        std::string(mnemonic), {{1, 169}, {169, 1}},
        [&](OpBuilder& b, std::span<const Value> x) {
          const std::vector<int64_t> dims = {0, 1}, shape = {169, 169};
          return b.create(mnemonic,
                          std::vector{b.broadcast_in_dim(x[0], dims, shape), b.broadcast_in_dim(x[1], dims, shape)});
        },
        true);
  }
}

TEST(NativeComplex, ComparesSelectsAndConverts) {
  check(
      "compare, select, clamp, convert", {{170}, {170}},
      [](OpBuilder& b, std::span<const Value> x) {
        std::vector<Value> out;
        for (const char* direction : {"EQ", "NE", "LT", "LE", "GT", "GE"})
          out.push_back(b.compare(x[0], x[1], direction));
        out.push_back(b.compare(x[0], x[0], "EQ"));
        out.push_back(b.select(out[2], x[0], x[1]));
        out.push_back(b.make("stablehlo.clamp", {x[1], x[0], x[1]}));
        for (ElementType t : {ElementType::kC64, ElementType::kC128, ElementType::kF32, ElementType::kI32,
                              ElementType::kF16, ElementType::kI1}) {
          out.push_back(b.convert(x[0], t));
        }
        const Value real = b.make("stablehlo.real", {x[0]}), imag = b.make("stablehlo.imag", {x[1]});
        out.push_back(b.make("stablehlo.complex", {imag, real}));
        out.push_back(b.convert(b.convert(real, ElementType::kI32), ElementType::kC64));
        return out;
      },
      true);
}

TEST(NativeComplex, MovesElements) {
  check("moves", {{5, 7}, {3, 7}, {}}, [](OpBuilder& b, std::span<const Value> x) {
    const Type t = b.type(x[0]);
    const std::vector<int64_t> turn = {1, 0}, flat = {35}, axis = {0}, start = {1, 2}, limit = {5, 7}, step = {2, 3};
    const std::vector<int64_t> low = {1, -1}, high = {0, 2}, gap = {1, 0}, sizes = {2, 3}, both = {0, 1};
    const Value at[] = {b.scalar(ElementType::kI32, 2), b.scalar(ElementType::kI32, 3)};
    const Value parts[] = {x[0], x[1]};
    return std::vector{b.transpose(x[0], turn),
                       b.reshape(x[0], flat),
                       b.reverse(x[0], axis),
                       b.slice(x[0], start, limit, step),
                       b.pad(x[0], x[2], low, high, gap),
                       b.concatenate(parts, 0),
                       b.dynamic_slice(x[0], at, sizes),
                       b.dynamic_update_slice(x[0], b.dynamic_slice(x[1], at, sizes), at),
                       b.add(b.iota(t, 1), b.broadcast_scalar(x[2], t.shape())),
                       b.splat(t, 2.5),
                       b.multiply(b.reverse(x[0], both), x[0])};
  });
}

TEST(NativeComplex, Reduces) {
  check(
      "reduce", {{6, 300}},
      [](OpBuilder& b, std::span<const Value> x) {
        const std::vector<int64_t> rows = {1}, columns = {0}, all = {0, 1};
        const Value unit = b.make("stablehlo.sign", {x[0]});
        return std::vector{b.reduce(x[0], rows, "stablehlo.add"), b.reduce(x[0], columns, "stablehlo.add"),
                           b.reduce(unit, rows, "stablehlo.multiply"), b.reduce(x[0], all, "stablehlo.add")};
      },
      false, 2e-5);
  check(
      "reduce of special values", {{170}},
      [](OpBuilder& b, std::span<const Value> x) {
        const std::vector<int64_t> all = {0};
        return std::vector{b.reduce(x[0], all, "stablehlo.add"),
                           b.reduce(x[0], all, "stablehlo.multiply", b.scalar(b.type(x[0]).element_type(), 1))};
      },
      true, 2e-4);
}

TEST(NativeComplex, SplitsLargeReductions) {
  check(
      "sum of many", {{300000}},
      [](OpBuilder& b, std::span<const Value> x) {
        const std::vector<int64_t> all = {0};
        return std::vector{b.reduce(b.multiply(x[0], x[0]), all, "stablehlo.add")};
      },
      false, 3e-4);
}

TEST(NativeComplex, Windows) {
  check(
      "windows", {{9, 11}, {4, 5}, {}},
      [](OpBuilder& b, std::span<const Value> x) {
        const WindowAttrs w{{2, 3}, {2, 2}, {}, {}, {0, 0, 0, 0}}, sums{{1, 4}, {1, 1}, {}, {}, {0, 0, 3, 0}};
        const ElementType e = b.type(x[0]).element_type();
        const std::vector<Type> scalars = {Type::scalar(e), Type::scalar(e)};
        const RegionId select = b.make_region(
            scalars, [](OpBuilder& r, std::span<const Value> a) { return std::vector{r.compare(a[0], a[1], "GE")}; });
        const RegionId scatter = b.binary_region(e, "stablehlo.add");
        const RegionId regions[] = {select, scatter};
        const Value operands[] = {x[0], x[1], x[2]};
        std::vector<Value> out = {b.reduce_window(x[0], x[2], w, "stablehlo.maximum"),
                                  b.reduce_window(x[0], x[2], sums, "stablehlo.add"),
                                  b.reduce_window(x[0], x[2], w, "stablehlo.multiply")};
        out.push_back(b.create(
            "stablehlo.select_and_scatter", operands,
            Attrs{{"window_dimensions", std::vector<int64_t>{2, 3}}, {"window_strides", std::vector<int64_t>{2, 2}}},
            {}, regions)[0]);
        return out;
      },
      false, 1e-5);
}

TEST(NativeComplex, Contracts) {
  check(
      "dot_general", {{3, 20, 17}, {3, 17, 9}},
      [](OpBuilder& b, std::span<const Value> x) {
        return std::vector{b.dot_general(x[0], x[1], {{0}, {0}, {2}, {1}})};
      },
      false, 1e-5);
  check(
      "vector product", {{500}, {500}},
      [](OpBuilder& b, std::span<const Value> x) {
        return std::vector{b.dot_general(b.make("chlo.conj", {x[0]}), x[1], {{}, {}, {0}, {0}})};
      },
      false, 1e-4);
  check(
      "convolution", {{2, 8, 9, 3}, {3, 3, 3, 4}},
      [](OpBuilder& b, std::span<const Value> x) {
        ConvolutionAttrs a;
        a.padding = {1, 1, 0, 2};
        a.window_strides = {2, 1};
        a.input_batch = 0, a.input_feature = 3, a.input_spatial = {1, 2};
        a.kernel_input_feature = 2, a.kernel_output_feature = 3, a.kernel_spatial = {0, 1};
        a.output_batch = 0, a.output_feature = 3, a.output_spatial = {1, 2};
        return std::vector{b.convolution(x[0], x[1], a)};
      },
      false, 1e-5);
}

TEST(NativeComplex, CarriesThroughLoopsAndBranches) {
  check(
      "while and if", {{}, {40}},
      [](OpBuilder& b, std::span<const Value> x) {
        const Type scalar = b.type(x[0]), vector = b.type(x[1]);
        const std::vector<Type> carried = {Type::scalar(ElementType::kI32), scalar, vector};
        const RegionId condition = b.make_region(carried, [](OpBuilder& r, std::span<const Value> a) {
          return std::vector{r.compare(a[0], r.scalar(ElementType::kI32, 5), "LT")};
        });
        const RegionId body = b.make_region(carried, [&](OpBuilder& r, std::span<const Value> a) {
          const Value half = r.scalar(scalar.element_type(), 0.5);
          const Value next = r.multiply(r.add(a[1], half), half);
          return std::vector{r.add(a[0], r.scalar(ElementType::kI32, 1)), next,
                             r.add(r.multiply(a[2], r.broadcast_scalar(half, vector.shape())),
                                   r.broadcast_scalar(next, vector.shape()))};
        });
        const Value start[] = {b.scalar(ElementType::kI32, 0), x[0], x[1]};
        const RegionId regions[] = {condition, body};
        std::vector<Value> out = b.create("stablehlo.while", start, {}, {}, regions);
        const Value real = b.make("stablehlo.real", {out[1]});
        const Value predicate[] = {b.compare(real, b.zeros(b.type(real)), "GT")};
        const RegionId branches[] = {
            b.make_region({}, [&](OpBuilder& r, std::span<const Value>) { return std::vector{r.negate(out[1])}; }),
            b.make_region({}, [&](OpBuilder& r, std::span<const Value>) {
              return std::vector{r.make("stablehlo.exponential", {out[1]})};
            })};
        out.push_back(b.create("stablehlo.if", predicate, {}, {}, branches)[0]);
        return out;
      },
      false, 1e-5);
}

// By real part, then by imaginary part; by magnitude: no order of keys that the runtime knows, so the comparator itself is compiled.
TEST(NativeComplex, Sorts) {
  check("sort", {{7, 40}}, [](OpBuilder& b, std::span<const Value> x) {
    const Type scalar = Type::scalar(b.type(x[0]).element_type());
    const std::vector<Type> pair = {scalar, scalar};
    std::vector<Value> out;
    for (int64_t d : {0, 1}) {
      const RegionId by_parts[] = {b.make_region(
          pair, [](OpBuilder& r, std::span<const Value> a) { return std::vector{r.compare(a[0], a[1], "LT")}; })};
      out.push_back(b.create("stablehlo.sort", x, Attrs{{"dimension", d}}, {}, by_parts)[0]);
      const RegionId by_magnitude[] = {b.make_region(pair, [](OpBuilder& r, std::span<const Value> a) {
        return std::vector{r.compare(r.make("stablehlo.abs", {a[0]}), r.make("stablehlo.abs", {a[1]}), "GT")};
      })};
      out.push_back(b.create("stablehlo.sort", x, Attrs{{"dimension", d}}, {}, by_magnitude)[0]);
    }
    return out;
  });
}

TEST(NativeComplex, Scatters) {
  check("scatter", {{6, 20}, {4, 20}}, [](OpBuilder& b, std::span<const Value> x) {
    const Value rows = b.convert(b.iota(Type::tensor(ElementType::kF32, {4, 1}), 0), ElementType::kI32);
    const Value indices = b.multiply(rows, rows);  // 0 1 4 9: the last lies outside
    const RegionId body[] = {b.binary_region(b.type(x[0]).element_type(), "stablehlo.multiply")};
    const Value operands[] = {x[0], indices, x[1]};
    return b.create("stablehlo.scatter", operands,
                    Attrs{{"update_window_dims", std::vector<int64_t>{1}},
                          {"inserted_window_dims", std::vector<int64_t>{0}},
                          {"scatter_dims_to_operand_dims", std::vector<int64_t>{0}},
                          {"index_vector_dim", int64_t{1}}},
                    {}, body);
  });
}

}  // namespace
}  // namespace weft
