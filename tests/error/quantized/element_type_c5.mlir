func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.0>>) {  // error: (quantized_element_type_c5)
  return
}
