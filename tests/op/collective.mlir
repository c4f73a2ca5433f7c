// Three replicas meet: the product and the maximum over all of them, a ring shift, and everybody's part in order. Values by hand.
module @collectives {
  func.func @replica(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<6xi32>) {
    %product = "stablehlo.all_reduce"(%x) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %0 = stablehlo.multiply %a, %b : tensor<i32>
        stablehlo.return %0 : tensor<i32>
    }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<2xi32>) -> tensor<2xi32>
    // Replica 1 is a group of its own.
    %largest = "stablehlo.all_reduce"(%x) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %0 = stablehlo.maximum %a, %b : tensor<i32>
        stablehlo.return %0 : tensor<i32>
    }) {replica_groups = dense<[[0, 2], [1, -1]]> : tensor<2x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>
    // Nobody sends to replica 0: it gets zeros.
    %shifted = "stablehlo.collective_permute"(%x) {
      source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>
    } : (tensor<2xi32>) -> tensor<2xi32>
    %all = "stablehlo.all_gather"(%x) {
      all_gather_dim = 0 : i64, replica_groups = dense<[[2, 1, 0]]> : tensor<1x3xi64>
    } : (tensor<2xi32>) -> tensor<6xi32>
    return %product, %largest, %shifted, %all : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<6xi32>
  }
  func.func @main() {
    %x0 = stablehlo.constant dense<[2, -3]> : tensor<2xi32>
    %x1 = stablehlo.constant dense<[5, 7]> : tensor<2xi32>
    %x2 = stablehlo.constant dense<[-1, 4]> : tensor<2xi32>
    %r:12 = "interpreter.run_parallel"(%x0, %x1, %x2) {
      programs = [[@replica], [@replica], [@replica]]
    } : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<6xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<6xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<6xi32>)
    check.expect_eq_const %r#0, dense<[-10, -84]> : tensor<2xi32>
    check.expect_eq_const %r#4, dense<[-10, -84]> : tensor<2xi32>
    check.expect_eq_const %r#8, dense<[-10, -84]> : tensor<2xi32>
    check.expect_eq_const %r#1, dense<[2, 4]> : tensor<2xi32>
    check.expect_eq_const %r#5, dense<[5, 7]> : tensor<2xi32>
    check.expect_eq_const %r#9, dense<[2, 4]> : tensor<2xi32>
    check.expect_eq_const %r#2, dense<0> : tensor<2xi32>
    check.expect_eq_const %r#6, dense<[2, -3]> : tensor<2xi32>
    check.expect_eq_const %r#10, dense<[5, 7]> : tensor<2xi32>
    check.expect_eq_const %r#3, dense<[-1, 4, 5, 7, 2, -3]> : tensor<6xi32>
    check.expect_eq_const %r#7, dense<[-1, 4, 5, 7, 2, -3]> : tensor<6xi32>
    check.expect_eq_const %r#11, dense<[-1, 4, 5, 7, 2, -3]> : tensor<6xi32>
    return
  }
}
