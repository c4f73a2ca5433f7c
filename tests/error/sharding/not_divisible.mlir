// Six rows over four devices.
sdy.mesh @mesh = <["data"=4]>
func.func @main(%x: tensor<6x2xf32>) -> tensor<6x2xf32> {
  %a = sdy.sharding_constraint %x <@mesh, [{"data"}, {}]> : tensor<6x2xf32>  // error: dimension 0 of tensor<6x2xf32> is cut into 4 parts: got extent 6, expected a multiple of 4
  return %a : tensor<6x2xf32>
}
