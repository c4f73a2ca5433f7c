// weft_fuzz_programs --seed 399 --count 1 --ops 30
// refine: a result's shape stays open
module {
  func.func private @case(%arg0: tensor<0x0xbf16>) -> tensor<0x0xbf16> {
    %0 = chlo.broadcast_minimum %arg0, %arg0 : (tensor<0x0xbf16>, tensor<0x0xbf16>) -> tensor<0x0xbf16>
    return %0 : tensor<0x0xbf16>
  }
  func.func @main() -> tensor<0x0xbf16> {
    %0 = stablehlo.constant dense<> : tensor<0x0xbf16>
    %1 = func.call @case(%0) : (tensor<0x0xbf16>) -> tensor<0x0xbf16>
    return %1 : tensor<0x0xbf16>
  }
}
