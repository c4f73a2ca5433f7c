func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32:2, {0.5, 0.5}>>) {  // error: (quantized_tensor_type_c12)
  return
}
