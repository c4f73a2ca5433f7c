# Comparison of arrays, and what is in them.

function ==(A::StoredArray, B::StoredArray)
    same = _array_equal(A, B)
    return same === nothing ? equal_elements(A, B) : same
end
==(A::AbstractArray, B::AbstractArray) = axes(A) == axes(B) ? equal_elements(A, B) : false
function equal_elements(A, B)
    size(A) == size(B) || return false
    unknown = false
    for (a, b) in zip(A, B)
        same = a == b
        if same isa Missing
            unknown = true
        elseif !same
            return false
        end
    end
    return unknown ? missing : true
end
function isequal(A::StoredArray, B::StoredArray)
    same = _array_isequal(A, B)
    return same === nothing ? isequal_elements(A, B) : same
end
isequal(A::AbstractArray, B::AbstractArray) = isequal_elements(A, B)
function isequal_elements(A, B)
    A === B && return true
    axes(A) == axes(B) || return false
    for (a, b) in zip(A, B)
        isequal(a, b) || return false
    end
    return true
end
function isless(A::AbstractVector, B::AbstractVector)
    return cmp(A, B) < 0
end
isless(A::AbstractArray{<:Any,0}, B::AbstractArray{<:Any,0}) = isless(A[], B[])
function cmp(A::AbstractVector, B::AbstractVector)
    for i in 1:min(length(A), length(B))
        isequal(A[i], B[i]) || return isless(A[i], B[i]) ? -1 : 1
    end
    return cmp(length(A), length(B))
end
<(A::AbstractVector, B::AbstractVector) = isless(A, B)

function in(x, A::AbstractArray)
    unknown = false
    for a in A
        same = a == x
        if same isa Missing
            unknown = true
        elseif same
            return true
        end
    end
    return unknown ? missing : false
end
function in(x, itr)
    unknown = false
    for a in itr
        same = a == x
        if same isa Missing
            unknown = true
        elseif same
            return true
        end
    end
    return unknown ? missing : false
end
in(x, y::Number) = x == y
∈(x, itr) = in(x, itr)
∋(itr, x) = in(x, itr)
∉(x, itr) = !in(x, itr)
∌(itr, x) = !in(x, itr)

zero(A::AbstractArray{<:Number}) = fill!(similar(A, zero_type(eltype(A))), zero(zero_type(eltype(A))))
zero_type(::Type{T}) where {T} = T
zero(A::AbstractArray) = zero_elements(A)
zero(A::AbstractArray{Union{Missing,T}}) where {T} = fill!(similar(A), zero(T))
zero_elements(A) = map(zero, A)
function one(A::AbstractMatrix{T}) where {T}
    size(A, 1) == size(A, 2) || throw(DimensionMismatch("multiplicative identity defined only for square matrices"))
    out = fill!(similar(A), zero(T))
    for i in 1:size(A, 1)
        out[i, i] = one(T)
    end
    return out
end
oneunit(A::AbstractMatrix{T}) where {T} = one(A)
iszero(A::AbstractArray) = all(iszero, A)
function isone(A::AbstractMatrix)
    size(A, 1) == size(A, 2) || return false
    return A == one(A)
end
isreal(A::AbstractArray) = all(isreal, A)
isinteger(A::AbstractArray) = all(isinteger, A)
isfinite(A::AbstractArray) = all(isfinite, A)
deepcopy(x) = _deepcopy(x)

export ==, isequal, isless, cmp, in, ∈, ∋, ∉, ∌, zero, one, deepcopy
