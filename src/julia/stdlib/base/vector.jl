# Vectors that grow and shrink.

push!(A::Vector, x) = _push!(A, x)
push!(A::BitVector, x) = _push!(A, x)
push!(A) = A
push!(A::Vector, x, y) = _push!(A, x, y)
push!(A::Vector, x, xs...) = _push!(A, x, xs...)
push!(A, x, y, xs...) = push!(push!(A, x), y, xs...)
pop!(A::Vector) = _pop!(A)
pop!(A::BitVector) = _pop!(A)
function pop!(A::Vector, i::Integer)
    x = A[i]
    deleteat!(A, i)
    return x
end
pushfirst!(A::Vector, xs...) = _pushfirst!(A, xs...)
pushfirst!(A::BitVector, xs...) = _pushfirst!(A, xs...)
popfirst!(A::Vector) = _popfirst!(A)
popfirst!(A::BitVector) = _popfirst!(A)
function popat!(A::Vector, i::Integer)
    x = A[i]
    deleteat!(A, i)
    return x
end
popat!(A::Vector, i::Integer, default) = 1 <= i <= length(A) ? popat!(A, i) : default
insert!(A::Vector, i::Integer, x) = _insert!(A, i, x)
insert!(A::BitVector, i::Integer, x) = _insert!(A, i, x)
resize!(A::Vector, n::Integer) = _resize!(A, n)
resize!(A::BitVector, n::Integer) = _resize!(A, n)
empty!(A::Vector) = _resize!(A, 0)
empty!(A::BitVector) = _resize!(A, 0)
sizehint!(A, n::Integer; first::Bool=false, shrink::Bool=true) = A

append!(A::Vector, B::StoredArray) = _append!(A, B)
append!(A::BitVector, B::StoredArray) = _append!(A, B)
append!(A::Vector, r::MachineRange) = _append!(A, _range_collect(r))
append!(A::AbstractVector) = A
function append!(A::AbstractVector, itr)
    for x in itr
        push!(A, x)
    end
    return A
end
append!(A::AbstractVector, itrs...) = append_each!(A, itrs)
function append_each!(A, itrs)
    for itr in itrs
        append!(A, itr)
    end
    return A
end
prepend!(A::AbstractVector) = A
function prepend!(A::Vector, itr)
    xs = collect(itr)
    n = length(xs)
    _gap!(A, 1, n)
    copyto!(A, 1, xs, 1, n)
    return A
end
prepend!(A::AbstractVector, itrs...) = prepend_each!(A, itrs)
function prepend_each!(A, itrs)
    for k in length(itrs):-1:1
        prepend!(A, itrs[k])
    end
    return A
end

const GrowingVector = Union{Vector,BitVector}
deleteat!(A::GrowingVector, i::Integer) = _erase!(A, i, 1)
deleteat!(A::GrowingVector, i::Bool) = throw(ArgumentError("invalid index: $i of type Bool"))
deleteat!(A::GrowingVector, r::AbstractUnitRange{<:Integer}) = _erase!(A, first(r), length(r))
function deleteat!(A::GrowingVector, mask::AbstractVector{Bool})
    length(mask) == length(A) || throw(BoundsError(A, (mask,)))
    return _keep!(A, [!m for m in mask])
end
function deleteat!(A::GrowingVector, inds)
    n = length(A)
    keep = fill(true, n)
    before = 0
    for i in inds
        i isa Bool && throw(ArgumentError("invalid index $i of type Bool"))
        1 <= i <= n || throw(BoundsError(A, (inds,)))
        i > before || throw(ArgumentError("indices must be unique and sorted"))
        keep[i] = false
        before = i
    end
    return _keep!(A, keep)
end
keepat!(A::AbstractVector, mask::AbstractVector{Bool}) = deleteat!(A, [!m for m in mask])
function keepat!(A::AbstractVector, inds)
    picked = A[collect(Int, inds)]
    before = 0
    for i in inds
        i > before || throw(ArgumentError("indices must be unique and sorted"))
        before = i
    end
    resize!(A, length(picked))
    return copyto!(A, picked)
end

function splice!(A::Vector, i::Integer)
    x = A[i]
    _erase!(A, i, 1)
    return x
end
function splice!(A::Vector, i::Integer, replacement)
    x = A[i]
    xs = collect_replacement(replacement)
    n = length(xs)
    if n == 1
        A[i] = xs[1]
    elseif n == 0
        _erase!(A, i, 1)
    else
        _gap!(A, i + 1, n - 1)
        copyto!(A, i, xs, 1, n)
    end
    return x
end
collect_replacement(x) = collect(x)
collect_replacement(x::Union{Number,AbstractChar,AbstractString,Symbol,Nothing,Missing}) = Any[x]
collect_replacement(s::AbstractString) = collect(s)
splice!(A::Vector, r::AbstractUnitRange{<:Integer}) = splice!(A, r, ())
function splice!(A::Vector, r::AbstractUnitRange{<:Integer}, replacement)
    removed = isempty(r) ? similar(A, 0) : A[r]
    xs = collect_replacement(replacement)
    _erase!(A, first(r), length(r))
    n = length(xs)
    if n > 0
        _gap!(A, first(r), n)
        copyto!(A, first(r), xs, 1, n)
    end
    return removed
end
function splice!(A::Vector, inds)
    removed = A[collect(Int, inds)]
    deleteat!(A, inds)
    return removed
end

export push!, pop!, pushfirst!, popfirst!, popat!, insert!, resize!, empty!, sizehint!, append!, prepend!, deleteat!, keepat!, splice!
