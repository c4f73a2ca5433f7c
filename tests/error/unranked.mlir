func.func @main(%a: tensor<*xf32>) {  // error: unranked tensors
  return
}
