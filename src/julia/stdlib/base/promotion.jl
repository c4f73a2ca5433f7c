# Conversion and promotion. A number type of a program takes part by its methods of promote_rule and its constructors.

export convert, promote, promote_type, promote_rule, oftype, promote_typejoin

const MachineReal = Union{Bool, Int128, Int16, Int32, Int64, Int8, UInt128, UInt16, UInt32, UInt64, UInt8, Float16, Float32, Float64}
const BitOrBool = Union{Bool, Int128, Int16, Int32, Int64, Int8, UInt128, UInt16, UInt32, UInt64, UInt8}
const BitIntegerType = Union{Type{Int8}, Type{Int16}, Type{Int32}, Type{Int64}, Type{Int128},
                             Type{UInt8}, Type{UInt16}, Type{UInt32}, Type{UInt64}, Type{UInt128}}

convert(::Type{Any}, x) = x
convert(::Type{T}, x::T) where {T} = x
convert(::Type{T}, x::T) where {T<:Number} = x
convert(::Type{T}, x::Number) where {T<:Number} = T(x)::T
convert(::Type{T}, x::T) where {T<:MachineReal} = x
convert(T::Type{<:MachineReal}, x::MachineReal) = _to_number(T, x)

(::Type{T})(x::T) where {T<:Number} = x
(::Type{T})(x::T) where {T<:MachineReal} = x
(T::Type{<:MachineReal})(x::MachineReal) = _to_number(T, x)

oftype(x, y) = y isa typeof(x) ? y : convert(typeof(x), y)::typeof(x)

promote_rule(::Type{<:Any}, ::Type{<:Any}) = Union{}
promote_rule(T::Type{<:MachineReal}, S::Type{<:MachineReal}) = _promote_machine(T, S)

promote_type() = Union{}
promote_type(T) = T
promote_type(::Type{T}, ::Type{T}) where {T} = T
promote_type(::Type{T}, ::Type{Union{}}) where {T} = T
promote_type(::Type{Union{}}, ::Type{T}) where {T} = T
promote_type(::Type{Union{}}, ::Type{Union{}}) = Union{}
promote_type(T, S, U, V...) = promote_type(promote_type(T, S), U, V...)
promote_type(::Type{T}, ::Type{S}) where {T,S} = promote_result(T, S, promote_rule(T, S), promote_rule(S, T))
promote_result(::Type{T}, ::Type{S}, ::Type{Union{}}, ::Type{Union{}}) where {T,S} = promote_typejoin(T, S)
promote_result(::Type{T}, ::Type{S}, ::Type{U}, ::Type{V}) where {T,S,U,V} = promote_type(U, V)

promote_typejoin(T, S) = _promote_typejoin(T, S)

promote() = ()
promote(x) = (x,)
promote(x::T, y::T) where {T} = (x, y)
function promote(x::T, y::S) where {T,S}
    R = promote_type(T, S)
    out = (convert(R, x), convert(R, y))
    _check_promoted((x, y), out)
    return out
end
promote(x::T, y::T, z::T) where {T} = (x, y, z)
promote(x::T, y::T, z::T, rest::T...) where {T} = (x, y, z, rest...)
function promote(x, y, z)
    R = promote_type(promote_type(typeof(x), typeof(y)), typeof(z))
    out = (convert(R, x), convert(R, y), convert(R, z))
    _check_promoted((x, y, z), out)
    return out
end
function promote(x, y, z, rest...)
    R = promote_type(typeof(x), typeof(y), typeof(z), map(typeof, rest)...)
    return (convert(R, x), convert(R, y), convert(R, z), map(v -> convert(R, v), rest)...)
end

# A promotion that changes nothing would be tried again and again.
_check_promoted(before, after) = typeof(before) === typeof(after) && _promotion_failed(before)
function _promotion_failed(x)
    types = length(x) == 2 ? string(typeof(x[1]), " and ", typeof(x[2])) :
                             string(typeof(x[1]), ", ", typeof(x[2]), " and ", typeof(x[3]))
    throw(ErrorException(string("promotion of types ", types, " failed to change any arguments")))
end
