// An axis that the mesh lacks.
sdy.mesh @mesh = <["data"=2, "model"=2]>
func.func @main(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %a = sdy.sharding_constraint %x <@mesh, [{"rows"}, {}]> : tensor<4x2xf32>  // error: the mesh has no axis "rows": got ["data"=2, "model"=2]
  return %a : tensor<4x2xf32>
}
