// A body that no table knows, in the order of the group: ((x2 - 2 x0) - 2 x1). Values by hand.
module @own_body {
  func.func @replica(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.all_reduce"(%x) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %1 = stablehlo.add %b, %b : tensor<f32>
        %2 = stablehlo.subtract %a, %1 : tensor<f32>
        stablehlo.return %2 : tensor<f32>
    }) {replica_groups = dense<[[2, 0, 1]]> : tensor<1x3xi64>} : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @main() {
    %x0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %x1 = stablehlo.constant dense<[3.0, -4.0]> : tensor<2xf32>
    %x2 = stablehlo.constant dense<[0.5, 100.0]> : tensor<2xf32>
    %r:3 = "interpreter.run_parallel"(%x0, %x1, %x2) {programs = [[@replica], [@replica], [@replica]]}
      : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
    check.expect_eq_const %r#0, dense<[-7.5, 104.0]> : tensor<2xf32>
    check.expect_eq_const %r#1, dense<[-7.5, 104.0]> : tensor<2xf32>
    check.expect_eq_const %r#2, dense<[-7.5, 104.0]> : tensor<2xf32>
    return
  }
}
