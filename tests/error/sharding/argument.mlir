// The sharding of an argument.
sdy.mesh @mesh = <["data"=2]>
func.func @main(%x: tensor<4xf32>, %y: tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}) -> tensor<4xf32> {  // error: sdy.sharding of argument 1 of @main: dimension 0 of tensor<3xf32>
  return %x : tensor<4xf32>
}
