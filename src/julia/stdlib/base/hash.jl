# Hashes, which agree with isequal.

hash(x) = _hash(x)
hash(x, h::UInt) = _hash(x, h)
hash(x, h::Integer) = _hash(x, UInt(h))
hash(A::AbstractArray, h::UInt) = _hash(_dense(A), h)
hash(A::Union{Array,BitArray}, h::UInt) = _hash(A, h)
hash(A::AbstractArray) = hash(A, zero(UInt))
_use_methods_for_keys()

export hash
