// One sharding for two results.
sdy.mesh @mesh = <["data"=2]>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a:2 = stablehlo.optimization_barrier %x, %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}]>]>} : tensor<4xf32>, tensor<4xf32>  // error: got 1 shardings, expected one for each of 2 results
  return %a#0 : tensor<4xf32>
}
