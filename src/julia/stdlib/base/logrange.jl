# Numbers whose logarithms are evenly spaced.

struct LogRange{T<:Real,X} <: AbstractArray{T,1}
    start::T
    stop::T
    len::Int
    extra::Tuple{X,X}
end
function (::Type{LogRange{T}})(start::T, stop::T, len::Int) where {T<:Real}
    (iszero(start) || iszero(stop)) && throw(DomainError((start, stop), "LogRange cannot start or stop at zero"))
    (start < 0 || stop < 0) && throw(DomainError((start, stop), "LogRange(start, stop, length) does not accept negative numbers"))
    (isfinite(start) && isfinite(stop)) || throw(DomainError((start, stop), "LogRange(start, stop, length) does not accept infinite numbers"))
    len < 0 && throw(ArgumentError("LogRange($start, $stop, $len): negative length"))
    len == 1 && start != stop && throw(ArgumentError("LogRange($start, $stop, $len): endpoints differ"))
    return LogRange{T,Float64}(start, stop, len, (log(Float64(start)), log(Float64(stop))))
end
floats_of(a, b) = (float(a), float(b))
function logrange(start::Real, stop::Real, length::Integer)
    a, b = floats_of(promote(start, stop)...)
    return LogRange{typeof(a)}(a, b, Int(length))
end
logrange(start::Real, stop::Real; length::Integer) = logrange(start, stop, length)
size(r::LogRange) = (r.len,)
length(r::LogRange) = r.len
IndexStyle(::Type{<:LogRange}) = IndexLinear()
first(r::LogRange) = r.start
last(r::LogRange) = r.stop
function getindex(r::LogRange{T}, i::Int) where {T}
    1 <= i <= r.len || throw_boundserror(r, (i,))
    i == 1 && return r.start
    i == r.len && return r.stop
    a, b = r.extra
    return T(exp((a * (r.len - i) + b * (i - 1)) / (r.len - 1)))
end
function getindex(r::LogRange{T}, s::AbstractRange{<:Integer}) where {T}
    checkbounds(r, s)
    isempty(s) && return LogRange{T}(first(r), last(r), 0)
    return LogRange{T}(r[first(s)], r[last(s)], length(s))
end
==(r::s::LogRange) = r.len == s.len && (r.len == 0 || (r.start == s.start && (r.len == 1 || r.stop == s.stop)))

export logrange
