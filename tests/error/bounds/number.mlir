func.func @main(%a: tensor<?xf32, #stablehlo.bounds<3, 4>>) {  // error: bounds of 2 dimensions for a tensor of rank 1
  return
}
