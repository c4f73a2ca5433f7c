# Hashes, which agree with isequal.

hash(x) = _hash(x)
hash(x, h::UInt) = _hash(x, h)
hash(x, h::Integer) = _hash(x, UInt(h))
_use_methods_for_keys()

export hash
