// Annotations of shardings change no value where there is one device.
sdy.mesh @mesh = <["data"=2, "model"=2]>
func.func @f(%x: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> (tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}) {
  %a = sdy.sharding_constraint %x <@mesh, [{"data"}, {"model", ?}p1]> : tensor<4x2xf32>
  %b = "sdy.sharding_constraint"(%a) <{sharding = #sdy.sharding<mesh<["x"=4]>, [{"x":(1)2}, {?}], replicated={"x":(2)2}>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %c = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"model"}, {}]>]>} : tensor<4x2xf32>
  return %c : tensor<4x2xf32>
}
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, -4.0], [0.5, 0.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %y = func.call @f(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  check.expect_eq_const %y, dense<[[2.0, 4.0], [6.0, -8.0], [1.0, 0.0], [14.0, 16.0]]> : tensor<4x2xf32>
  return
}
