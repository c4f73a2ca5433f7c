// One axis cuts two dimensions.
sdy.mesh @mesh = <["data"=2, "model"=2]>
func.func @main(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %a = sdy.sharding_constraint %x <@mesh, [{"data"}, {"data"}]> : tensor<4x2xf32>  // error: axis "data" is used twice
  return %a : tensor<4x2xf32>
}
