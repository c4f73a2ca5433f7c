// weft_fuzz_programs --seed 675 --count 1 --ops 30
// unexpected error: [stablehlo.gather] slice_sizes: got [0, 1], expected values from 0 to those of the operand's shape [0, 0] (gather_c21)
module {
  func.func @main() -> tensor<0xui8> {
    %0 = stablehlo.constant dense<4> : tensor<i16>
    %1 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.constant dense<> : tensor<0x0xf64>
    %3 = stablehlo.constant dense<> : tensor<0x0xi64>
    %4 = "stablehlo.torch_index_select"(%2, %3) <{batch_dims = 0 : i64, dim = 1 : i64}> : (tensor<0x0xf64>, tensor<0x0xi64>) -> tensor<0x0x0xf64>
    %5 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.constant dense<> : tensor<0xui8>
    return %6 : tensor<0xui8>
  }
}
