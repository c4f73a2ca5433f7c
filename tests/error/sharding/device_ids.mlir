// A device that stands twice in the mesh.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = sdy.sharding_constraint %x <mesh<["x"=2], device_ids=[1, 1]>, [{"x"}]> : tensor<4xf32>  // error: device_ids of a mesh: expected each of 0 to 1 once
  return %a : tensor<4xf32>
}
