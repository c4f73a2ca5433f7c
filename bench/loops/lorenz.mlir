func.func @main(%a0: tensor<i64>) -> (tensor<f64>, tensor<f64>, tensor<f64>) {
  %1 = stablehlo.constant dense<1.0> : tensor<f64>
  %2 = stablehlo.constant dense<1> : tensor<i64>
  %w3:4 = stablehlo.while(%c3_0 = %2, %c3_1 = %1, %c3_2 = %1, %c3_3 = %1) : tensor<i64>, tensor<f64>, tensor<f64>, tensor<f64>
  cond {
    %4 = stablehlo.compare LE, %c3_0, %a0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  } do {
    %w5:3 = func.call @slope(%c3_1, %c3_2, %c3_3) : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>)
    %6 = stablehlo.constant dense<0.005> : tensor<f64>
    %7 = stablehlo.multiply %6, %w5#0 : tensor<f64>
    %8 = stablehlo.add %c3_1, %7 : tensor<f64>
    %9 = stablehlo.constant dense<0.005> : tensor<f64>
    %10 = stablehlo.multiply %9, %w5#1 : tensor<f64>
    %11 = stablehlo.add %c3_2, %10 : tensor<f64>
    %12 = stablehlo.constant dense<0.005> : tensor<f64>
    %13 = stablehlo.multiply %12, %w5#2 : tensor<f64>
    %14 = stablehlo.add %c3_3, %13 : tensor<f64>
    %w15:3 = func.call @slope(%8, %11, %14) : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>)
    %16 = stablehlo.constant dense<0.005> : tensor<f64>
    %17 = stablehlo.multiply %16, %w15#0 : tensor<f64>
    %18 = stablehlo.add %c3_1, %17 : tensor<f64>
    %19 = stablehlo.constant dense<0.005> : tensor<f64>
    %20 = stablehlo.multiply %19, %w15#1 : tensor<f64>
    %21 = stablehlo.add %c3_2, %20 : tensor<f64>
    %22 = stablehlo.constant dense<0.005> : tensor<f64>
    %23 = stablehlo.multiply %22, %w15#2 : tensor<f64>
    %24 = stablehlo.add %c3_3, %23 : tensor<f64>
    %w25:3 = func.call @slope(%18, %21, %24) : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>)
    %26 = stablehlo.constant dense<0.01> : tensor<f64>
    %27 = stablehlo.multiply %26, %w25#0 : tensor<f64>
    %28 = stablehlo.add %c3_1, %27 : tensor<f64>
    %29 = stablehlo.constant dense<0.01> : tensor<f64>
    %30 = stablehlo.multiply %29, %w25#1 : tensor<f64>
    %31 = stablehlo.add %c3_2, %30 : tensor<f64>
    %32 = stablehlo.constant dense<0.01> : tensor<f64>
    %33 = stablehlo.multiply %32, %w25#2 : tensor<f64>
    %34 = stablehlo.add %c3_3, %33 : tensor<f64>
    %w35:3 = func.call @slope(%28, %31, %34) : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>)
    %36 = stablehlo.constant dense<2.0> : tensor<f64>
    %37 = stablehlo.multiply %36, %w15#0 : tensor<f64>
    %38 = stablehlo.add %w5#0, %37 : tensor<f64>
    %39 = stablehlo.constant dense<2.0> : tensor<f64>
    %40 = stablehlo.multiply %39, %w25#0 : tensor<f64>
    %41 = stablehlo.add %38, %40 : tensor<f64>
    %42 = stablehlo.add %41, %w35#0 : tensor<f64>
    %43 = stablehlo.constant dense<0.0016666666666666668> : tensor<f64>
    %44 = stablehlo.multiply %43, %42 : tensor<f64>
    %45 = stablehlo.add %c3_1, %44 : tensor<f64>
    %46 = stablehlo.constant dense<2.0> : tensor<f64>
    %47 = stablehlo.multiply %46, %w15#1 : tensor<f64>
    %48 = stablehlo.add %w5#1, %47 : tensor<f64>
    %49 = stablehlo.constant dense<2.0> : tensor<f64>
    %50 = stablehlo.multiply %49, %w25#1 : tensor<f64>
    %51 = stablehlo.add %48, %50 : tensor<f64>
    %52 = stablehlo.add %51, %w35#1 : tensor<f64>
    %53 = stablehlo.constant dense<0.0016666666666666668> : tensor<f64>
    %54 = stablehlo.multiply %53, %52 : tensor<f64>
    %55 = stablehlo.add %c3_2, %54 : tensor<f64>
    %56 = stablehlo.constant dense<2.0> : tensor<f64>
    %57 = stablehlo.multiply %56, %w15#2 : tensor<f64>
    %58 = stablehlo.add %w5#2, %57 : tensor<f64>
    %59 = stablehlo.constant dense<2.0> : tensor<f64>
    %60 = stablehlo.multiply %59, %w25#2 : tensor<f64>
    %61 = stablehlo.add %58, %60 : tensor<f64>
    %62 = stablehlo.add %61, %w35#2 : tensor<f64>
    %63 = stablehlo.constant dense<0.0016666666666666668> : tensor<f64>
    %64 = stablehlo.multiply %63, %62 : tensor<f64>
    %65 = stablehlo.add %c3_3, %64 : tensor<f64>
    %66 = stablehlo.constant dense<1> : tensor<i64>
    %67 = stablehlo.add %c3_0, %66 : tensor<i64>
    stablehlo.return %67, %45, %55, %65 : tensor<i64>, tensor<f64>, tensor<f64>, tensor<f64>
  }
  return %w3#1, %w3#2, %w3#3 : tensor<f64>, tensor<f64>, tensor<f64>
}

func.func private @slope(%a0: tensor<f64>, %a1: tensor<f64>, %a2: tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>) {
  %1 = stablehlo.subtract %a1, %a0 : tensor<f64>
  %2 = stablehlo.constant dense<10.0> : tensor<f64>
  %3 = stablehlo.multiply %2, %1 : tensor<f64>
  %4 = stablehlo.constant dense<28.0> : tensor<f64>
  %5 = stablehlo.subtract %4, %a2 : tensor<f64>
  %6 = stablehlo.multiply %a0, %5 : tensor<f64>
  %7 = stablehlo.subtract %6, %a1 : tensor<f64>
  %8 = stablehlo.multiply %a0, %a1 : tensor<f64>
  %9 = stablehlo.constant dense<2.6666666666666665> : tensor<f64>
  %10 = stablehlo.multiply %9, %a2 : tensor<f64>
  %11 = stablehlo.subtract %8, %10 : tensor<f64>
  return %3, %7, %11 : tensor<f64>, tensor<f64>, tensor<f64>
}
