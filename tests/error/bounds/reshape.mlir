func.func @main(%a: tensor<?x?xf32, #stablehlo.bounds<5, 5>>) {
  %0 = stablehlo.reshape %a : (tensor<?x?xf32, #stablehlo.bounds<5, 5>>) -> tensor<?x?xf32, #stablehlo.bounds<5, 5>>  // error: [stablehlo.reshape] type of the result
  return
}
