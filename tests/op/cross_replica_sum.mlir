// Sums among two of three replicas; the third is a group of its own. Values by hand.
module @sums {
  func.func @replica(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.cross-replica-sum"(%x) {replica_groups = dense<[[0, 2], [1, -1]]> : tensor<2x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @main() {
    %x0 = stablehlo.constant dense<[2.0, -3.0]> : tensor<2xf32>
    %x1 = stablehlo.constant dense<[5.0, 7.0]> : tensor<2xf32>
    %x2 = stablehlo.constant dense<[0.5, 1.0]> : tensor<2xf32>
    %r:3 = "interpreter.run_parallel"(%x0, %x1, %x2) {programs = [[@replica], [@replica], [@replica]]}
      : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
    check.expect_eq_const %r#0, dense<[2.5, -2.0]> : tensor<2xf32>
    check.expect_eq_const %r#1, dense<[5.0, 7.0]> : tensor<2xf32>
    check.expect_eq_const %r#2, dense<[2.5, -2.0]> : tensor<2xf32>
    return
  }
}
