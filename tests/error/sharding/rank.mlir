// One dimension in the sharding, two in the tensor.
func.func @main(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %a = sdy.sharding_constraint %x <mesh<["x"=2]>, [{"x"}]> : tensor<4x2xf32>  // error: number of dimensions: got 1, expected 2
  return %a : tensor<4x2xf32>
}
