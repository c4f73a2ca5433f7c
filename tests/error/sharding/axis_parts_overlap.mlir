// Two parts of one axis that have indices in common.
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %a = sdy.sharding_constraint %x <mesh<["x"=8]>, [{"x":(1)4}, {"x":(2)4}]> : tensor<4x4xf32>  // error: axis "x" is used twice
  return %a : tensor<4x4xf32>
}
