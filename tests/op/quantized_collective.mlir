// Two replicas meet with quantized tensors: what nobody sends is zero, which is stored as the zero point; sums are of what is meant, in
// the 16 bits of the body; parts keep their stored integers. Values by hand.
!q = !quant.uniform<i8:f32, 0.5:10>
!w = !quant.uniform<i16:f32, 0.25:-1>
module @quantized_collectives {
  func.func @replica(%x: tensor<2xi8>) -> (tensor<2xi16>, tensor<2xi8>, tensor<4xi8>) {
    %q = stablehlo.bitcast_convert %x : (tensor<2xi8>) -> tensor<2x!q>
    %sum = "stablehlo.all_reduce"(%q) ({
      ^bb0(%a: tensor<!w>, %b: tensor<!w>):
        %0 = stablehlo.add %a, %b : tensor<!w>
        stablehlo.return %0 : tensor<!w>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x!q>) -> tensor<2x!w>
    %shifted = "stablehlo.collective_permute"(%q) {
      source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>
    } : (tensor<2x!q>) -> tensor<2x!q>
    %all = "stablehlo.all_gather"(%q) {
      all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>
    } : (tensor<2x!q>) -> tensor<4x!q>
    %0 = stablehlo.bitcast_convert %sum : (tensor<2x!w>) -> tensor<2xi16>
    %1 = stablehlo.bitcast_convert %shifted : (tensor<2x!q>) -> tensor<2xi8>
    %2 = stablehlo.bitcast_convert %all : (tensor<4x!q>) -> tensor<4xi8>
    return %0, %1, %2 : tensor<2xi16>, tensor<2xi8>, tensor<4xi8>
  }
  func.func @main() {
    // 1, 58.5 and -2, 40
    %x0 = stablehlo.constant dense<[12, 127]> : tensor<2xi8>
    %x1 = stablehlo.constant dense<[6, 90]> : tensor<2xi8>
    %r:6 = "interpreter.run_parallel"(%x0, %x1) {
      programs = [[@replica], [@replica]]
    } : (tensor<2xi8>, tensor<2xi8>) -> (tensor<2xi16>, tensor<2xi8>, tensor<4xi8>, tensor<2xi16>, tensor<2xi8>, tensor<4xi8>)
    // -1 / 0.25 - 1 and 98.5 / 0.25 - 1
    check.expect_eq_const %r#0, dense<[-5, 393]> : tensor<2xi16>
    check.expect_eq_const %r#3, dense<[-5, 393]> : tensor<2xi16>
    check.expect_eq_const %r#1, dense<10> : tensor<2xi8>
    check.expect_eq_const %r#4, dense<[12, 127]> : tensor<2xi8>
    check.expect_eq_const %r#2, dense<[12, 127, 6, 90]> : tensor<4xi8>
    check.expect_eq_const %r#5, dense<[12, 127, 6, 90]> : tensor<4xi8>
    return
  }
}
