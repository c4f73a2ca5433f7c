# Broadcasting over matrices of special form keeps the form where the function keeps its zeros.

struct StructuredStyle{W} <: Base.Broadcast.AbstractArrayStyle{2} end
StructuredStyle{W}(::Val{2}) where {W} = StructuredStyle{W}()
StructuredStyle{W}(::Val{N}) where {W,N} = Base.Broadcast.DefaultArrayStyle{N}()

Base.BroadcastStyle(::Type{<:Diagonal}) = StructuredStyle{Diagonal}()
Base.BroadcastStyle(::Type{<:Bidiagonal}) = StructuredStyle{Bidiagonal}()
Base.BroadcastStyle(::Type{<:Tridiagonal}) = StructuredStyle{Tridiagonal}()
Base.BroadcastStyle(::Type{<:SymTridiagonal}) = StructuredStyle{SymTridiagonal}()
Base.BroadcastStyle(::Type{<:UpperOrUnitUpperTriangular}) = StructuredStyle{UpperTriangular}()
Base.BroadcastStyle(::Type{<:LowerOrUnitLowerTriangular}) = StructuredStyle{LowerTriangular}()
Base.BroadcastStyle(::StructuredStyle{W}, ::StructuredStyle{W}) where {W} = StructuredStyle{W}()
Base.BroadcastStyle(::StructuredStyle{Diagonal}, ::StructuredStyle{W}) where {W} = StructuredStyle{W}()
Base.BroadcastStyle(::StructuredStyle{Diagonal}, ::StructuredStyle{Diagonal}) = StructuredStyle{Diagonal}()
Base.BroadcastStyle(::StructuredStyle{Bidiagonal}, ::StructuredStyle{Tridiagonal}) = StructuredStyle{Tridiagonal}()
Base.BroadcastStyle(::StructuredStyle{SymTridiagonal}, ::StructuredStyle{Tridiagonal}) = StructuredStyle{Tridiagonal}()
Base.BroadcastStyle(::StructuredStyle{Bidiagonal}, ::StructuredStyle{SymTridiagonal}) = StructuredStyle{Tridiagonal}()
Base.BroadcastStyle(::StructuredStyle{V}, ::StructuredStyle{W}) where {V,W} = Base.Broadcast.Unknown()

# What the function makes of the zeros of the form; nothing where an argument has no such zero.
struct NoZero end
_at_zero(x::Union{Number,Char,Symbol,AbstractString,Function,Type,Val}) = x
_at_zero(x::Base.RefValue) = x[]
_at_zero(A::Union{Diagonal{T},Banded{T},AbstractTriangular{T}}) where {T<:Number} = zero(T)
_at_zero(x) = NoZero()
function _at_zero(bc::Base.Broadcast.Broadcasted)
    arguments = map(_at_zero, bc.args)
    any(x -> x isa NoZero, arguments) && return NoZero()
    return bc.f(arguments...)
end
_keeps_zeros(bc) = (z = _at_zero(bc); z isa Number && iszero(z))

function copy(bc::Base.Broadcast.Broadcasted{StructuredStyle{W}}) where {W}
    A = _materialize(bc)
    A isa AbstractMatrix && size(A, 1) == size(A, 2) && _keeps_zeros(bc) || return A
    return _with_form(W, A, bc)
end
_with_form(::Type{Diagonal}, A, bc) = Diagonal(diag(A))
_with_form(::Type{Tridiagonal}, A, bc) = Tridiagonal(A)
_with_form(::Type{UpperTriangular}, A, bc) = UpperTriangular(A)
_with_form(::Type{LowerTriangular}, A, bc) = LowerTriangular(A)
_with_form(::Type{SymTridiagonal}, A, bc) = issymmetric(A) ? SymTridiagonal(A) : Tridiagonal(A)
_with_form(::Type{Bidiagonal}, A, bc) = istriu(A) ? Bidiagonal(A, :U) : istril(A) ? Bidiagonal(A, :L) : Tridiagonal(A)
