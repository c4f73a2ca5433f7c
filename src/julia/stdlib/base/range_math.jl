# Arithmetic of ranges, and numbers of twice the precision behind those of floating point.

(::Type{TwicePrecision{T}})(x::Number) where {T} = _new(TwicePrecision{T}, T(x), zero(T))
(::Type{TwicePrecision{T}})(hi, lo) where {T} = _new(TwicePrecision{T}, T(hi), T(lo))
(::Type{TwicePrecision})(x::T) where {T<:Number} = _new(TwicePrecision{T}, x, zero(T))
(::Type{TwicePrecision})(hi::T, lo::T) where {T} = _new(TwicePrecision{T}, hi, lo)
(::Type{T})(x::TwicePrecision) where {T<:Number} = T(x.hi + x.lo)::T
convert(::Type{TwicePrecision{T}}, x::TwicePrecision{T}) where {T} = x
convert(::Type{TwicePrecision{T}}, x::TwicePrecision) where {T} = TwicePrecision{T}(x.hi, x.lo)
convert(::Type{TwicePrecision{T}}, x::Number) where {T} = TwicePrecision{T}(x)
convert(::Type{T}, x::TwicePrecision) where {T<:Number} = T(x.hi + x.lo)
zero(x::TwicePrecision{T}) where {T} = TwicePrecision{T}(zero(T), zero(T))
# A sum and its rounding error; the order of the operands does not matter.
function two_sum(a::T, b::T) where {T}
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)
end
function two_product(a::T, b::T) where {T}
    p = a * b
    return p, fma(a, b, -p)
end
-(x::TwicePrecision) = TwicePrecision(-x.hi, -x.lo)
function +(x::TwicePrecision{T}, y::TwicePrecision{T}) where {T}
    s, e = two_sum(x.hi, y.hi)
    hi, lo = two_sum(s, e + (x.lo + y.lo))
    return TwicePrecision(hi, lo)
end
+(x::TwicePrecision{T}, y::Number) where {T} = x + TwicePrecision{T}(y)
+(x::Number, y::TwicePrecision) = y + x
-(x::TwicePrecision, y::TwicePrecision) = x + (-y)
-(x::TwicePrecision, y::Number) = x + (-y)
function *(x::TwicePrecision{T}, v::Number) where {T}
    v == 0 && return TwicePrecision(x.hi * T(v), x.lo * T(v))
    p, e = two_product(x.hi, T(v))
    hi, lo = two_sum(p, e + x.lo * T(v))
    return TwicePrecision(hi, lo)
end
*(v::Number, x::TwicePrecision) = x * v
function /(x::TwicePrecision{T}, v::Number) where {T}
    hi = x.hi / T(v)
    p, e = two_product(hi, T(v))
    lo = (((x.hi - p) - e) + x.lo) / T(v)
    h, l = two_sum(hi, lo)
    return TwicePrecision(h, l)
end
<(x::TwicePrecision, y::TwicePrecision) = x.hi < y.hi || (x.hi == y.hi && x.lo < y.lo)
==(x::TwicePrecision, y::TwicePrecision) = x.hi == y.hi && x.lo == y.lo

hiprec_element(r::StepRangeLen, i::Integer) = r.ref + (i - r.offset) * r.step

-(r::OrdinalRange) = range_start_step_length(-first(r), -step(r), length(r))
-(r::StepRangeLen{T,R,S,L}) where {T,R,S,L} = StepRangeLen{T,R,S,L}(-r.ref, -r.step, r.len, r.offset)
-(r::LinRange{T}) where {T} = LinRange{T}(-r.start, -r.stop, r.len)
+(r::AbstractRange) = r

range_plus(r::AbstractUnitRange{<:Integer}, x::Integer) = (first(r) + x):(last(r) + x)
range_plus(r::AbstractUnitRange, x::Real) = range_start_length(first(r) + x, length(r))
range_plus(r::OrdinalRange{<:Integer}, x::Integer) = step_range(first(r) + x, step(r), last(r) + x)
range_plus(r::AbstractRange, x::Number) = range_start_step_length(first(r) + x, step(r), length(r))
range_plus(r::StepRangeLen{T}, x::Number) where {T} = shifted_range(typeof(T(r.ref) + x), r, r.ref + x)
shifted_range(::Type{T}, r::StepRangeLen, ref) where {T} = StepRangeLen{T}(ref, convert(typeof(ref), r.step), length(r), r.offset)
range_plus(r::LinRange, x::Number) = LinRange(r.start + x, r.stop + x, r.len)
# A step of zero is one of StepRangeLen only.
range_times(r::OrdinalRange{<:Integer}, x::Integer) = iszero(x) ? StepRangeLen(first(r) * x, step(r) * x, length(r)) :
    range_start_step_length(first(r) * x, step(r) * x, length(r))
range_times(r::AbstractRange, x::Number) = range_start_step_length(first(r) * x, step(r) * x, length(r))
range_times(r::StepRangeLen{T}, x::Number) where {T} =
    StepRangeLen{typeof(T(r.ref) * x)}(r.ref * x, r.step * x, length(r), r.offset)
range_times(r::LinRange, x::Number) = LinRange(r.start * x, r.stop * x, r.len)
range_over(r::AbstractRange, x::Number) = range_start_step_length(first(r) / x, step(r) / x, length(r))
range_over(r::StepRangeLen{T}, x::Number) where {T} =
    StepRangeLen{typeof(T(r.ref) / x)}(r.ref / x, r.step / x, length(r), r.offset)
range_over(r::LinRange, x::Number) = LinRange(r.start / x, r.stop / x, r.len)

*(x::Number, r::AbstractRange) = range_times(r, x)
*(r::AbstractRange, x::Number) = range_times(r, x)
/(r::AbstractRange, x::Number) = range_over(r, x)
\(x::Number, r::AbstractRange) = range_over(r, x)

function +(r::AbstractRange, s::AbstractRange)
    length(r) == length(s) || throw(DimensionMismatch(shape_mismatch_text(axes(r), axes(s), 1)))
    return range_start_step_length(first(r) + first(s), step(r) + step(s), length(r))
end
function -(r::AbstractRange, s::AbstractRange)
    length(r) == length(s) || throw(DimensionMismatch(shape_mismatch_text(axes(r), axes(s), 1)))
    return range_start_step_length(first(r) - first(s), step(r) - step(s), length(r))
end
function +(r::LinRange{T}, s::LinRange{T}) where {T}
    r.len == s.len || throw(DimensionMismatch("argument dimensions must match: length of r is $(r.len), length of s is $(s.len)"))
    return LinRange{T}(r.start + s.start, r.stop + s.stop, r.len)
end
function same_length(r, s)
    length(r) == length(s) || throw(DimensionMismatch("argument dimensions must match: length of r is $(length(r)), length of s is $(length(s))"))
end
function +(r::StepRangeLen{T,R}, s::StepRangeLen{T,R}) where {T,R<:TwicePrecision}
    same_length(r, s)
    return StepRangeLen{T}(hiprec_element(r, 1) + hiprec_element(s, 1), r.step + s.step, length(r), 1)
end
-(r::StepRangeLen{T,R}, s::StepRangeLen{T,R}) where {T,R<:TwicePrecision} = r + (-s)

reverse(r::OrdinalRange) = (:)(last(r), negate(step(r)), first(r))
negate(x) = -x
negate(x::Unsigned) = -signed(x)
reverse(r::StepRangeLen{T,R,S,L}) where {T,R,S,L} =
    StepRangeLen{T,R,S,L}(r.ref, -r.step, r.len, isempty(r) ? r.offset : r.len - r.offset + 1)
reverse(r::LinRange{T}) where {T} = LinRange{T}(r.stop, r.start, r.len)

# The sum to the precision of the range itself.
function sum(r::StepRangeLen{T,R,S}) where {T<:IEEEFloat,R,S}
    n = length(r)
    n == 0 && return zero(T)
    steps = div(n * (n + 1), 2) - n * r.offset
    return T(r.ref * n + r.step * steps)
end

function intersect(r::AbstractUnitRange{<:Integer}, s::AbstractUnitRange{<:Integer})
    return max(first(r), first(s)):min(last(r), last(s))
end
intersect(i::Integer, r::AbstractUnitRange{<:Integer}) = i < first(r) ? (first(r):i) : i > last(r) ? (i:last(r)) : (i:i)
intersect(r::AbstractUnitRange{<:Integer}, i::Integer) = intersect(i, r)
intersect(r::AbstractRange, s::AbstractRange, t::AbstractRange, us::AbstractRange...) = intersect(intersect(r, s), t, us...)
intersect(r::OneTo, s::OneTo) = OneTo(min(r.stop, s.stop))
function intersect(r::OrdinalRange{<:Integer}, s::OrdinalRange{<:Integer})
    T = promote_type(eltype(r), eltype(s))
    (isempty(r) || isempty(s)) && return step_range(T(first(r)), step(r), T(first(r) - step(r)))
    g, x, _ = gcdx(step(r), step(s))
    l = abs(div(step(r), g) * step(s))
    gap = first(s) - first(r)
    up = step(r) > 0
    mod(gap, g) == 0 || return step_range(T(first(r)), up ? l : -l, T(first(r) - (up ? l : -l)))
    common = first(r) + mod(div(gap, g) * x, div(l, abs(step(r)))) * step(r)
    lo = max(minimum(r), minimum(s))
    hi = min(maximum(r), maximum(s))
    lowest = lo + mod(common - lo, l)
    highest = hi - mod(hi - common, l)
    return up ? step_range(T(lowest), l, T(highest)) : step_range(T(highest), -l, T(lowest))
end
issubset(r::AbstractUnitRange{<:Integer}, s::AbstractUnitRange{<:Integer}) =
    isempty(r) || (first(r) >= first(s) && last(r) <= last(s))
promote_rule(::Type{UnitRange{A}}, ::Type{UnitRange{B}}) where {A,B} = UnitRange{promote_type(A, B)}
promote_rule(::Type{StepRange{A,S}}, ::Type{StepRange{B,R}}) where {A,B,S,R} = StepRange{promote_type(A, B),promote_type(S, R)}
promote_rule(::Type{OneTo{A}}, ::Type{OneTo{B}}) where {A,B} = OneTo{promote_type(A, B)}
promote_rule(::Type{UnitRange{A}}, ::Type{OneTo{B}}) where {A,B} = UnitRange{promote_type(A, B)}
promote_rule(::Type{StepRange{A,S}}, ::Type{UnitRange{B}}) where {A,S,B} = StepRange{promote_type(A, B),promote_type(S, B)}
promote_rule(::Type{TwicePrecision{A}}, ::Type{TwicePrecision{B}}) where {A,B} = TwicePrecision{promote_type(A, B)}
promote_rule(::Type{TwicePrecision{A}}, ::Type{B}) where {A,B<:Number} = TwicePrecision{promote_type(A, B)}
promote_rule(::Type{StepRangeLen{A,R,S,L}}, ::Type{StepRangeLen{B,P,Q,M}}) where {A,R,S,L,B,P,Q,M} =
    StepRangeLen{promote_type(A, B),promote_type(R, P),promote_type(S, Q),promote_type(L, M)}
promote_rule(::Type{StepRangeLen{A,R,S,L}}, ::Type{O}) where {A,R,S,L,O<:AbstractRange} =
    promote_rule(StepRangeLen{A,R,S,L}, StepRangeLen{eltype(O),eltype(O),eltype(O),Int})
promote_rule(::Type{LinRange{A,L}}, ::Type{LinRange{B,M}}) where {A,L,B,M} = LinRange{promote_type(A, B),promote_type(L, M)}
promote_rule(::Type{LinRange{A,L}}, ::Type{O}) where {A,L,O<:OrdinalRange} = LinRange{promote_type(A, eltype(O)),L}
convert(::Type{T}, r::AbstractRange) where {T<:AbstractRange} = r isa T ? r : T(r)::T
