#CSR=x-
func.func@f(%a:tensor<2xf32,#CSR>){return}
