// A mesh that nobody defines.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = sdy.sharding_constraint %x <@mesh, [{"data"}]> : tensor<4xf32>  // error: the module has no mesh @mesh
  return %a : tensor<4xf32>
}
