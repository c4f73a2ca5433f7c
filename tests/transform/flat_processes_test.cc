// A grid of processes gives the same when it is a row of replicas, and when rarer collectives are written out.
#include "transform/flat_processes.h"

#include <gtest/gtest.h>

#include <cstring>

#include "eval/evaluator.h"
#include "ir/clone.h"
#include "ops/builder.h"
#include "text/parse.h"
#include "transform/plain_collectives.h"

namespace weft {
namespace {

/// Runs @f on a grid: process k gets [k, k + 0.5, -k].
std::vector<Tensor> run(const Module& source, int64_t replicas, int64_t partitions) {
  const auto module = clone_module(source);
  const Function& f = module->get("f");
  auto main = std::make_unique<Function>("main");
  OpBuilder b(*main, main->body(), module.get());
  std::vector<Value> args;
  std::vector<Type> types;
  AttrList rows;
  for (int64_t r = 0; r < replicas; ++r) {
    AttrList row;
    for (int64_t p = 0; p < partitions; ++p) {
      row.emplace_back(OpaqueAttr{"@f"});
      const auto k = static_cast<float>(args.size());
      args.push_back(b.constant(Literal::dense(Tensor::of<float>({k, k + 0.5F, -k}, {3}))));
      for (Type t : f.result_types()) types.push_back(t);
    }
    rows.emplace_back(row);
  }
  b.yield(b.create("interpreter.run_parallel", args, Attrs{{"programs", rows}}, types));
  module->add(std::move(main));
  return evaluate(*module, "main", {});
}

void expect_same_as_row(const std::string& body, int64_t replicas, int64_t partitions) {
  const auto module = parse_module(body, "t");
  const std::vector<Tensor> expected = run(*module, replicas, partitions);
  const int64_t n = replicas * partitions;
  std::unique_ptr<Function> flat = flat_processes(module->get("f"), *module, replicas, partitions);
  if (auto plain = plain_collectives(*flat, n)) flat = std::move(plain);
  Module row;
  const Function& f = row.add(std::move(flat));
  for (uint32_t i = 0; i < f.num_ops(); ++i) {
    const std::string_view name = f.def(OpId{i}).mnemonic;
    EXPECT_FALSE(name == "stablehlo.partition_id" || name.starts_with("stablehlo.collective_broadcast") ||
                 name == "stablehlo.collective_reduce" || f.attrs(OpId{i}).has("handle"))
        << name;
  }
  const std::vector<Tensor> got = run(row, n, 1);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].size_bytes(), expected[i].size_bytes());
    EXPECT_EQ(std::memcmp(got[i].raw(), expected[i].raw(), got[i].size_bytes()), 0) << "result " << i;
  }
}

constexpr const char* kAdd = R"(({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %t = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %t : tensor<f32>
  }))";

std::string reduce(const std::string& op, const std::string& attrs, const std::string& result = "tensor<3xf32>") {
  return "func.func @f(%x: tensor<3xf32>) -> " + result + " {\n  %y = \"stablehlo." + op + "\"(%x) " + kAdd + " {" +
         attrs + "} : (tensor<3xf32>) -> " + result + "\n  return %y : " + result + "\n}";
}
std::string move(const std::string& op, const std::string& attrs, const std::string& result = "tensor<3xf32>") {
  return "func.func @f(%x: tensor<3xf32>) -> " + result + " {\n  %y = \"stablehlo." + op + "\"(%x) {" + attrs +
         "} : (tensor<3xf32>) -> " + result + "\n  return %y : " + result + "\n}";
}

constexpr const char* kChannel = ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";

TEST(FlatProcesses, AllReduceInEveryGrouping) {
  const std::string pair = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>";
  expect_same_as_row(reduce("all_reduce", pair), 2, 1);
  expect_same_as_row(reduce("all_reduce", pair), 2, 3);
  expect_same_as_row(reduce("all_reduce", pair + kChannel), 2, 2);
  expect_same_as_row(reduce("all_reduce",
                            "replica_groups = dense<[[0, 3], [2, 1]]> : tensor<2x2xi64>, "
                            "use_global_device_ids" +
                                std::string(kChannel)),
                     2, 2);
  expect_same_as_row(reduce("all_reduce", "replica_groups = dense<[[0, 2], [1, -1]]> : tensor<2x2xi64>"), 3, 2);
  expect_same_as_row(reduce("all_reduce", "replica_groups = dense<> : tensor<0x0xi64>"), 3, 1);
}

TEST(FlatProcesses, OthersThatReduceOrGather) {
  expect_same_as_row(
      reduce("reduce_scatter", "replica_groups = dense<[[2, 0, 1]]> : tensor<1x3xi64>, scatter_dimension = 0 : i64",
             "tensor<1xf32>"),
      3, 2);
  expect_same_as_row(reduce("collective_reduce", "replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>"), 2, 2);
  expect_same_as_row(move("all_gather", "replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, all_gather_dim = 0 : i64",
                          "tensor<6xf32>"),
                     2, 2);
}

TEST(FlatProcesses, OthersThatMove) {
  const std::string ring = "source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>";
  expect_same_as_row(move("collective_permute", ring), 3, 2);
  expect_same_as_row(move("collective_permute", ring + kChannel), 2, 3);
  expect_same_as_row(move("collective_broadcast", "replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>"), 3, 1);
  expect_same_as_row(
      move("collective_broadcast", "replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>" + std::string(kChannel)), 2, 2);
  expect_same_as_row(
      move("all_to_all",
           "replica_groups = dense<[[1, 2, 0]]> : tensor<1x3xi64>, split_dimension = 0 : i64, concat_dimension = 0 : "
           "i64, split_count = 3 : i64"),
      3, 2);
}

TEST(FlatProcesses, NumbersOfReplicaAndPartition) {
  expect_same_as_row(R"(
func.func @f(%x: tensor<3xf32>) -> (tensor<ui32>, tensor<ui32>) {
  %r = stablehlo.replica_id : tensor<ui32>
  %p = stablehlo.partition_id : tensor<ui32>
  return %r, %p : tensor<ui32>, tensor<ui32>
})",
                     2, 3);
}

}  // namespace
}  // namespace weft
