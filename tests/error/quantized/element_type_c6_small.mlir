func.func @main(%x: tensor<2x!quant.uniform<i8:f16, 4.0e-8>>) {  // error: (quantized_element_type_c6)
  return
}
