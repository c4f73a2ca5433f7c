func.func @main(%a0: tensor<i64>, %a1: tensor<64x64xi64>) -> (tensor<64x64xi64>) {
  %1 = stablehlo.constant dense<1> : tensor<i64>
  %w2:3 = stablehlo.while(%c2_0 = %1, %c2_1 = %a1, %c2_2 = %a1) : tensor<i64>, tensor<64x64xi64>, tensor<64x64xi64>
  cond {
    %3 = stablehlo.compare LE, %c2_0, %a0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  } do {
    %4 = stablehlo.constant dense<64> : tensor<i64>
    %5 = stablehlo.constant dense<1> : tensor<i64>
    %w6:2 = stablehlo.while(%c6_0 = %5, %c6_1 = %c2_2) : tensor<i64>, tensor<64x64xi64>
    cond {
      %7 = stablehlo.compare LE, %c6_0, %4 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %8 = stablehlo.constant dense<1> : tensor<i64>
      %9 = stablehlo.compare EQ, %c6_0, %8 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %w10:1 = "stablehlo.if"(%9) ({
        %11 = stablehlo.constant dense<64> : tensor<i64>
        stablehlo.return %11 : tensor<i64>
      }, {
        %12 = stablehlo.constant dense<1> : tensor<i64>
        %13 = stablehlo.subtract %c6_0, %12 : tensor<i64>
        stablehlo.return %13 : tensor<i64>
      }) : (tensor<i1>) -> (tensor<i64>)
      %14 = stablehlo.constant dense<64> : tensor<i64>
      %15 = stablehlo.compare EQ, %c6_0, %14 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %w16:1 = "stablehlo.if"(%15) ({
        %17 = stablehlo.constant dense<1> : tensor<i64>
        stablehlo.return %17 : tensor<i64>
      }, {
        %18 = stablehlo.constant dense<1> : tensor<i64>
        %19 = stablehlo.add %c6_0, %18 : tensor<i64>
        stablehlo.return %19 : tensor<i64>
      }) : (tensor<i1>) -> (tensor<i64>)
      %20 = stablehlo.constant dense<64> : tensor<i64>
      %21 = stablehlo.constant dense<1> : tensor<i64>
      %w22:2 = stablehlo.while(%c22_0 = %21, %c22_1 = %c6_1) : tensor<i64>, tensor<64x64xi64>
      cond {
        %23 = stablehlo.compare LE, %c22_0, %20 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %23 : tensor<i1>
      } do {
        %24 = stablehlo.constant dense<1> : tensor<i64>
        %25 = stablehlo.compare EQ, %c22_0, %24 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %w26:1 = "stablehlo.if"(%25) ({
          %27 = stablehlo.constant dense<64> : tensor<i64>
          stablehlo.return %27 : tensor<i64>
        }, {
          %28 = stablehlo.constant dense<1> : tensor<i64>
          %29 = stablehlo.subtract %c22_0, %28 : tensor<i64>
          stablehlo.return %29 : tensor<i64>
        }) : (tensor<i1>) -> (tensor<i64>)
        %30 = stablehlo.constant dense<64> : tensor<i64>
        %31 = stablehlo.compare EQ, %c22_0, %30 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %w32:1 = "stablehlo.if"(%31) ({
          %33 = stablehlo.constant dense<1> : tensor<i64>
          stablehlo.return %33 : tensor<i64>
        }, {
          %34 = stablehlo.constant dense<1> : tensor<i64>
          %35 = stablehlo.add %c22_0, %34 : tensor<i64>
          stablehlo.return %35 : tensor<i64>
        }) : (tensor<i1>) -> (tensor<i64>)
        %36 = stablehlo.constant dense<1> : tensor<i64>
        %37 = stablehlo.subtract %w10#0, %36 : tensor<i64>
        %38 = stablehlo.constant dense<1> : tensor<i64>
        %39 = stablehlo.compare GE, %w10#0, %38 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %40 = stablehlo.constant dense<64> : tensor<i64>
        %41 = stablehlo.compare LE, %w10#0, %40 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %42 = stablehlo.and %39, %41 : tensor<i1>
        "weft.check"(%42, %w10#0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %43 = stablehlo.constant dense<1> : tensor<i64>
        %44 = stablehlo.subtract %w26#0, %43 : tensor<i64>
        %45 = stablehlo.constant dense<1> : tensor<i64>
        %46 = stablehlo.compare GE, %w26#0, %45 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %47 = stablehlo.constant dense<64> : tensor<i64>
        %48 = stablehlo.compare LE, %w26#0, %47 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %49 = stablehlo.and %46, %48 : tensor<i1>
        "weft.check"(%49, %w26#0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %50 = stablehlo.dynamic_slice %c2_1, %37, %44, sizes = [1, 1] : (tensor<64x64xi64>, tensor<i64>, tensor<i64>) -> tensor<1x1xi64>
        %51 = stablehlo.reshape %50 : (tensor<1x1xi64>) -> tensor<i64>
        %52 = stablehlo.constant dense<1> : tensor<i64>
        %53 = stablehlo.subtract %w10#0, %52 : tensor<i64>
        %54 = stablehlo.constant dense<1> : tensor<i64>
        %55 = stablehlo.compare GE, %w10#0, %54 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %56 = stablehlo.constant dense<64> : tensor<i64>
        %57 = stablehlo.compare LE, %w10#0, %56 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %58 = stablehlo.and %55, %57 : tensor<i1>
        "weft.check"(%58, %w10#0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %59 = stablehlo.constant dense<1> : tensor<i64>
        %60 = stablehlo.subtract %c22_0, %59 : tensor<i64>
        %61 = stablehlo.constant dense<1> : tensor<i64>
        %62 = stablehlo.compare GE, %c22_0, %61 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %63 = stablehlo.constant dense<64> : tensor<i64>
        %64 = stablehlo.compare LE, %c22_0, %63 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %65 = stablehlo.and %62, %64 : tensor<i1>
        "weft.check"(%65, %c22_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %66 = stablehlo.dynamic_slice %c2_1, %53, %60, sizes = [1, 1] : (tensor<64x64xi64>, tensor<i64>, tensor<i64>) -> tensor<1x1xi64>
        %67 = stablehlo.reshape %66 : (tensor<1x1xi64>) -> tensor<i64>
        %68 = stablehlo.add %51, %67 : tensor<i64>
        %69 = stablehlo.constant dense<1> : tensor<i64>
        %70 = stablehlo.subtract %w10#0, %69 : tensor<i64>
        %71 = stablehlo.constant dense<1> : tensor<i64>
        %72 = stablehlo.compare GE, %w10#0, %71 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %73 = stablehlo.constant dense<64> : tensor<i64>
        %74 = stablehlo.compare LE, %w10#0, %73 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %75 = stablehlo.and %72, %74 : tensor<i1>
        "weft.check"(%75, %w10#0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %76 = stablehlo.constant dense<1> : tensor<i64>
        %77 = stablehlo.subtract %w32#0, %76 : tensor<i64>
        %78 = stablehlo.constant dense<1> : tensor<i64>
        %79 = stablehlo.compare GE, %w32#0, %78 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %80 = stablehlo.constant dense<64> : tensor<i64>
        %81 = stablehlo.compare LE, %w32#0, %80 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %82 = stablehlo.and %79, %81 : tensor<i1>
        "weft.check"(%82, %w32#0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %83 = stablehlo.dynamic_slice %c2_1, %70, %77, sizes = [1, 1] : (tensor<64x64xi64>, tensor<i64>, tensor<i64>) -> tensor<1x1xi64>
        %84 = stablehlo.reshape %83 : (tensor<1x1xi64>) -> tensor<i64>
        %85 = stablehlo.add %68, %84 : tensor<i64>
        %86 = stablehlo.constant dense<1> : tensor<i64>
        %87 = stablehlo.subtract %c6_0, %86 : tensor<i64>
        %88 = stablehlo.constant dense<1> : tensor<i64>
        %89 = stablehlo.compare GE, %c6_0, %88 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %90 = stablehlo.constant dense<64> : tensor<i64>
        %91 = stablehlo.compare LE, %c6_0, %90 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %92 = stablehlo.and %89, %91 : tensor<i1>
        "weft.check"(%92, %c6_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %93 = stablehlo.constant dense<1> : tensor<i64>
        %94 = stablehlo.subtract %w26#0, %93 : tensor<i64>
        %95 = stablehlo.constant dense<1> : tensor<i64>
        %96 = stablehlo.compare GE, %w26#0, %95 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %97 = stablehlo.constant dense<64> : tensor<i64>
        %98 = stablehlo.compare LE, %w26#0, %97 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %99 = stablehlo.and %96, %98 : tensor<i1>
        "weft.check"(%99, %w26#0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %100 = stablehlo.dynamic_slice %c2_1, %87, %94, sizes = [1, 1] : (tensor<64x64xi64>, tensor<i64>, tensor<i64>) -> tensor<1x1xi64>
        %101 = stablehlo.reshape %100 : (tensor<1x1xi64>) -> tensor<i64>
        %102 = stablehlo.add %85, %101 : tensor<i64>
        %103 = stablehlo.constant dense<1> : tensor<i64>
        %104 = stablehlo.subtract %c6_0, %103 : tensor<i64>
        %105 = stablehlo.constant dense<1> : tensor<i64>
        %106 = stablehlo.compare GE, %c6_0, %105 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %107 = stablehlo.constant dense<64> : tensor<i64>
        %108 = stablehlo.compare LE, %c6_0, %107 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %109 = stablehlo.and %106, %108 : tensor<i1>
        "weft.check"(%109, %c6_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %110 = stablehlo.constant dense<1> : tensor<i64>
        %111 = stablehlo.subtract %w32#0, %110 : tensor<i64>
        %112 = stablehlo.constant dense<1> : tensor<i64>
        %113 = stablehlo.compare GE, %w32#0, %112 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %114 = stablehlo.constant dense<64> : tensor<i64>
        %115 = stablehlo.compare LE, %w32#0, %114 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %116 = stablehlo.and %113, %115 : tensor<i1>
        "weft.check"(%116, %w32#0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %117 = stablehlo.dynamic_slice %c2_1, %104, %111, sizes = [1, 1] : (tensor<64x64xi64>, tensor<i64>, tensor<i64>) -> tensor<1x1xi64>
        %118 = stablehlo.reshape %117 : (tensor<1x1xi64>) -> tensor<i64>
        %119 = stablehlo.add %102, %118 : tensor<i64>
        %120 = stablehlo.constant dense<1> : tensor<i64>
        %121 = stablehlo.subtract %w16#0, %120 : tensor<i64>
        %122 = stablehlo.constant dense<1> : tensor<i64>
        %123 = stablehlo.compare GE, %w16#0, %122 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %124 = stablehlo.constant dense<64> : tensor<i64>
        %125 = stablehlo.compare LE, %w16#0, %124 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %126 = stablehlo.and %123, %125 : tensor<i1>
        "weft.check"(%126, %w16#0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %127 = stablehlo.constant dense<1> : tensor<i64>
        %128 = stablehlo.subtract %w26#0, %127 : tensor<i64>
        %129 = stablehlo.constant dense<1> : tensor<i64>
        %130 = stablehlo.compare GE, %w26#0, %129 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %131 = stablehlo.constant dense<64> : tensor<i64>
        %132 = stablehlo.compare LE, %w26#0, %131 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %133 = stablehlo.and %130, %132 : tensor<i1>
        "weft.check"(%133, %w26#0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %134 = stablehlo.dynamic_slice %c2_1, %121, %128, sizes = [1, 1] : (tensor<64x64xi64>, tensor<i64>, tensor<i64>) -> tensor<1x1xi64>
        %135 = stablehlo.reshape %134 : (tensor<1x1xi64>) -> tensor<i64>
        %136 = stablehlo.add %119, %135 : tensor<i64>
        %137 = stablehlo.constant dense<1> : tensor<i64>
        %138 = stablehlo.subtract %w16#0, %137 : tensor<i64>
        %139 = stablehlo.constant dense<1> : tensor<i64>
        %140 = stablehlo.compare GE, %w16#0, %139 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %141 = stablehlo.constant dense<64> : tensor<i64>
        %142 = stablehlo.compare LE, %w16#0, %141 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %143 = stablehlo.and %140, %142 : tensor<i1>
        "weft.check"(%143, %w16#0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %144 = stablehlo.constant dense<1> : tensor<i64>
        %145 = stablehlo.subtract %c22_0, %144 : tensor<i64>
        %146 = stablehlo.constant dense<1> : tensor<i64>
        %147 = stablehlo.compare GE, %c22_0, %146 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %148 = stablehlo.constant dense<64> : tensor<i64>
        %149 = stablehlo.compare LE, %c22_0, %148 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %150 = stablehlo.and %147, %149 : tensor<i1>
        "weft.check"(%150, %c22_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %151 = stablehlo.dynamic_slice %c2_1, %138, %145, sizes = [1, 1] : (tensor<64x64xi64>, tensor<i64>, tensor<i64>) -> tensor<1x1xi64>
        %152 = stablehlo.reshape %151 : (tensor<1x1xi64>) -> tensor<i64>
        %153 = stablehlo.add %136, %152 : tensor<i64>
        %154 = stablehlo.constant dense<1> : tensor<i64>
        %155 = stablehlo.subtract %w16#0, %154 : tensor<i64>
        %156 = stablehlo.constant dense<1> : tensor<i64>
        %157 = stablehlo.compare GE, %w16#0, %156 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %158 = stablehlo.constant dense<64> : tensor<i64>
        %159 = stablehlo.compare LE, %w16#0, %158 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %160 = stablehlo.and %157, %159 : tensor<i1>
        "weft.check"(%160, %w16#0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %161 = stablehlo.constant dense<1> : tensor<i64>
        %162 = stablehlo.subtract %w32#0, %161 : tensor<i64>
        %163 = stablehlo.constant dense<1> : tensor<i64>
        %164 = stablehlo.compare GE, %w32#0, %163 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %165 = stablehlo.constant dense<64> : tensor<i64>
        %166 = stablehlo.compare LE, %w32#0, %165 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %167 = stablehlo.and %164, %166 : tensor<i1>
        "weft.check"(%167, %w32#0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %168 = stablehlo.dynamic_slice %c2_1, %155, %162, sizes = [1, 1] : (tensor<64x64xi64>, tensor<i64>, tensor<i64>) -> tensor<1x1xi64>
        %169 = stablehlo.reshape %168 : (tensor<1x1xi64>) -> tensor<i64>
        %170 = stablehlo.add %153, %169 : tensor<i64>
        %171 = stablehlo.constant dense<1> : tensor<i64>
        %172 = stablehlo.subtract %c6_0, %171 : tensor<i64>
        %173 = stablehlo.constant dense<1> : tensor<i64>
        %174 = stablehlo.compare GE, %c6_0, %173 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %175 = stablehlo.constant dense<64> : tensor<i64>
        %176 = stablehlo.compare LE, %c6_0, %175 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %177 = stablehlo.and %174, %176 : tensor<i1>
        "weft.check"(%177, %c6_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %178 = stablehlo.constant dense<1> : tensor<i64>
        %179 = stablehlo.subtract %c22_0, %178 : tensor<i64>
        %180 = stablehlo.constant dense<1> : tensor<i64>
        %181 = stablehlo.compare GE, %c22_0, %180 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %182 = stablehlo.constant dense<64> : tensor<i64>
        %183 = stablehlo.compare LE, %c22_0, %182 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %184 = stablehlo.and %181, %183 : tensor<i1>
        "weft.check"(%184, %c22_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %185 = stablehlo.dynamic_slice %c2_1, %172, %179, sizes = [1, 1] : (tensor<64x64xi64>, tensor<i64>, tensor<i64>) -> tensor<1x1xi64>
        %186 = stablehlo.reshape %185 : (tensor<1x1xi64>) -> tensor<i64>
        %187 = stablehlo.constant dense<1> : tensor<i64>
        %188 = stablehlo.compare EQ, %186, %187 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %189 = stablehlo.constant dense<3> : tensor<i64>
        %190 = stablehlo.compare EQ, %170, %189 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %w191:1 = "stablehlo.if"(%190) ({
          %192 = stablehlo.constant dense<1> : tensor<i64>
          stablehlo.return %192 : tensor<i64>
        }, {
          %193 = stablehlo.constant dense<2> : tensor<i64>
          %194 = stablehlo.compare EQ, %170, %193 : (tensor<i64>, tensor<i64>) -> tensor<i1>
          %195 = stablehlo.and %188, %194 : tensor<i1>
          %w196:1 = "stablehlo.if"(%195) ({
            %197 = stablehlo.constant dense<1> : tensor<i64>
            stablehlo.return %197 : tensor<i64>
          }, {
            %198 = stablehlo.constant dense<0> : tensor<i64>
            stablehlo.return %198 : tensor<i64>
          }) : (tensor<i1>) -> (tensor<i64>)
          stablehlo.return %w196#0 : tensor<i64>
        }) : (tensor<i1>) -> (tensor<i64>)
        %199 = stablehlo.constant dense<1> : tensor<i64>
        %200 = stablehlo.subtract %c6_0, %199 : tensor<i64>
        %201 = stablehlo.constant dense<1> : tensor<i64>
        %202 = stablehlo.compare GE, %c6_0, %201 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %203 = stablehlo.constant dense<64> : tensor<i64>
        %204 = stablehlo.compare LE, %c6_0, %203 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %205 = stablehlo.and %202, %204 : tensor<i1>
        "weft.check"(%205, %c6_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %206 = stablehlo.constant dense<1> : tensor<i64>
        %207 = stablehlo.subtract %c22_0, %206 : tensor<i64>
        %208 = stablehlo.constant dense<1> : tensor<i64>
        %209 = stablehlo.compare GE, %c22_0, %208 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %210 = stablehlo.constant dense<64> : tensor<i64>
        %211 = stablehlo.compare LE, %c22_0, %210 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %212 = stablehlo.and %209, %211 : tensor<i1>
        "weft.check"(%212, %c22_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %213 = stablehlo.reshape %w191#0 : (tensor<i64>) -> tensor<1x1xi64>
        %214 = stablehlo.dynamic_update_slice %c22_1, %213, %200, %207 : (tensor<64x64xi64>, tensor<1x1xi64>, tensor<i64>, tensor<i64>) -> tensor<64x64xi64>
        %215 = stablehlo.constant dense<1> : tensor<i64>
        %216 = stablehlo.add %c22_0, %215 : tensor<i64>
        stablehlo.return %216, %214 : tensor<i64>, tensor<64x64xi64>
      }
      %217 = stablehlo.constant dense<1> : tensor<i64>
      %218 = stablehlo.add %c6_0, %217 : tensor<i64>
      stablehlo.return %218, %w22#1 : tensor<i64>, tensor<64x64xi64>
    }
    %219 = stablehlo.constant dense<1> : tensor<i64>
    %220 = stablehlo.add %c2_0, %219 : tensor<i64>
    stablehlo.return %220, %w6#1, %c2_1 : tensor<i64>, tensor<64x64xi64>, tensor<64x64xi64>
  }
  return %w2#1 : tensor<64x64xi64>
}
