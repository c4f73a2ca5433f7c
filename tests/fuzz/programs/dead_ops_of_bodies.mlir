// weft_fuzz_programs --seed 34 --count 1 --ops 30
// simplify is not idempotent: once
module {
  func.func @main() -> tensor<0x0xf32> {
    %0 = stablehlo.constant dense<> : tensor<0x0xi16>
    %1 = "stablehlo.map"(%0) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg0: tensor<i16>):
      %2 = chlo.broadcast_xor %arg0, %arg0 : (tensor<i16>, tensor<i16>) -> tensor<i16>
      %3 = stablehlo.constant dense<0.0> : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<0x0xi16>) -> tensor<0x0xf32>
    return %1 : tensor<0x0xf32>
  }
}
