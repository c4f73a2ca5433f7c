# var, std and their forms around a mean that is given.

_real_product(x::Real, y::Real) = x * y
_real_product(x::Complex, y::Complex) = real(x) * real(y) + imag(x) * imag(y)

_not_a_number(::Type{T}) where {T} = oftype((abs2(zero(T)) + abs2(zero(T))) / 2, NaN)
function _variance_of_none(itr)
    T = eltype(itr)
    (T === Union{} || T === Any) && throw(ArgumentError("reducing over an empty collection is not allowed; consider supplying `init` to the reducer"))
    return _not_a_number(T)
end

function var(itr; corrected::Bool=true, mean=nothing)
    y = iterate(itr)
    y === nothing && return _variance_of_none(itr)
    value, state = y
    count = 1
    if mean === nothing
        # Welford's recurrence.
        M = value / 1
        S = real(zero(M))
        y = iterate(itr, state)
        while y !== nothing
            value, state = y
            count += 1
            next = M + (value - M) / count
            S = S + _real_product(value - M, value - next)
            M = next
            y = iterate(itr, state)
        end
        return S / (count - Int(corrected))
    elseif mean isa Number
        squares = abs2(value - mean)
        y = iterate(itr, state)
        while y !== nothing
            value, state = y
            count += 1
            squares += abs2(value - mean)
            y = iterate(itr, state)
        end
        return squares / (count - Int(corrected))
    end
    throw(ArgumentError("invalid value of mean, $(mean)::$(typeof(mean))"))
end

function var(itr::Tuple; corrected::Bool=true, mean=nothing)
    isempty(itr) && return _variance_of_none(itr)
    rest, degrees = Base.tail(itr), length(itr) - Int(corrected)
    if mean === nothing
        M = itr[1] / 1
        return foldl(_with_value, rest; init=(1, M, real(zero(M))))[3] / degrees
    elseif mean isa Number
        return foldl((squares, x) -> squares + abs2(x - mean), rest; init=abs2(itr[1] - mean)) / degrees
    end
    throw(ArgumentError("invalid value of mean, $(mean)::$(typeof(mean))"))
end
# A step of Welford's recurrence for (count, mean, squares).
function _with_value((count, M, S), value)
    next = M + (value - M) / (count + 1)
    return count + 1, next, S + _real_product(value - M, value - next)
end

var(A::AbstractArray; corrected::Bool=true, mean=nothing, dims=:) = _var(A, corrected, mean, dims)
_var(A::AbstractArray, corrected::Bool, m, dims) = _varm(A, m === nothing ? mean(A, dims=dims) : m, corrected, dims)
_var(A::AbstractArray, corrected::Bool, m, ::Colon) = _varm(A, m === nothing ? mean(A) : m, corrected, :)

varm(A::AbstractArray, m::AbstractArray; corrected::Bool=true, dims=:) = _varm(A, m, corrected, dims)
varm(A::AbstractArray, m; corrected::Bool=true) = _varm(A, m, corrected, :)
varm(itr, m; corrected::Bool=true) = var(itr; corrected=corrected, mean=m)

_squares_about(A::AbstractArray, m) = sum(x -> abs2(x - m), A)
_squares_about(A::Array{T}, m::T) where {T<:Union{Float64,Float32}} = sum(abs2.(A .- m))

function _varm(A::AbstractArray{T}, m, corrected::Bool, ::Colon) where {T}
    n = length(A)
    n == 0 && return _variance_of_none(A)
    return _squares_about(A, m) / (n - Int(corrected))
end
function _varm(A::AbstractArray{T}, m, corrected::Bool, dims) where {T}
    squares = sum(abs2.(A .- m), dims=dims)
    isempty(A) && return fill!(similar(squares, typeof(_not_a_number(T))), NaN)
    n = div(length(A), length(squares)) - Int(corrected)
    return squares ./ n
end

# The sum of squares of a range about its mean has a closed form.
function var(r::AbstractRange{T}; corrected::Bool=true, mean=nothing) where {T<:Real}
    mean === nothing || return varm(r, mean; corrected=corrected)
    n = length(r)
    s = step(r)
    R = float(typeof(s * s))
    n == 0 && return oftype(one(R), NaN)
    n == 1 && return corrected ? oftype(one(R), NaN) : zero(R)
    return abs2(s) * (n + 1) * (corrected ? n / 12 : (n - 1) / 12)
end
function varm(r::AbstractRange{T}, m::Number; corrected::Bool=true) where {T<:Real}
    n = length(r)
    f, s = first(r) - m, step(r)
    total = f^2 * n + s^2 * n * (n - 1) * (2 * n - 1) / 6 + f * s * n * (n - 1)
    n == 0 && return oftype(total / 1, NaN)
    n == 1 && corrected && return oftype(total / 1, NaN)
    return total / (n - Int(corrected))
end

std(A::AbstractArray; corrected::Bool=true, mean=nothing, dims=:) = _roots(_var(A, corrected, mean, dims))
std(r::AbstractRange{<:Real}; corrected::Bool=true, mean=nothing) = sqrt(var(r; corrected=corrected, mean=mean))
std(itr; corrected::Bool=true, mean=nothing) = sqrt(var(itr; corrected=corrected, mean=mean))
stdm(A::AbstractArray, m::AbstractArray; corrected::Bool=true, dims=:) = _roots(_varm(A, m, corrected, dims))
stdm(A::AbstractArray, m; corrected::Bool=true) = sqrt(varm(A, m; corrected=corrected))
stdm(itr, m; corrected::Bool=true) = sqrt(var(itr; corrected=corrected, mean=m))
_roots(v) = sqrt(v)
_roots(v::AbstractArray) = sqrt.(v)
