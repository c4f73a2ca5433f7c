func.func @main(%x: tensor<2x!quant.uniform<i8<-127:127>:f32, 0.5:-128>>) {  // error: (quantized_element_type_c7)
  return
}
