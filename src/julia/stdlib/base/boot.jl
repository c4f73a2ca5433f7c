# What the language itself needs before anything else: types, identity, fields, exceptions.

apply_type(t, parameters...) = _apply_type(t, parameters...)
typeof(x) = _typeof(x)
isa(x, t) = _isa(x, t)
===(a, b) = _is(a, b)
(<:)(a, b) = _subtype(a, b)
(>:)(a, b) = _subtype(b, a)
tuple(xs...) = _tuple(xs...)
getfield(x, name) = _getfield(x, name)
setfield!(x, name, value) = _setfield(x, name, value)
isdefined(x, name) = _isdefined(x, name)
getproperty(x, name) = _getfield(x, name)
throw(e) = _throw(e)
rethrow() = _rethrow()
rethrow(e) = _rethrow(e)
applicable(f, arguments...) = _applicable(f, arguments...)
invoke(f, types, arguments...) = _invoke(f, types, arguments...)

export typeof, isa, ===, <:, >:, tuple, getfield, setfield!, isdefined, getproperty, setproperty!, throw, rethrow, applicable, invoke
