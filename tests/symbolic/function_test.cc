// Functions: updates, arguments, memory, gradients of whole graphs.
#include <fstream>
#include <thread>

#include "tests/symbolic/support.h"

namespace weft {
namespace {

using testing::expect_error;
using testing::expect_near;
using testing::options;

TEST(Updates, AreSimultaneous) {
  const Variable a = variable(Tensor::scalar_of(1.0f), "a"), b = variable(Tensor::scalar_of(2.0f), "b");
  const auto swap = function({}, {a, b}, {{a, b}, {b, a}}, options());
  const Results before = swap();
  expect_near(before[0], {1});  // outputs are of the old values too
  expect_near(before[1], {2});
  expect_near(a.value(), {2});
  expect_near(b.value(), {1});
  swap();
  expect_near(a.value(), {1});
}

TEST(Updates, TwoOfOneVariableAreRefused) {
  const Variable w = variable(Tensor::scalar_of(1.0f), "weight");
  expect_error<UserError>([&] { function({}, {}, {{w, w + 1}, {w, w + 2}}, options()); },
                          "updates 0 and 1 are of one variable: got variable \"weight\"");
}

TEST(Updates, StayWithTheirFunction) {
  const Expr x = placeholder<float>({}, "x");
  const Variable mean = variable(Tensor::scalar_of(0.0f), "running mean");
  const Expr next = 0.9f * mean + 0.1f * x;
  const auto train = function({x}, {next}, {{mean, next}}, options());
  const auto test = function({x}, {next}, {}, options());
  EXPECT_FLOAT_EQ(test(Tensor::scalar_of(10.0f)).scalar<float>(), 1.0f);
  expect_near(mean.value(), {0});
  train(Tensor::scalar_of(10.0f));
  expect_near(mean.value(), {1});
  EXPECT_NEAR(test(Tensor::scalar_of(10.0f)).scalar<float>(), 1.9, 1e-6);
}

TEST(Updates, HappenInPlace) {
  const Variable w = variable(zeros<float>({1000}), "w");
  const void* address = w.storage().raw();
  const auto step = function({}, {sum(w)}, {{w, w + 1}}, options());
  for (int i = 0; i < 5; ++i) EXPECT_FLOAT_EQ(step().scalar<float>(), 1000.0f * static_cast<float>(i));
  EXPECT_EQ(w.storage().raw(), address);
  expect_near(w.value(), std::vector<double>(1000, 5));
}

/// Kilobytes from /proc/self/status.
int64_t memory_kb(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field + ":")) return std::stoll(line.substr(field.size() + 1));
  }
  return 0;
}

TEST(Updates, KeepTheStateOnce) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's memory is counted too";
#endif
  if (options().target != "native") GTEST_SKIP() << "the evaluator makes a new tensor for every value";
  constexpr int64_t kElements = 25 << 20;  // 100 MiB
  const Variable w = variable(zeros<float>({kElements}), "w");
  const auto step = function({}, {}, {{w, 0.5f * w + 1}}, options());
  const int64_t before = memory_kb("VmRSS");
  if (std::ofstream reset("/proc/self/clear_refs"); !(reset << "5" << std::flush))
    GTEST_SKIP() << "the peak of memory cannot be reset here";
  for (int i = 0; i < 3; ++i) step();
  EXPECT_LT(memory_kb("VmHWM") - before, 10 << 10);
  EXPECT_EQ(w.storage().data<float>()[kElements - 1], 1.75f);
}

TEST(Updates, ReadTheOldValueOfAnArgumentThatIsTheVariable) {
  const Variable w = variable(Tensor::of<float>({1, 2}, {2}), "w");
  const Expr x = placeholder<float>({2}, "x");
  const auto step = function({x}, {x + 0}, {{w, reverse(x, {0}) * 10}}, options());
  expect_near(step(w.storage())[0], {1, 2});
  expect_near(w.value(), {20, 10});
}

TEST(Updates, OfAVariableByItselfOrByAnInput) {
  const Variable v = variable(Tensor::scalar_of(3.0f), "v"), u = variable(Tensor::scalar_of(0.0f), "u");
  const Expr x = placeholder<float>({}, "x");
  const auto f = function({x}, {x, v}, {{v, v}, {u, x}}, options());
  const Results r = f(Tensor::scalar_of(7.0f));
  expect_near(r[0], {7});
  expect_near(r[1], {3});
  expect_near(v.value(), {3});
  expect_near(u.value(), {7});
}

TEST(Variables, SetAndValue) {
  const Variable w = variable(zeros<float>({2}), "w");
  w.set(Tensor::of<float>({4, 5}, {2}));
  expect_near(w.value(), {4, 5});
  expect_error<UserError>([&] { w.set(zeros<float>({3})); },
                          "value set for \"w\": got tensor<3xf32>, expected tensor<2xf32>");
  Tensor initial = Tensor::scalar_of(1.0f);
  const Variable copy = variable(initial, "copy");
  *initial.mutable_data<float>() = 9;
  expect_near(copy.value(), {1});
}

TEST(Calls, RunTimeScalarsAreArguments) {
  // d/du exp(t) u: compiled once, t is not frozen.
  const Expr u = placeholder<double>({}, "u"), t = placeholder<double>({}, "t");
  const auto k = function({u, t}, {grad(exp(t) * u, u)}, {}, options());
  EXPECT_DOUBLE_EQ(k(Tensor::scalar_of(5.0), Tensor::scalar_of(0.0)).scalar<double>(), 1);
  EXPECT_NEAR(k(Tensor::scalar_of(5.0), Tensor::scalar_of(1.0)).scalar<double>(), 2.718281828459045, 1e-14);
  EXPECT_NE(k.text().find("func.func @main(%arg0: tensor<f64>, %arg1: tensor<f64>)"), std::string::npos) << k.text();
}

TEST(Calls, RefuseWrongArguments) {
  const Expr x = placeholder<float>({4}, "x"), y = placeholder<float>({2}, "y");
  const auto f = function({x, y}, {sum(x) + sum(y)}, {}, options());
  expect_error<UserError>([&] { f(zeros<float>({4}), zeros<float>({3})); },
                          "[main] argument 1 \"y\": got tensor<3xf32>, expected tensor<2xf32>");
  expect_error<UserError>([&] { f(zeros<double>({4}), zeros<float>({2})); },
                          "argument 0 \"x\": got tensor<4xf64>, expected tensor<4xf32>");
  expect_error<UserError>([&] { f(zeros<float>({4})); }, "number of arguments: got 1, expected 2");
  expect_error<UserError>([&] { f(Tensor(), zeros<float>({2})); }, "got an empty tensor handle");
  expect_error<UserError>([&] { f.bind({zeros<float>({4})}); }, "number of arguments: got 1, expected 2");
  const Results r = f(zeros<float>({4}), zeros<float>({2}));
  expect_error<UserError>([&] { r[1]; }, "there is no such output: got 1");
}

TEST(Calls, ResultsThatAreKeptStay) {
  const Expr x = placeholder<float>({2}, "x");
  const auto f = function({x}, {x * 2}, {}, options());
  const Tensor kept = f(Tensor::of<float>({1, 2}, {2}))[0];
  const Results held = f(Tensor::of<float>({3, 4}, {2}));
  const Results other = f(Tensor::of<float>({5, 6}, {2}));
  expect_near(kept, {2, 4});
  expect_near(held[0], {6, 8});
  expect_near(other[0], {10, 12});
}

TEST(Calls, MemoryIsUsedAgain) {
  const Expr x = placeholder<float>({2}, "x");
  const auto f = function({x}, {x * 2}, {}, options());
  const Tensor argument = Tensor::of<float>({1, 2}, {2});
  const void* first = f(argument)[0].raw();
  EXPECT_EQ(f(argument)[0].raw(), first);
}

TEST(Calls, Bound) {
  const Variable n = variable(Tensor::scalar_of(0.0f), "n");
  const Expr x = placeholder<float>({2}, "x");
  Tensor argument = Tensor::of<float>({1, 2}, {2});
  BoundCall call = function({x}, {x + n}, {{n, n + 1}}, options()).bind({argument});
  call.run();
  expect_near(call[0], {1, 2});
  argument.mutable_data<float>()[0] = 10;
  call.run();
  expect_near(call[0], {11, 3});
  expect_near(n.value(), {2});
}

TEST(Calls, FromManyThreads) {
  const Variable count = variable(Tensor::scalar_of(0.0), "count");
  const Expr x = placeholder<double>({}, "x");
  const auto add = function({x}, {x * 2}, {{count, count + x}}, options());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) EXPECT_EQ(add(Tensor::scalar_of(1.0 * i)).scalar<double>(), 2.0 * i);
    });
  }
  for (auto& t : threads) t.join();
  expect_near(count.value(), {4 * 199 * 200 / 2.0});
}

TEST(Functions, RefuseWrongGraphs) {
  const Expr x = placeholder<float>({}, "x"), y = placeholder<float>({}, "missing");
  const Variable w = variable(Tensor::scalar_of(0.0f), "w");
  expect_error<UserError>([&] { function({x}, {x + y}, {}, options()); }, "placeholder \"missing\" (made at ");
  expect_error<UserError>([&] { function({x}, {x + y}, {}, options()); }, "function_test.cc:");
  expect_error<UserError>([&] { function({x, x}, {x}, {}, options()); }, "inputs 0 and 1 are the same");
  expect_error<UserError>([&] { function({w}, {w}, {}, options()); },
                          "input 0 is not a placeholder: got variable \"w\"");
  expect_error<UserError>([&] { function({x + 1}, {x}, {}, options()); }, "input 0 is not a placeholder");
  expect_error<UserError>([&] { function({x}, {Expr()}, {}, options()); }, "output 0 is an empty expression");
  expect_error<UserError>([&] { function({}, {}, {{w, filled(ElementType::kF32, {2}, 0)}}, options()); },
                          "has another type: got tensor<2xf32>, expected tensor<f32>");
  FunctionOptions nowhere;
  nowhere.target = "nowhere";
  expect_error<UserError>([&] { function({x}, {x}, {}, nowhere); }, "there is no target \"nowhere\"");
}

TEST(Functions, SharedByManyPrograms) {
  const Expr x = placeholder<float>({}, "x");
  const Expr y = exp(x) + x;
  EXPECT_FLOAT_EQ(function({x}, {y}, {}, options())(Tensor::scalar_of(0.0f)).scalar<float>(), 1);
  EXPECT_FLOAT_EQ(function({x}, {y * 2, y}, {}, options())(Tensor::scalar_of(0.0f)).scalar<float>(), 2);
}

TEST(Functions, OutputsMayBeInputsConstantsOrEqual) {
  const Expr x = placeholder<float>({2}, "x");
  const auto f = function({x}, {x, constant(Tensor::scalar_of(4.0f)), x, x + 0}, {}, options());
  const Results r = f(Tensor::of<float>({1, 2}, {2}));
  expect_near(r[0], {1, 2});
  expect_near(r[1], {4});
  expect_near(r[2], {1, 2});
}

TEST(Gradients, OfVariablesAndIntermediates) {
  const Variable w = variable(Tensor::of<double>({2, 3}, {2}), "w");
  const Expr x = placeholder<double>({2}, "x");
  const Expr y = w * x;
  const Expr loss = sum(square(y)) + sum(x);
  const auto f = function({x}, {grad(loss, w), grad(loss, y), grad(loss, x), grad(loss, loss)}, {}, options());
  const Results r = f(Tensor::of<double>({5, 7}, {2}));
  expect_near(r[0], {2 * 10 * 5, 2 * 21 * 7});
  expect_near(r[1], {20, 42});
  expect_near(r[2], {2 * 10 * 2 + 1, 2 * 21 * 3 + 1});  // the total derivative, y included
  expect_near(r[3], {1});
}

TEST(Gradients, OfWhatTheLossDoesNotUseAreZero) {
  const Expr x = placeholder<double>({2}, "x"), z = placeholder<double>({3}, "z");
  const auto f = function({x, z}, {grad(sum(x), z), grad(sum(x), 2 * x)}, {}, options());
  const Results r = f(zeros<double>({2}), zeros<double>({3}));
  expect_near(r[0], {0, 0, 0});
  expect_near(r[1], {0, 0});
}

TEST(Gradients, Nest) {
  const Expr x = placeholder<double>({}, "x");
  Expr d = pow(x, 5);
  std::vector<Expr> outputs;
  for (int k = 0; k < 4; ++k) outputs.push_back(d = grad(d, x));
  const Results r = function({x}, outputs, {}, options())(Tensor::scalar_of(2.0));
  expect_near(r[0], {80});
  expect_near(r[1], {160});
  expect_near(r[2], {240});
  expect_near(r[3], {240});
  // A gradient step inside of a loss.
  const Expr stepped = x - 0.1 * grad(square(x), x);
  expect_near(function({x}, {grad(square(stepped), x)}, {}, options())(Tensor::scalar_of(1.0))[0], {2 * 0.8 * 0.8});
}

TEST(Gradients, RefuseWrongLosses) {
  const Expr x = placeholder<float>({3}, "x");
  expect_error<UserError>([&] { grad(x * 2, x); }, "[grad] the loss is not a floating-point number: got tensor<3xf32>");
  expect_error<UserError>([&] { grad(sum(x), iota(ElementType::kI32, {3})); },
                          "[grad] no derivative by a value that is not floating-point: got tensor<3xi32>");
  expect_error<UserError>([&] { grad(Expr(), x); }, "[grad] the loss is an empty expression");
}

TEST(Gradients, JacobianAndHessian) {
  const Expr x = placeholder<double>({2}, "x");
  const Expr y = stack({at(x, 0) * at(x, 1), square(at(x, 0)), sin(at(x, 1))});
  const Expr scalar = at(x, 0) * at(x, 0) * at(x, 1);
  const Expr j = jacobian(y, x), h = hessian(scalar, x);
  EXPECT_EQ(j.shape(), (Shape{3, 2}));
  const Results r = function({x}, {j, h}, {}, options())(Tensor::of<double>({2, 3}, {2}));
  expect_near(r[0], {3, 2, 4, 0, 0, std::cos(3.0)});
  expect_near(r[1], {6, 4, 4, 0});
}

TEST(Gradients, OneStepOfDescent) {
  // The header's example.
  const int64_t n = 3, d = 2;
  const Expr x = placeholder<float>({n, d}, "x"), y = placeholder<float>({n}, "y");
  const Variable w = variable(zeros<float>({d}), "w");
  const Expr loss = mean(square(dot(x, w) - y));
  const auto step = function({x, y}, {loss}, updates{{w, w - 0.1f * grad(loss, w)}}, options());
  const Tensor xs = Tensor::of<float>({1, 0, 0, 1, 1, 1}, {n, d}), ys = Tensor::of<float>({1, 2, 3}, {n});
  EXPECT_NEAR(step(xs, ys).scalar<float>(), 14.0 / 3, 1e-6);
  // d/dw = 2/3 X^T (X w - y) = -2/3 (1 + 3, 2 + 3)
  expect_near(w.value(), {0.1 * 8 / 3, 0.1 * 10 / 3});
  for (int i = 0; i < 300; ++i) step(xs, ys);
  expect_near(w.value(), {1, 2}, 1e-4);
}

TEST(Graphs, MayBeVeryDeep) {
  const Expr x = placeholder<float>({}, "x");
  Expr y = x;
  for (int i = 0; i < 100000; ++i) y = y + x;
  FunctionOptions eval;
  eval.target = "eval";
  EXPECT_FLOAT_EQ(function({x}, {y}, {}, eval)(Tensor::scalar_of(1.0f)).scalar<float>(), 100001);
}

TEST(Errors, NameTheLineAndTheOperands) {
  const Expr a = placeholder<float>({2, 3}), b = placeholder<float>({4});
  try {
    const Expr c = a + b;
    FAIL();
  } catch (const UserError& e) {
    EXPECT_EQ(e.loc().line, static_cast<uint32_t>(__LINE__ - 3));
    EXPECT_TRUE(e.loc().file->ends_with("function_test.cc"));
    EXPECT_STREQ(e.what(),
                 "[add] shapes do not broadcast: got [2, 3] and [4], expected extents that are equal or 1, counted "
                 "from the last axis");
  }
  const Expr i = placeholder<int32_t>({2, 3});
  expect_error<UserError>(
      [&] { a* i; }, "[multiply] the operands differ in element type: got f32 and i32, expected one type (use cast)");
  expect_error<UserError>([&] { i + 0.5; }, "[add] a fraction meets integers: got 0.5 with i32");
  expect_error<UserError>([&] { Expr() + 1; }, "[add] an operand is an empty expression");
  expect_error<UserError>([&] { a&& b; }, "[and] the operand is not boolean: got tensor<2x3xf32>");
  expect_error<UserError>([&] { reshape(a, {4, -1}); }, "[reshape] the number of elements changes: got [4, -1]");
  expect_error<UserError>([&] { sum(a, {2}); }, "[sum] axis out of range: got 2, expected an axis of rank 2");
  expect_error<UserError>([&] { sum(a, {0, -2}); }, "[sum] an axis is named twice");
  expect_error<UserError>([&] { dot(a, b); },
                          "[dot] the contracted extents differ: got tensor<2x3xf32> and tensor<4xf32>");
  expect_error<UserError>([&] { conv2d(a, b); },
                          "[conv2d] rank of x: got tensor<2x3xf32>, expected [n, h, w, channels]");
  expect_error<UserError>([&] { elementwise("no_such", a); }, "there is no such op: got \"no_such\"");
  expect_error<UserError>([&] { elementwise("dot_general", a, a); }, "does not apply to single elements");
  expect_error<UserError>([&] { softmax_cross_entropy(a, b); },
                          "[softmax_cross_entropy] labels: got tensor<4xf32>, expected integers of shape [2]");
  expect_error<UserError>([&] { concatenate({a, b}, 0); }, "concatenate");
  expect_error<UserError>([&] { slice(a, {0}, {1}); }, "[slice] start: got [0], expected one value for each of 2 axes");
  expect_error<UserError>([&] { exp(i); }, "exponential");
}

}  // namespace
}  // namespace weft
