func.func @main(%a0: tensor<200x200xf64>, %a1: tensor<200x200xf64>) -> (tensor<200x200xf64>) {
  %1 = stablehlo.constant dense<0.0> : tensor<200x200xf64>
  %2 = stablehlo.constant dense<200> : tensor<i64>
  %3 = stablehlo.constant dense<1> : tensor<i64>
  %w4:2 = stablehlo.while(%c4_0 = %3, %c4_1 = %1) : tensor<i64>, tensor<200x200xf64>
  cond {
    %5 = stablehlo.compare LE, %c4_0, %2 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  } do {
    %6 = stablehlo.constant dense<200> : tensor<i64>
    %7 = stablehlo.constant dense<1> : tensor<i64>
    %w8:2 = stablehlo.while(%c8_0 = %7, %c8_1 = %c4_1) : tensor<i64>, tensor<200x200xf64>
    cond {
      %9 = stablehlo.compare LE, %c8_0, %6 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    } do {
      %10 = stablehlo.constant dense<1> : tensor<i64>
      %11 = stablehlo.subtract %c4_0, %10 : tensor<i64>
      %12 = stablehlo.constant dense<1> : tensor<i64>
      %13 = stablehlo.compare GE, %c4_0, %12 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %14 = stablehlo.constant dense<200> : tensor<i64>
      %15 = stablehlo.compare LE, %c4_0, %14 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %16 = stablehlo.and %13, %15 : tensor<i1>
      "weft.check"(%16, %c4_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
      %17 = stablehlo.constant dense<1> : tensor<i64>
      %18 = stablehlo.subtract %c8_0, %17 : tensor<i64>
      %19 = stablehlo.constant dense<1> : tensor<i64>
      %20 = stablehlo.compare GE, %c8_0, %19 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %21 = stablehlo.constant dense<200> : tensor<i64>
      %22 = stablehlo.compare LE, %c8_0, %21 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %23 = stablehlo.and %20, %22 : tensor<i1>
      "weft.check"(%23, %c8_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
      %24 = stablehlo.dynamic_slice %a1, %11, %18, sizes = [1, 1] : (tensor<200x200xf64>, tensor<i64>, tensor<i64>) -> tensor<1x1xf64>
      %25 = stablehlo.reshape %24 : (tensor<1x1xf64>) -> tensor<f64>
      %26 = stablehlo.constant dense<200> : tensor<i64>
      %27 = stablehlo.constant dense<1> : tensor<i64>
      %w28:2 = stablehlo.while(%c28_0 = %27, %c28_1 = %c8_1) : tensor<i64>, tensor<200x200xf64>
      cond {
        %29 = stablehlo.compare LE, %c28_0, %26 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %29 : tensor<i1>
      } do {
        %30 = stablehlo.constant dense<1> : tensor<i64>
        %31 = stablehlo.subtract %c4_0, %30 : tensor<i64>
        %32 = stablehlo.constant dense<1> : tensor<i64>
        %33 = stablehlo.compare GE, %c4_0, %32 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %34 = stablehlo.constant dense<200> : tensor<i64>
        %35 = stablehlo.compare LE, %c4_0, %34 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %36 = stablehlo.and %33, %35 : tensor<i1>
        "weft.check"(%36, %c4_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %37 = stablehlo.constant dense<1> : tensor<i64>
        %38 = stablehlo.subtract %c28_0, %37 : tensor<i64>
        %39 = stablehlo.constant dense<1> : tensor<i64>
        %40 = stablehlo.compare GE, %c28_0, %39 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %41 = stablehlo.constant dense<200> : tensor<i64>
        %42 = stablehlo.compare LE, %c28_0, %41 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %43 = stablehlo.and %40, %42 : tensor<i1>
        "weft.check"(%43, %c28_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %44 = stablehlo.dynamic_slice %c28_1, %31, %38, sizes = [1, 1] : (tensor<200x200xf64>, tensor<i64>, tensor<i64>) -> tensor<1x1xf64>
        %45 = stablehlo.reshape %44 : (tensor<1x1xf64>) -> tensor<f64>
        %46 = stablehlo.constant dense<1> : tensor<i64>
        %47 = stablehlo.subtract %c8_0, %46 : tensor<i64>
        %48 = stablehlo.constant dense<1> : tensor<i64>
        %49 = stablehlo.compare GE, %c8_0, %48 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %50 = stablehlo.constant dense<200> : tensor<i64>
        %51 = stablehlo.compare LE, %c8_0, %50 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %52 = stablehlo.and %49, %51 : tensor<i1>
        "weft.check"(%52, %c8_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %53 = stablehlo.constant dense<1> : tensor<i64>
        %54 = stablehlo.subtract %c28_0, %53 : tensor<i64>
        %55 = stablehlo.constant dense<1> : tensor<i64>
        %56 = stablehlo.compare GE, %c28_0, %55 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %57 = stablehlo.constant dense<200> : tensor<i64>
        %58 = stablehlo.compare LE, %c28_0, %57 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %59 = stablehlo.and %56, %58 : tensor<i1>
        "weft.check"(%59, %c28_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %60 = stablehlo.dynamic_slice %a0, %47, %54, sizes = [1, 1] : (tensor<200x200xf64>, tensor<i64>, tensor<i64>) -> tensor<1x1xf64>
        %61 = stablehlo.reshape %60 : (tensor<1x1xf64>) -> tensor<f64>
        %62 = stablehlo.multiply %61, %25 : tensor<f64>
        %63 = stablehlo.add %45, %62 : tensor<f64>
        %64 = stablehlo.constant dense<1> : tensor<i64>
        %65 = stablehlo.subtract %c4_0, %64 : tensor<i64>
        %66 = stablehlo.constant dense<1> : tensor<i64>
        %67 = stablehlo.compare GE, %c4_0, %66 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %68 = stablehlo.constant dense<200> : tensor<i64>
        %69 = stablehlo.compare LE, %c4_0, %68 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %70 = stablehlo.and %67, %69 : tensor<i1>
        "weft.check"(%70, %c4_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %71 = stablehlo.constant dense<1> : tensor<i64>
        %72 = stablehlo.subtract %c28_0, %71 : tensor<i64>
        %73 = stablehlo.constant dense<1> : tensor<i64>
        %74 = stablehlo.compare GE, %c28_0, %73 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %75 = stablehlo.constant dense<200> : tensor<i64>
        %76 = stablehlo.compare LE, %c28_0, %75 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %77 = stablehlo.and %74, %76 : tensor<i1>
        "weft.check"(%77, %c28_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %78 = stablehlo.reshape %63 : (tensor<f64>) -> tensor<1x1xf64>
        %79 = stablehlo.dynamic_update_slice %c28_1, %78, %65, %72 : (tensor<200x200xf64>, tensor<1x1xf64>, tensor<i64>, tensor<i64>) -> tensor<200x200xf64>
        %80 = stablehlo.constant dense<1> : tensor<i64>
        %81 = stablehlo.add %c28_0, %80 : tensor<i64>
        stablehlo.return %81, %79 : tensor<i64>, tensor<200x200xf64>
      }
      %82 = stablehlo.constant dense<1> : tensor<i64>
      %83 = stablehlo.add %c8_0, %82 : tensor<i64>
      stablehlo.return %83, %w28#1 : tensor<i64>, tensor<200x200xf64>
    }
    %84 = stablehlo.constant dense<1> : tensor<i64>
    %85 = stablehlo.add %c4_0, %84 : tensor<i64>
    stablehlo.return %85, %w8#1 : tensor<i64>, tensor<200x200xf64>
  }
  return %w4#1 : tensor<200x200xf64>
}
