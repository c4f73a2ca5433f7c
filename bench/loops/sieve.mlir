func.func @main() -> (tensor<i64>) {
  %1 = stablehlo.constant dense<true> : tensor<100000xi1>
  %2 = stablehlo.constant dense<false> : tensor<i1>
  %3 = stablehlo.constant dense<1> : tensor<i64>
  %4 = stablehlo.constant dense<1> : tensor<i64>
  %5 = stablehlo.subtract %3, %4 : tensor<i64>
  %6 = stablehlo.constant dense<1> : tensor<i64>
  %7 = stablehlo.compare GE, %3, %6 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %8 = stablehlo.constant dense<100000> : tensor<i64>
  %9 = stablehlo.compare LE, %3, %8 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %10 = stablehlo.and %7, %9 : tensor<i1>
  "weft.check"(%10, %3) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
  %11 = stablehlo.reshape %2 : (tensor<i1>) -> tensor<1xi1>
  %12 = stablehlo.dynamic_update_slice %1, %11, %5 : (tensor<100000xi1>, tensor<1xi1>, tensor<i64>) -> tensor<100000xi1>
  %13 = stablehlo.constant dense<2> : tensor<i64>
  %w14:2 = stablehlo.while(%c14_0 = %13, %c14_1 = %12) : tensor<i64>, tensor<100000xi1>
  cond {
    %15 = stablehlo.multiply %c14_0, %c14_0 : tensor<i64>
    %16 = stablehlo.constant dense<100000> : tensor<i64>
    %17 = stablehlo.compare LE, %15, %16 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %17 : tensor<i1>
  } do {
    %18 = stablehlo.constant dense<1> : tensor<i64>
    %19 = stablehlo.add %c14_0, %18 : tensor<i64>
    %20 = stablehlo.constant dense<1> : tensor<i64>
    %21 = stablehlo.subtract %c14_0, %20 : tensor<i64>
    %22 = stablehlo.constant dense<1> : tensor<i64>
    %23 = stablehlo.compare GE, %c14_0, %22 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %24 = stablehlo.constant dense<100000> : tensor<i64>
    %25 = stablehlo.compare LE, %c14_0, %24 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %26 = stablehlo.and %23, %25 : tensor<i1>
    "weft.check"(%26, %c14_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %27 = stablehlo.dynamic_slice %c14_1, %21, sizes = [1] : (tensor<100000xi1>, tensor<i64>) -> tensor<1xi1>
    %28 = stablehlo.reshape %27 : (tensor<1xi1>) -> tensor<i1>
    %w29:1 = "stablehlo.if"(%28) ({
      %30 = stablehlo.multiply %c14_0, %c14_0 : tensor<i64>
      %w31:2 = stablehlo.while(%c31_0 = %30, %c31_1 = %c14_1) : tensor<i64>, tensor<100000xi1>
      cond {
        %32 = stablehlo.constant dense<100000> : tensor<i64>
        %33 = stablehlo.compare LE, %c31_0, %32 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %33 : tensor<i1>
      } do {
        %34 = stablehlo.add %c31_0, %c14_0 : tensor<i64>
        %35 = stablehlo.constant dense<false> : tensor<i1>
        %36 = stablehlo.constant dense<1> : tensor<i64>
        %37 = stablehlo.subtract %c31_0, %36 : tensor<i64>
        %38 = stablehlo.constant dense<1> : tensor<i64>
        %39 = stablehlo.compare GE, %c31_0, %38 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %40 = stablehlo.constant dense<100000> : tensor<i64>
        %41 = stablehlo.compare LE, %c31_0, %40 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %42 = stablehlo.and %39, %41 : tensor<i1>
        "weft.check"(%42, %c31_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %43 = stablehlo.reshape %35 : (tensor<i1>) -> tensor<1xi1>
        %44 = stablehlo.dynamic_update_slice %c31_1, %43, %37 : (tensor<100000xi1>, tensor<1xi1>, tensor<i64>) -> tensor<100000xi1>
        stablehlo.return %34, %44 : tensor<i64>, tensor<100000xi1>
      }
      stablehlo.return %w31#1 : tensor<100000xi1>
    }, {
      stablehlo.return %c14_1 : tensor<100000xi1>
    }) : (tensor<i1>) -> (tensor<100000xi1>)
    stablehlo.return %19, %w29#0 : tensor<i64>, tensor<100000xi1>
  }
  %45 = stablehlo.constant dense<0> : tensor<i64>
  %46 = stablehlo.constant dense<100000> : tensor<i64>
  %47 = stablehlo.constant dense<1> : tensor<i64>
  %w48:2 = stablehlo.while(%c48_0 = %47, %c48_1 = %45) : tensor<i64>, tensor<i64>
  cond {
    %49 = stablehlo.compare LE, %c48_0, %46 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %49 : tensor<i1>
  } do {
    %50 = stablehlo.constant dense<1> : tensor<i64>
    %51 = stablehlo.subtract %c48_0, %50 : tensor<i64>
    %52 = stablehlo.constant dense<1> : tensor<i64>
    %53 = stablehlo.compare GE, %c48_0, %52 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %54 = stablehlo.constant dense<100000> : tensor<i64>
    %55 = stablehlo.compare LE, %c48_0, %54 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %56 = stablehlo.and %53, %55 : tensor<i1>
    "weft.check"(%56, %c48_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %57 = stablehlo.dynamic_slice %w14#1, %51, sizes = [1] : (tensor<100000xi1>, tensor<i64>) -> tensor<1xi1>
    %58 = stablehlo.reshape %57 : (tensor<1xi1>) -> tensor<i1>
    %59 = stablehlo.convert %58 : (tensor<i1>) -> tensor<i64>
    %60 = stablehlo.add %c48_1, %59 : tensor<i64>
    %61 = stablehlo.constant dense<1> : tensor<i64>
    %62 = stablehlo.add %c48_0, %61 : tensor<i64>
    stablehlo.return %62, %60 : tensor<i64>, tensor<i64>
  }
  return %w48#1 : tensor<i64>
}
