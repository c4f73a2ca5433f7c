# What takes elements one by one, in compiled code, where `iterate` is a method of the program.

# Alone in a tuple; nothing: there are no elements.
function _iterated_foldl(f, op, itr)
    next = iterate(itr)
    next === nothing && return nothing
    acc = reduce_first(op, f(next[1]))
    next = iterate(itr, next[2])
    while next !== nothing
        acc = op(acc, f(next[1]))
        next = iterate(itr, next[2])
    end
    return (acc,)
end
function _iterated_foldl_from(f, op, init, itr)
    acc = init
    for x in itr
        acc = op(acc, f(x))
    end
    return acc
end
function _iterated_any(f, itr)
    for x in itr
        f(x) && return true
    end
    return false
end
function _iterated_all(f, itr)
    for x in itr
        f(x) || return false
    end
    return true
end
function _iterated_count(f, itr)
    n = 0
    for x in itr
        n += f(x)::Bool
    end
    return n
end
_iterated_in(x, itr) = _iterated_any(y -> y == x, itr)

function _iterated_collect_typed(T, f, itr, shape)
    value = f === nothing ? identity : f
    if IteratorSize(itr) isa SizeUnknown
        out = Vector{T}(undef, 0)
        for x in itr
            push!(out, value(x))
        end
        return out
    end
    filled = Vector{T}(undef, length(itr))
    n = 0
    for x in itr
        n += 1
        filled[n] = value(x)
    end
    n == length(filled) || throw(ArgumentError("an iterator has fewer elements than its length says"))
    return shape === nothing ? filled : reshape(filled, shape)
end
