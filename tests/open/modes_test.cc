// The modes that static programs have, with open extents: guard pages, checked memory plans, limits, profiles, addresses of any kind.
#include "ir/account.h"
#include "tests/open/open_check.h"

namespace weft {
namespace {

/// A loop, a product, a sort, windows and updates: every kind of step.
constexpr const char* kAll = R"(
func.func @main(%x: tensor<?x6xf32>, %w: tensor<6x6xf32>, %i: tensor<?x1xi32>) -> (tensor<?x6xf32>, tensor<6xf32>, tensor<?x6xf32>, tensor<?x6xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %k = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %l:2 = stablehlo.while(%c = %k, %a = %x) : tensor<i32>, tensor<?x6xf32>
    cond {
      %m = stablehlo.compare LT, %c, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %m : tensor<i1>
    } do {
      %n = stablehlo.add %c, %one : tensor<i32>
      %p = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<?x6xf32>, tensor<6x6xf32>) -> tensor<?x6xf32>
      %q = stablehlo.tanh %p : tensor<?x6xf32>
      stablehlo.return %n, %q : tensor<i32>, tensor<?x6xf32>
    }
  %s = stablehlo.reduce(%l#1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x6xf32>, tensor<f32>) -> tensor<6xf32>
  %t = "stablehlo.sort"(%l#1) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %z = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<?x6xf32>) -> tensor<?x6xf32>
  %u = "stablehlo.scatter"(%t, %i, %x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %z = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<?x6xf32>, tensor<?x1xi32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  %v = "stablehlo.reduce_window"(%u, %zero) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %z = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>} : (tensor<?x6xf32>, tensor<f32>) -> tensor<?x6xf32>
  return %l#1, %s, %u, %v : tensor<?x6xf32>, tensor<6xf32>, tensor<?x6xf32>, tensor<?x6xf32>
})";

std::vector<std::vector<Shape>> calls_of(std::initializer_list<int64_t> sizes) {
  std::vector<std::vector<Shape>> out;
  for (int64_t n : sizes) out.push_back({{n, 6}, {6, 6}, {n, 1}});
  return out;
}

std::vector<Tensor> arguments(int64_t n) {
  return {random_values(ElementType::kF32, {n, 6}, 1), random_values(ElementType::kF32, {6, 6}, 2),
          random_values(ElementType::kI32, {n, 1}, 3)};
}

TEST(OpenModes, NothingIsTouchedBesideTheValues) {
  CompileOptions options;
  options.guard_pages = true;
  options.check_memory_plan = true;
  check_open(kAll, calls_of({0, 1, 2, 7, 64, 1009}), 1e-4, options);
  options.disabled = {"fuse", "in_place"};
  check_open(kAll, calls_of({0, 1, 13}), 1e-4, options);
  options.no_libraries = true;
  check_open(kAll, calls_of({0, 1, 13}), 1e-4, options);
}

TEST(OpenModes, ALimitOfMemoryIsOneOfEachCall) {
  CompileOptions options;
  options.memory_limit = 100000;
  const auto executable = native_target().compile(parse_module(kAll, "open"), "main", options);
  EXPECT_EQ(executable->run(arguments(10)).size(), 4u);
  try {
    executable->run(arguments(100000));
    FAIL() << "it ran";
  } catch (const UserError& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("out of memory: @main needs"), std::string::npos) << text;
    EXPECT_NE(text.find("the limit is 97.7 KiB"), std::string::npos) << text;
  }
  EXPECT_EQ(executable->run(arguments(11)).size(), 4u);
}

TEST(OpenModes, MemoryUseIsKnownForTheExtentsOfACall) {
  const auto executable = native_target().compile(parse_module(kAll, "open"), "main");
  const std::vector<Tensor> args = arguments(50);
  std::vector<Type> types;
  std::vector<const void*> elements;
  for (const Tensor& t : args) {
    types.push_back(Type::tensor(t.element_type(), t.shape()));
    elements.push_back(t.raw());
  }
  const MemoryUse use = executable->for_extents(types, elements.data())->memory_use();
  EXPECT_EQ(use.arguments, 50 * 6 * 4 + 6 * 6 * 4 + 50 * 4u);
  EXPECT_EQ(use.results, 3 * 50 * 6 * 4 + 6 * 4u);
  EXPECT_GE(use.arena, 50 * 6 * 4u);
  EXPECT_LE(use.arena, 20 * 50 * 6 * 4u);
}

TEST(OpenModes, AProfileNamesItsStepsAndTheExtentsOfTheCall) {
  CompileOptions options;
  options.profile = true;
  const auto executable = native_target().compile(parse_module(kAll, "open"), "main", options);
  const std::vector<Tensor> args = arguments(21);
  std::vector<Type> types;
  std::vector<const void*> elements;
  for (const Tensor& t : args) {
    types.push_back(Type::tensor(t.element_type(), t.shape()));
    elements.push_back(t.raw());
  }
  const auto call = executable->for_extents(types, elements.data());
  call->run(args);
  const std::vector<StepEvent> events = call->take_profile();
  const ProgramAccount* account = call->account();
  ASSERT_NE(account, nullptr);
  bool sorts = false;
  std::set<int> seen;
  for (const StepEvent& e : events) {
    ASSERT_LT(static_cast<size_t>(e.step), account->steps.size());
    EXPECT_LE(e.begin_ns, e.end_ns);
    seen.insert(e.step);
    const StepAccount& step = account->steps[static_cast<size_t>(e.step)];
    for (const OpAccount& op : step.ops)
      sorts = sorts || (op.name == "stablehlo.sort" && op.type == "tensor<21x6xf32>");
  }
  EXPECT_TRUE(sorts);
  EXPECT_GE(seen.size(), 5u);
  EXPECT_TRUE(call->take_profile().empty());
}

TEST(OpenModes, PlacesThatAreNotAlignedAreCopied) {
  const auto executable = native_target().compile(parse_module(R"(
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = stablehlo.add %x, %x : tensor<?xf32>
  return %r : tensor<?xf32>
})",
                                                               "open"),
                                                  "main");
  alignas(64) char in[64], out[64];
  const float values[] = {1, 2, 3};
  std::memcpy(in + 1, values, sizeof values);
  const void* args[] = {in + 1};
  void* results[] = {out + 3};
  const Type type = Type::tensor(ElementType::kF32, {3});
  executable->for_extents({&type, 1}, args)->invoke(args, results);
  float got[3];
  std::memcpy(got, out + 3, sizeof got);
  EXPECT_EQ(got[0], 2);
  EXPECT_EQ(got[2], 6);
}

}  // namespace
}  // namespace weft
