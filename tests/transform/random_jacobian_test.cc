// Jacobians of random programs, and of chains of what unit vectors pass through as places: by columns and by rows, in chunks and at once, against
// forward derivatives along unit vectors written out.
#include "derivative_check.h"
#include "random_program.h"
#include "transform/jacobian.h"

namespace weft::test {
namespace {

bool is_tame(const Tensor& t) {
  for (double x : t.data<double>()) {
    if (!std::isfinite(x) || std::fabs(x) > 1e8) return false;
  }
  return true;
}

/// Column by column: [result elements, argument elements].
std::vector<double> by_columns(const Module& module, const std::string& forward, const Vectors& args, size_t arg,
                               size_t results, size_t result) {
  const int64_t columns = args[arg].size();
  std::vector<double> out;
  for (int64_t k = 0; k < columns; ++k) {
    Tensor unit = args[arg].clone();
    for (int64_t i = 0; i < columns; ++i) unit.mutable_data<double>()[i] = i == k ? 1 : 0;
    Vectors all = args;
    all.push_back(unit);
    const Tensor column = run(module, forward, all)[results + result];
    out.resize(static_cast<size_t>(column.size() * columns));
    for (int64_t r = 0; r < column.size(); ++r)
      out[static_cast<size_t>(r * columns + k)] = column.data<double>()[static_cast<size_t>(r)];
  }
  return out;
}

/// Whether it could be checked.
bool expect_jacobian(Module& module, const Vectors& args, size_t arg, const std::string& what) {
  const size_t by[] = {arg};
  const std::vector<Type> types = module.get("f").result_types();
  jvp(module, "f", by, "F");
  std::vector<std::vector<double>> expected;
  for (size_t r = 0, floating = 0; r < types.size(); ++r) {
    if (is_float(types[r].element_type()))
      expected.push_back(by_columns(module, "F", args, arg, types.size(), floating++));
  }
  const JacobianOptions options[] = {{.direction = JacobianOptions::kForward},
                                     {.direction = JacobianOptions::kReverse},
                                     {.direction = JacobianOptions::kForward, .chunk = 4},
                                     {.direction = JacobianOptions::kReverse, .chunk = 2},
                                     {.memory = 1}};
  for (const JacobianOptions& o : options) {
    jacobian(module, "f", by, "J", o);
    const Vectors got = run(module, "J", args);
    EXPECT_EQ(got.size(), expected.size());
    for (size_t r = 0; r < got.size(); ++r) {
      if (!is_tame(got[r])) return false;
      EXPECT_EQ(static_cast<size_t>(got[r].size()), expected[r].size());
      for (size_t i = 0; i < expected[r].size(); ++i) {
        const double e = expected[r][i];
        EXPECT_NEAR(got[r].data<double>()[i], e, 1e-10 * (1 + std::fabs(e)))
            << what << " result " << r << " element " << i << " direction " << o.direction << " chunk " << o.chunk;
      }
    }
  }
  return true;
}

TEST(RandomJacobians, OfPrograms) {
  int checked = 0;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    const auto module = RandomProgram(seed).make(12);
    const Vectors args = {scalar(0.7), tensor({0.3, 1.1, 0.9, 0.4, 0.8, 1.2}, {2, 3}), Tensor::scalar_of<int32_t>(2)};
    for (size_t arg : {0, 1}) checked += expect_jacobian(*module, args, arg, "seed " + std::to_string(seed)) ? 1 : 0;
  }
  EXPECT_GE(checked, 60);
}

// Chains of linear ops on [2, 3] that end in one: products with either side, sums, changes of shape.
TEST(RandomJacobians, OfLinearChains) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](size_t n) { return static_cast<int64_t>(random() % n); };
    auto module = std::make_unique<Module>();
    Function& f = module->add(std::make_unique<Function>("f"));
    const Value x = f.add_arg(f.body(), Type::tensor(ElementType::kF64, {2, 3}));
    OpBuilder b(f, f.body(), module.get());
    const auto numbers = [&](std::vector<int64_t> shape) {
      Tensor t(ElementType::kF64, Shape(shape.begin(), shape.end()));
      for (int64_t i = 0; i < t.size(); ++i) t.mutable_data<double>()[i] = 0.25 * static_cast<double>(1 + below(9));
      return b.constant(Literal::dense(t));
    };
    Value v = x;
    std::vector<Value> kept;
    for (int step = 0; step < 5; ++step) {
      const std::vector<int64_t> shape(b.type(v).shape().begin(), b.type(v).shape().end());
      const auto rank = static_cast<int64_t>(shape.size());
      switch (below(9)) {
        case 0: v = b.multiply(v, numbers(shape)); break;
        case 1:
          v = b.divide(numbers(shape), b.add(b.multiply(x.index == v.index ? v : b.multiply(v, v), v), numbers(shape)));
          break;
        case 2: v = b.negate(b.divide(v, numbers(shape))); break;
        case 3: {
          std::vector<int64_t> order;
          for (int64_t d = rank; d-- > 0;) order.push_back(d);
          v = b.transpose(v, order);
          break;
        }
        case 4: {
          std::vector<int64_t> flat = {1, b.type(v).num_elements(), 1};
          v = b.reshape(v, flat);
          break;
        }
        case 5:
          if (rank > 0) v = b.reduce(v, std::vector<int64_t>{below(static_cast<size_t>(rank))}, "stablehlo.add");
          break;
        case 6:
        case 7: {
          if (rank == 0) break;
          const int64_t along = below(static_cast<size_t>(rank));
          const Value w = numbers({2, shape[static_cast<size_t>(along)], 2});
          if (below(2) == 0) v = b.dot_general(v, w, {{}, {}, {along}, {1}});
          else v = b.dot_general(w, v, {{}, {}, {1}, {along}});
          break;
        }
        default: v = b.add(b.multiply(v, numbers(shape)), v); break;
      }
      if (b.type(v).num_elements() > 200) break;
      if (below(3) == 0) kept.push_back(v);
    }
    kept.push_back(v);
    b.yield(kept);
    expect_jacobian(*module, {tensor({0.3, 1.1, 0.9, 0.4, 0.8, 1.2}, {2, 3})}, 0, "seed " + std::to_string(seed));
  }
}

}  // namespace
}  // namespace weft::test
