# missing, nothing, Some.

Missing() = _new(Missing)
Nothing() = _new(Nothing)
const missing = Missing()
ismissing(x) = x === missing
isnothing(x) = x === nothing
nonmissingtype(::Type{T}) where {T} = _type_without(T, Missing)
nonnothingtype(::Type{T}) where {T} = _type_without(T, Nothing)
notnothing(x) = x === nothing ? throw(ArgumentError("`nothing` passed to `notnothing`")) : x

coalesce() = missing
coalesce(x::Missing, xs...) = coalesce(xs...)
coalesce(x, xs...) = x
something() = throw(ArgumentError("No value arguments present"))
something(x::Nothing, xs...) = something(xs...)
something(x::Some, xs...) = x.value
something(x, xs...) = x

Some{T}(x) where {T} = _new(Some{T}, convert(T, x))
Some(x::T) where {T} = Some{T}(x)
Some(::Type{T}) where {T} = Some{Type{T}}(T)
convert(::Type{Some{T}}, x::Some) where {T} = Some{T}(convert(T, x.value))
convert(::Type{T}, x::T) where {T<:Some} = x
==(a::Some, b::Some) = a.value == b.value
isequal(a::Some, b::Some) = isequal(a.value, b.value)

function _without_checked(T, without, name)
    S = _type_without(T, without)
    (S === T || S === Union{}) && error("cannot convert a value to $name for assignment")
    return S
end
convert(::Type{T}, x::T) where {T>:Missing} = x
convert(::Type{T}, x::T) where {T>:Nothing} = x
convert(::Type{T}, x::T) where {T>:Union{Nothing,Missing}} = x
convert(::Type{T}, x) where {T>:Missing} = convert(_without_checked(T, Missing, "missing"), x)
convert(::Type{T}, x) where {T>:Nothing} = convert(_without_checked(T, Nothing, "nothing"), x)
convert(::Type{T}, x) where {T>:Union{Nothing,Missing}} =
    convert(_without_checked(_without_checked(T, Nothing, "nothing"), Missing, "missing"), x)

promote_rule(::Type{Missing}, ::Type{S}) where {S} = Union{S,Missing}
promote_rule(::Type{Nothing}, ::Type{S}) where {S} = Union{S,Nothing}
promote_rule(::Type{Union{Nothing,Missing}}, ::Type{S}) where {S} = Union{S,Nothing,Missing}
function promote_rule(::Type{T}, ::Type{S}) where {T>:Missing,S}
    R = nonmissingtype(T)
    R >: T && return Any
    return Union{promote_type(R, S),Missing}
end
function promote_rule(::Type{T}, ::Type{S}) where {T>:Nothing,S}
    R = nonnothingtype(T)
    R >: T && return Any
    return Union{promote_type(R, S),Nothing}
end
function promote_rule(::Type{T}, ::Type{S}) where {T>:Union{Nothing,Missing},S}
    R = nonmissingtype(nonnothingtype(T))
    R >: T && return Any
    return Union{promote_type(R, S),Nothing,Missing}
end

==(::Missing, ::Missing) = missing
==(::Missing, ::Any) = missing
==(::Any, ::Missing) = missing
!=(::Missing, ::Missing) = missing
!=(::Missing, ::Any) = missing
!=(::Any, ::Missing) = missing
<(::Missing, ::Missing) = missing
<(::Missing, ::Any) = missing
<(::Any, ::Missing) = missing
<=(::Missing, ::Missing) = missing
<=(::Missing, ::Any) = missing
<=(::Any, ::Missing) = missing
>(::Missing, ::Missing) = missing
>(::Missing, ::Any) = missing
>(::Any, ::Missing) = missing
>=(::Missing, ::Missing) = missing
>=(::Missing, ::Any) = missing
>=(::Any, ::Missing) = missing
isapprox(::Missing, ::Missing; atol = 0, rtol = 0, nans = false, norm = nothing) = missing
isapprox(::Missing, ::Any; atol = 0, rtol = 0, nans = false, norm = nothing) = missing
isapprox(::Any, ::Missing; atol = 0, rtol = 0, nans = false, norm = nothing) = missing
isequal(::Missing, ::Missing) = true
isequal(::Missing, ::Any) = false
isequal(::Any, ::Missing) = false
isless(::Missing, ::Missing) = false
isless(::Missing, ::Any) = false
isless(::Any, ::Missing) = true
isunordered(::Missing) = true

!(::Missing) = missing
~(::Missing) = missing
+(::Missing) = missing
-(::Missing) = missing
+(::Missing, ::Missing) = missing
+(::Missing, ::Number) = missing
+(::Number, ::Missing) = missing
-(::Missing, ::Missing) = missing
-(::Missing, ::Number) = missing
-(::Number, ::Missing) = missing
*(::Missing, ::Missing) = missing
*(::Missing, ::Number) = missing
*(::Number, ::Missing) = missing
*(::Missing, ::AbstractString) = missing
*(::AbstractString, ::Missing) = missing
*(::Missing, ::AbstractChar) = missing
*(::AbstractChar, ::Missing) = missing
/(::Missing, ::Missing) = missing
/(::Missing, ::Number) = missing
/(::Number, ::Missing) = missing
^(::Missing, ::Missing) = missing
^(::Missing, ::Number) = missing
^(::Number, ::Missing) = missing
^(::Missing, ::Integer) = missing
literal_pow(::typeof(^), ::Missing, ::Val{n}) where {n} = missing
xor(::Missing, ::Missing) = missing
xor(::Missing, ::Number) = missing
xor(::Number, ::Missing) = missing
xor(::Missing, ::Bool) = missing
xor(::Bool, ::Missing) = missing
(&)(::Missing, ::Missing) = missing
(&)(a::Missing, b::Bool) = b ? missing : false
(&)(a::Bool, b::Missing) = a ? missing : false
(&)(::Missing, ::Integer) = missing
(&)(::Integer, ::Missing) = missing
(|)(::Missing, ::Missing) = missing
(|)(a::Missing, b::Bool) = b ? true : missing
(|)(a::Bool, b::Missing) = a ? true : missing
(|)(::Missing, ::Integer) = missing
(|)(::Integer, ::Missing) = missing
nand(a::Missing, b::Missing) = missing
nand(a::Missing, b::Bool) = !(a & b)
nand(a::Bool, b::Missing) = !(a & b)
nor(a::Missing, b::Missing) = missing
nor(a::Missing, b::Bool) = !(a | b)
nor(a::Bool, b::Missing) = !(a | b)
min(::Missing, ::Missing) = missing
min(::Missing, ::Any) = missing
min(::Any, ::Missing) = missing
max(::Missing, ::Missing) = missing
max(::Missing, ::Any) = missing
max(::Any, ::Missing) = missing
div(::Missing, ::Missing) = missing
div(::Missing, ::Number) = missing
div(::Number, ::Missing) = missing
rem(::Missing, ::Missing) = missing
rem(::Missing, ::Number) = missing
rem(::Number, ::Missing) = missing
mod(::Missing, ::Missing) = missing
mod(::Missing, ::Number) = missing
mod(::Number, ::Missing) = missing
fld(::Missing, ::Missing) = missing
fld(::Missing, ::Number) = missing
fld(::Number, ::Missing) = missing
cld(::Missing, ::Missing) = missing
cld(::Missing, ::Number) = missing
cld(::Number, ::Missing) = missing
//(::Missing, ::Missing) = missing
//(::Missing, ::Number) = missing
//(::Number, ::Missing) = missing
<<(::Missing, ::Any) = missing
>>(::Missing, ::Any) = missing
clamp(::Missing, lo, hi) = missing
binomial(::Missing, ::Any) = missing
copysign(::Missing, ::Any) = missing
flipsign(::Missing, ::Any) = missing
widemul(::Missing, ::Any) = missing

abs(::Missing) = missing
abs2(::Missing) = missing
sign(::Missing) = missing
signbit(::Missing) = missing
real(::Missing) = missing
imag(::Missing) = missing
conj(::Missing) = missing
adjoint(::Missing) = missing
transpose(::Missing) = missing
inv(::Missing) = missing
sqrt(::Missing) = missing
cbrt(::Missing) = missing
exp(::Missing) = missing
exp2(::Missing) = missing
exp10(::Missing) = missing
expm1(::Missing) = missing
log(::Missing) = missing
log2(::Missing) = missing
log10(::Missing) = missing
log1p(::Missing) = missing
exponent(::Missing) = missing
sin(::Missing) = missing
cos(::Missing) = missing
tan(::Missing) = missing
asin(::Missing) = missing
acos(::Missing) = missing
atan(::Missing) = missing
sinh(::Missing) = missing
cosh(::Missing) = missing
tanh(::Missing) = missing
asinh(::Missing) = missing
acosh(::Missing) = missing
atanh(::Missing) = missing
sinpi(::Missing) = missing
cospi(::Missing) = missing
isfinite(::Missing) = missing
isinf(::Missing) = missing
isnan(::Missing) = missing
isinteger(::Missing) = missing
isreal(::Missing) = missing
iszero(::Missing) = missing
isone(::Missing) = missing
iseven(::Missing) = missing
isodd(::Missing) = missing
ispow2(::Missing) = missing
float(::Missing) = missing
zero(::Missing) = missing
one(::Missing) = missing
oneunit(::Missing) = missing
zero(::Type{Missing}) = missing
one(::Type{Missing}) = missing
oneunit(::Type{Missing}) = missing
zero(::Type{Any}) = throw(MethodError(zero, (Any,)))
one(::Type{Any}) = throw(MethodError(one, (Any,)))
oneunit(::Type{Any}) = throw(MethodError(oneunit, (Any,)))
zero(::Type{Union{Missing,T}}) where {T} = zero(T)
one(::Type{Union{Missing,T}}) where {T} = one(T)
oneunit(::Type{Union{Missing,T}}) where {T} = oneunit(T)
float(::Type{Missing}) = Missing
float(::Type{Any}) = throw(MethodError(float, (Any,)))
float(A::AbstractArray{Union{T,Missing}}) where {T<:Number} = convert(AbstractArray{Union{float(T),Missing}}, map(float, A))
complex(::Type{Missing}) = Missing
float(::Type{Union{Missing,T}}) where {T} = Union{Missing,float(T)}
round(::Missing, r::RoundingMode = RoundNearest; digits = nothing, sigdigits = nothing, base = nothing) = missing
floor(::Missing; digits = nothing, sigdigits = nothing, base = nothing) = missing
ceil(::Missing; digits = nothing, sigdigits = nothing, base = nothing) = missing
trunc(::Missing; digits = nothing, sigdigits = nothing, base = nothing) = missing
_rounded_missing(T) = Missing <: T ? missing : throw(MissingException("cannot convert a missing value to type $T: use Union{$T, Missing} instead"))
round(::Type{T}, ::Missing, r::RoundingMode = RoundNearest) where {T} = _rounded_missing(T)
floor(::Type{T}, ::Missing) where {T} = _rounded_missing(T)
ceil(::Type{T}, ::Missing) where {T} = _rounded_missing(T)
trunc(::Type{T}, ::Missing) where {T} = _rounded_missing(T)
round(::Type{T}, x, r::RoundingMode = RoundNearest) where {T>:Missing} = round(nonmissingtype(T), x, r)
floor(::Type{T}, x) where {T>:Missing} = floor(nonmissingtype(T), x)
ceil(::Type{T}, x) where {T>:Missing} = ceil(nonmissingtype(T), x)
trunc(::Type{T}, x) where {T>:Missing} = trunc(nonmissingtype(T), x)

struct SkipMissing{T}
    x::T
end
skipmissing(itr) = SkipMissing(itr)
eltype(::Type{SkipMissing{T}}) where {T} = nonmissingtype(eltype(T))
IteratorSize(::Type{<:SkipMissing}) = SizeUnknown()
IteratorEltype(::Type{SkipMissing{T}}) where {T} = IteratorEltype(T)
function iterate(s::SkipMissing)
    y = iterate(s.x)
    while y !== nothing && y[1] === missing
        y = iterate(s.x, y[2])
    end
    return y
end
function iterate(s::SkipMissing, state)
    y = iterate(s.x, state)
    while y !== nothing && y[1] === missing
        y = iterate(s.x, y[2])
    end
    return y
end
eachindex(s::SkipMissing) = Iterators.filter(i -> s.x[i] !== missing, eachindex(s.x))
keys(s::SkipMissing) = Iterators.filter(i -> s.x[i] !== missing, keys(s.x))
function getindex(s::SkipMissing, i...)
    v = s.x[i...]
    return v === missing ? throw(MissingException("the value at index $i is missing")) : v
end
filter(f, s::SkipMissing{<:AbstractArray}) = nonmissingtype(eltype(s.x))[x for x in s.x if x !== missing && f(x)]
show(io::IO, s::SkipMissing) = (print(io, "skipmissing("); show(io, s.x); print(io, ")"))

export missing, ismissing, isnothing, nonmissingtype, coalesce, something, Some, skipmissing, Missing, Nothing, nothing
