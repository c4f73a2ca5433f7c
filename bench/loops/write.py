#!/usr/bin/env python3
"""Writes the programs of bench/loops: scalar loops in the form that a static compiler of Julia functions emits.

usage: write.py FOLDER [--unchecked]      one NAME.mlir each
"""
import sys, os
CHECKS = '--unchecked' not in sys.argv

I64, F64, I1, U64 = 'i64', 'f64', 'i1', 'ui64'


def t(e, *dims):
    return 'tensor<' + ''.join(f'{d}x' for d in dims) + e + '>'


class V:
    """A value: its name and type."""
    def __init__(self, f, name, e, dims=()):
        self.f, self.name, self.e, self.dims = f, name, e, tuple(dims)

    @property
    def type(self):
        return t(self.e, *self.dims)

    def bin(self, op, o, swap=False):
        o = self.f.lift(o, self.e)
        a, b = (o, self) if swap else (self, o)
        return self.f.op2(op, a, b)

    def __add__(self, o): return self.bin('add', o)
    def __radd__(self, o): return self.bin('add', o, True)
    def __sub__(self, o): return self.bin('subtract', o)
    def __rsub__(self, o): return self.bin('subtract', o, True)
    def __mul__(self, o): return self.bin('multiply', o)
    def __rmul__(self, o): return self.bin('multiply', o, True)
    def __truediv__(self, o): return self.bin('divide', o)
    def __rtruediv__(self, o): return self.bin('divide', o, True)
    def __floordiv__(self, o): return self.bin('divide', o)
    def __and__(self, o): return self.bin('and', o)
    def __or__(self, o): return self.bin('or', o)
    def __xor__(self, o): return self.bin('xor', o)
    def __lshift__(self, o): return self.bin('shift_left', o)
    def __rshift__(self, o): return self.bin('shift_right_logical', o)
    def __neg__(self): return self.f.op1('negate', self)
    def __invert__(self): return self.f.op1('not', self)
    def cmp(self, d, o):
        o = self.f.lift(o, self.e)
        r = self.f.new(I1, self.dims)
        self.f.line(f'{r.name} = stablehlo.compare {d}, {self.name}, {o.name} : ({self.type}, {o.type}) -> {r.type}')
        return r
    def __lt__(self, o): return self.cmp('LT', o)
    def __le__(self, o): return self.cmp('LE', o)
    def __gt__(self, o): return self.cmp('GT', o)
    def __ge__(self, o): return self.cmp('GE', o)
    def eq(self, o): return self.cmp('EQ', o)
    def to(self, e):
        r = self.f.new(e, self.dims)
        self.f.line(f'{r.name} = stablehlo.convert {self.name} : ({self.type}) -> {r.type}')
        return r
    def sqrt(self): return self.f.op1('sqrt', self)


class Fn:
    def __init__(self, name, args, results, private=False):
        self.count, self.lines, self.depth = 0, [], 1
        self.args = [V(self, f'%a{i}', *a) for i, a in enumerate(args)]
        self.results = results
        self.head = (f'func.func {"private " if private else ""}@{name}(' + ', '.join(f'{a.name}: {a.type}' for a in self.args)
                     + ') -> (' + ', '.join(t(r[0], *(r[1] if len(r) > 1 else ())) for r in results) + ') {')

    def new(self, e, dims=()):
        self.count += 1
        return V(self, f'%{self.count}', e, dims)

    def line(self, s):
        self.lines.append('  ' * self.depth + s)

    def text(self):
        return self.head + '\n' + '\n'.join(self.lines) + '\n}\n'

    def const(self, value, e, dims=()):
        r = self.new(e, dims)
        if isinstance(value, float):
            value = repr(value)
            if 'e' not in value and '.' not in value: value += '.0'
        if isinstance(value, bool): value = 'true' if value else 'false'
        self.line(f'{r.name} = stablehlo.constant dense<{value}> : {r.type}')
        return r

    def lift(self, x, e):
        if isinstance(x, V): return x
        return self.const(float(x) if e == F64 else x, e)

    def op2(self, op, a, b):
        assert a.type == b.type, (op, a.type, b.type)
        r = self.new(a.e, a.dims)
        self.line(f'{r.name} = stablehlo.{op} {a.name}, {b.name} : {r.type}')
        return r

    def op1(self, op, a):
        r = self.new(a.e, a.dims)
        self.line(f'{r.name} = stablehlo.{op} {a.name} : {r.type}')
        return r

    def select(self, p, a, b):
        r = self.new(a.e, a.dims)
        self.line(f'{r.name} = stablehlo.select {p.name}, {a.name}, {b.name} : {p.type}, {r.type}')
        return r

    def check(self, p, *values):
        if not CHECKS: return
        names = ', '.join(v.name for v in (p,) + values)
        types = ', '.join(v.type for v in (p,) + values)
        self.line(f'"weft.check"({names}) {{message = "BoundsError: attempt to access array at index [{{}}]"}} : ({types}) -> ()')

    def bounds(self, i, n):
        """1 <= i <= n, with the place from 0."""
        z = i - 1
        if CHECKS:
            self.check((i >= 1) & (i <= n), i)
        return z

    def places(self, a, idx):
        # Julia's first dimension is our last one.
        return [self.bounds(i, n) for i, n in zip(reversed(idx), a.dims)]

    def get(self, a, *idx):
        z = self.places(a, idx)
        ones = [1] * len(z)
        s = self.new(a.e, ones)
        self.line(f'{s.name} = stablehlo.dynamic_slice {a.name}, {", ".join(x.name for x in z)}, sizes = {ones} : ({a.type}, {", ".join(x.type for x in z)}) -> {s.type}')
        r = self.new(a.e)
        self.line(f'{r.name} = stablehlo.reshape {s.name} : ({s.type}) -> {r.type}')
        return r

    def set(self, a, v, *idx):
        v = self.lift(v, a.e)
        z = self.places(a, idx)
        u = self.new(a.e, [1] * len(z))
        self.line(f'{u.name} = stablehlo.reshape {v.name} : ({v.type}) -> {u.type}')
        r = self.new(a.e, a.dims)
        self.line(f'{r.name} = stablehlo.dynamic_update_slice {a.name}, {u.name}, {", ".join(x.name for x in z)} : ({a.type}, {u.type}, {", ".join(x.type for x in z)}) -> {r.type}')
        return r

    def block(self, body, args, terminator='stablehlo.return'):
        self.depth += 1
        values = body(*args)
        if isinstance(values, V): values = (values,)
        self.line(f'{terminator} ' + ', '.join(v.name for v in values) + ' : ' + ', '.join(v.type for v in values))
        self.depth -= 1
        return values

    def while_(self, init, cond, body):
        init = [self.lift(x, I64) if not isinstance(x, float) else self.lift(x, F64) for x in init]
        self.count += 1
        names = [V(self, f'%c{self.count}_{i}', x.e, x.dims) for i, x in enumerate(init)]
        out = f'%w{self.count}'
        args = ', '.join(f'{n.name} = {x.name}' for n, x in zip(names, init))
        self.line(f'{out}:{len(init)} = stablehlo.while({args}) : ' + ', '.join(x.type for x in init))
        self.line('cond {')
        self.block(cond, names)
        self.line('} do {')
        self.block(body, names)
        self.line('}')
        rs = [V(self, f'{out}#{i}' if len(init) > 1 else out + '#0', x.e, x.dims) for i, x in enumerate(init)]
        return rs

    def for_(self, lo, hi, carries, body):
        """for i in lo:hi, as it is lowered: the loop ends where i is hi, so that i + 1 cannot overflow."""
        hi = self.lift(hi, I64)
        out = self.while_([lo] + list(carries), lambda i, *c: i <= hi,
                          lambda i, *c: (lambda r: (i + 1,) + (tuple(r) if isinstance(r, (tuple, list)) else (r,)))(body(i, *c)))
        return out[1:] if len(out) > 2 else out[1]

    def if_(self, p, yes, no):
        self.count += 1
        out = f'%w{self.count}'
        at = len(self.lines)
        self.line('')
        types = self.block(yes, ())
        self.line('}, {')
        self.block(no, ())
        self.lines[at] = '  ' * self.depth + f'{out}:{len(types)} = "stablehlo.if"({p.name}) ({{'
        self.line(f'}}) : (tensor<i1>) -> (' + ', '.join(v.type for v in types) + ')')
        rs = [V(self, f'{out}#{i}', v.e, v.dims) for i, v in enumerate(types)]
        return rs if len(rs) > 1 else rs[0]

    def call(self, name, args, results):
        self.count += 1
        out = f'%w{self.count}'
        self.line(f'{out}:{len(results)} = func.call @{name}(' + ', '.join(a.name for a in args) + ') : (' + ', '.join(a.type for a in args)
                  + ') -> (' + ', '.join(t(r[0], *(r[1] if len(r) > 1 else ())) for r in results) + ')')
        rs = [V(self, f'{out}#{i}', *r) for i, r in enumerate(results)]
        return rs if len(rs) > 1 else rs[0]

    def ret(self, *values):
        self.line('return ' + ', '.join(v.name for v in values) + ' : ' + ', '.join(v.type for v in values))

    def dot(self, a, b, ca, cb):
        """Contracts dimension ca of a with cb of b."""
        dims = [d for i, d in enumerate(a.dims) if i != ca] + [d for i, d in enumerate(b.dims) if i != cb]
        r = self.new(a.e, dims)
        self.line(f'{r.name} = stablehlo.dot_general {a.name}, {b.name}, contracting_dims = [{ca}] x [{cb}] : ({a.type}, {b.type}) -> {r.type}')
        return r

    def concat(self, parts, d):
        dims = list(parts[0].dims)
        dims[d] = sum(p.dims[d] for p in parts)
        r = self.new(parts[0].e, dims)
        self.line(f'{r.name} = stablehlo.concatenate ' + ', '.join(p.name for p in parts) + f', dim = {d} : (' + ', '.join(p.type for p in parts) + f') -> {r.type}')
        return r

    def broadcast(self, x, dims):
        r = self.new(x.e, dims)
        self.line(f'{r.name} = stablehlo.broadcast_in_dim {x.name}, dims = [] : ({x.type}) -> {r.type}')
        return r

    def sum(self, a):
        z = self.const(0.0, a.e)
        r = self.new(a.e)
        self.line(f'{r.name} = stablehlo.reduce({a.name} init: {z.name}) applies stablehlo.add across dimensions = {list(range(len(a.dims)))} : ({a.type}, {z.type}) -> {r.type}')
        return r


def module(*fs): return '\n'.join(f.text() for f in fs)


def fib():
    m = Fn('main', [(I64,)], [(I64,)])
    m.ret(m.call('fib', m.args, [(I64,)]))
    f = Fn('fib', [(I64,)], [(I64,)], True)
    n, = f.args
    f.ret(f.if_(n < 2, lambda: n, lambda: f.call('fib', [n - 1], [(I64,)]) + f.call('fib', [n - 2], [(I64,)])))
    return module(m, f)


def quicksort(n=5000):
    A = (F64, (n,))
    m = Fn('main', [A], [A])
    m.ret(m.call('qsort', [m.args[0], m.const(1, I64), m.const(n, I64)], [A]))
    f = Fn('qsort', [A, (I64,), (I64,)], [A], True)
    a, lo, hi = f.args

    def outer(a, lo, i, j):
        mid = (lo + hi) >> 1
        pivot = f.get(a, mid)

        def partition(a, i, j):
            i2 = f.while_([i], lambda i: f.get(a, i) < pivot, lambda i: i + 1)[0]
            j2 = f.while_([j], lambda j: f.get(a, j) > pivot, lambda j: j - 1)[0]

            def swap():
                x, y = f.get(a, j2), f.get(a, i2)
                b = f.set(a, x, i2)
                return f.set(b, y, j2), i2 + 1, j2 - 1
            return f.if_(i2 <= j2, swap, lambda: (a, i2, j2))
        a, i, j = f.while_([a, i, j], lambda a, i, j: i <= j, partition)
        a = f.if_(lo < j, lambda: f.call('qsort', [a, lo, j], [A]), lambda: a)
        return a, i, i, hi
    f.ret(f.while_([a, lo, lo, hi], lambda a, lo, i, j: i < hi, outer)[0])
    return module(m, f)


def mandelbrot(rows=21, cols=26):
    m = Fn('main', [], [(I64, (cols, rows))])
    f = Fn('mandel', [(F64,), (F64,)], [(I64,)], True)
    cr, ci = f.args
    limit = f.const(80, I64)

    def body(n, zr, zi, left, value):
        def leave(): return n, zr, zi, f.const(True, I1), n - 1
        def go_on(): return n + 1, zr * zr - zi * zi + cr, 2.0 * zr * zi + ci, left, value
        return f.if_(zr * zr + zi * zi > 4.0, leave, go_on)
    w = f.while_([f.const(1, I64), cr, ci, f.const(False, I1), limit],
                 lambda n, zr, zi, left, value: (~left) & (n <= limit), body)
    f.ret(w[4])
    out = m.const(0, I64, (cols, rows))

    def column(j, out):
        r = -2.0 + 0.1 * (j - 1).to(F64)
        return m.for_(1, rows, [out], lambda i, out: m.set(out, m.call('mandel', [r, -1.0 + 0.1 * (i - 1).to(F64)], [(I64,)]), i, j))
    m.ret(m.for_(1, cols, [out], column))
    return module(m, f)


def pisum():
    m = Fn('main', [(I64,), (I64,)], [(F64,)])
    rounds, terms = m.args
    def round_(j, s):
        return m.for_(1, terms, [m.const(0.0, F64)], lambda k, s: s + 1.0 / (k * k).to(F64))
    m.ret(m.for_(1, rounds, [m.const(0.0, F64)], round_))
    return module(m)


def rotl(x, k): return (x << k) | (x >> (64 - k))


def xoshiro(s0, s1, s2, s3):
    out = rotl(s0 + s3, 23) + s0
    u = s1 << 17
    s2, s3 = s2 ^ s0, s3 ^ s1
    s1, s0 = s1 ^ s2, s0 ^ s3
    return out, (s0, s1, s2 ^ u, rotl(s3, 45))


def uniform(x): return (x >> 11).to(F64) * (2.0 ** -53)


SEEDS = (0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb, 0x2545f4914f6cdd1d)


def monte_carlo():
    m = Fn('main', [(I64,)], [(F64,)])
    n, = m.args
    seeds = [m.const(s, U64) for s in SEEDS]

    def body(i, hits, *s):
        a, s = xoshiro(*s)
        b, s = xoshiro(*s)
        x, y = uniform(a), uniform(b)
        hits = m.if_(x * x + y * y <= 1.0, lambda: hits + 1, lambda: hits)
        return (hits,) + s
    hits = m.for_(1, n, [m.const(0, I64)] + seeds, body)[0]
    m.ret(4.0 * hits.to(F64) / n.to(F64))
    return module(m)


def random_matrices(t=1000, n=5):
    m = Fn('main', [], [(F64,), (F64,)])
    seeds = [m.const(s, U64) for s in SEEDS]

    def filled(s):
        def column(j, a, *s):
            def one(i, a, *s):
                x, s = xoshiro(*s)
                y = uniform(x) - 0.5
                return (m.set(a, y, i, j),) + s
            return m.for_(1, n, [a] + list(s), one)
        out = m.for_(1, n, [m.const(0.0, F64, (n, n))] + list(s), column)
        return out[0], tuple(out[1:])

    def gram4(p):  # trace((p' p)^4); the first dimension of Julia's is our last
        g = m.dot(p, p, 1, 1)
        g2 = m.dot(g, g, 1, 0)
        g4 = m.dot(g2, g2, 1, 0)
        k = g4.dims[0]
        return m.for_(1, k, [m.const(0.0, F64)], lambda i, s: s + m.get(g4, i, i))

    def body(i, v, w, *s):
        a, s = filled(s)
        b, s = filled(s)
        c, s = filled(s)
        d, s = filled(s)
        p = m.concat([a, b, c, d], 0)
        q = m.concat([m.concat([a, c], 1), m.concat([b, d], 1)], 0)
        return (m.set(v, gram4(p), i), m.set(w, gram4(q), i)) + s
    z = m.const(0.0, F64, (t,))
    out = m.for_(1, t, [z, z] + seeds, body)

    def statistic(v):
        mean = m.sum(v) / float(t)
        d = v - m.broadcast(mean, v.dims)
        return (m.sum(d * d) / float(t - 1)).sqrt() / mean
    m.ret(statistic(out[0]), statistic(out[1]))
    return module(m)


def matmul(n=200):
    A = (F64, (n, n))
    m = Fn('main', [A, A], [A])
    a, b = m.args
    def jj(j, c):
        def kk(k, c):
            bkj = m.get(b, k, j)
            return m.for_(1, n, [c], lambda i, c: m.set(c, m.get(c, i, j) + m.get(a, i, k) * bkj, i, j))
        return m.for_(1, n, [c], kk)
    m.ret(m.for_(1, n, [m.const(0.0, F64, (n, n))], jj))
    return module(m)


def lorenz():
    m = Fn('main', [(I64,)], [(F64,)] * 3)
    f = Fn('slope', [(F64,)] * 3, [(F64,)] * 3, True)
    x, y, z = f.args
    f.ret(10.0 * (y - x), x * (28.0 - z) - y, x * y - (8.0 / 3) * z)
    h = 0.01

    def slope(x, y, z): return m.call('slope', [x, y, z], [(F64,)] * 3)

    def body(i, x, y, z):
        k1 = slope(x, y, z)
        k2 = slope(x + (h / 2) * k1[0], y + (h / 2) * k1[1], z + (h / 2) * k1[2])
        k3 = slope(x + (h / 2) * k2[0], y + (h / 2) * k2[1], z + (h / 2) * k2[2])
        k4 = slope(x + h * k3[0], y + h * k3[1], z + h * k3[2])
        return tuple(u + (h / 6) * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) for i, u in enumerate((x, y, z)))
    m.ret(*m.for_(1, m.args[0], [m.const(1.0, F64)] * 3, body))
    return module(m, f)


def nbody():
    B = (F64, (5, 3))
    m = Fn('main', [(I64,), B, B, (F64, (5,))], [B, B])
    steps, x, v, mass = m.args
    dt = 0.01

    def step(s, x, v):
        def first(i, v):
            def second(j, v):
                d = [m.get(x, k, i) - m.get(x, k, j) for k in map(lambda q: m.const(q, I64), (1, 2, 3))]
                d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
                mag = dt / (d2 * d2.sqrt())
                mi, mj = m.get(mass, i) * mag, m.get(mass, j) * mag
                for k in range(3):
                    kk = m.const(k + 1, I64)
                    v = m.set(v, m.get(v, kk, i) - d[k] * mj, kk, i)
                for k in range(3):
                    kk = m.const(k + 1, I64)
                    v = m.set(v, m.get(v, kk, j) + d[k] * mi, kk, j)
                return v
            return m.while_([i + 1, v], lambda j, v: j <= 5, lambda j, v: (j + 1, second(j, v)))[1]
        v = m.for_(1, 5, [v], first)

        def move(i, x):
            for k in range(3):
                kk = m.const(k + 1, I64)
                x = m.set(x, m.get(x, kk, i) + dt * m.get(v, kk, i), kk, i)
            return x
        return m.for_(1, 5, [x], move), v
    m.ret(*m.for_(1, steps, [x, v], step))
    return module(m)


def spectral_norm(n=100):
    N = (F64, (n,))
    m = Fn('main', [], [(F64,)])

    def entry(i, j):  # from 1
        s = i + j - 2
        return 1.0 / ((s * (s + 1)) // 2 + i).to(F64)

    def times(x, y, transposed):
        def row(i, y):
            s = m.for_(1, n, [m.const(0.0, F64)], lambda j, s: s + (entry(j, i) if transposed else entry(i, j)) * m.get(x, j))
            return m.set(y, s, i)
        return m.for_(1, n, [y], row)

    def both(x, y, w):
        w = times(x, w, False)
        return times(w, y, True), w
    u = m.const(1.0, F64, (n,))
    v = m.const(0.0, F64, (n,))
    w = m.const(0.0, F64, (n,))

    def body(i, u, v, w):
        v, w = both(u, v, w)
        u, w = both(v, u, w)
        return u, v, w
    u, v, w = m.for_(1, 10, [u, v, w], body)
    def sums(i, a, b):
        vi = m.get(v, i)
        return a + m.get(u, i) * vi, b + vi * vi
    a, b = m.for_(1, n, [m.const(0.0, F64)] * 2, sums)
    m.ret((a / b).sqrt())
    return module(m)


def heat(n=128):
    A = (F64, (n, n))
    m = Fn('main', [(I64,), A], [A])
    steps, u = m.args

    def step(s, u, w):
        def column(j, w):
            def one(i, w):
                c = m.get(u, i, j)
                r = c + 0.1 * (m.get(u, i - 1, j) + m.get(u, i + 1, j) + m.get(u, i, j - 1) + m.get(u, i, j + 1) - 4.0 * c)
                return m.set(w, r, i, j)
            return m.for_(2, n - 1, [w], one)
        return m.for_(2, n - 1, [w], column), u
    m.ret(m.for_(1, steps, [u, u], step)[0])
    return module(m)


def life(n=64):
    A = (I64, (n, n))
    m = Fn('main', [(I64,), A], [A])
    steps, g = m.args

    def step(s, g, w):
        def column(j, w):
            left = m.if_(j.eq(1), lambda: m.const(n, I64), lambda: j - 1)
            right = m.if_(j.eq(n), lambda: m.const(1, I64), lambda: j + 1)

            def one(i, w):
                up = m.if_(i.eq(1), lambda: m.const(n, I64), lambda: i - 1)
                down = m.if_(i.eq(n), lambda: m.const(1, I64), lambda: i + 1)
                c = m.get(g, up, left) + m.get(g, i, left) + m.get(g, down, left) + m.get(g, up, j) + m.get(g, down, j) \
                    + m.get(g, up, right) + m.get(g, i, right) + m.get(g, down, right)
                alive = m.get(g, i, j).eq(1)
                r = m.if_(c.eq(3), lambda: m.const(1, I64),
                          lambda: m.if_(alive & c.eq(2), lambda: m.const(1, I64), lambda: m.const(0, I64)))
                return m.set(w, r, i, j)
            return m.for_(1, n, [w], one)
        return m.for_(1, n, [w], column), g
    m.ret(m.for_(1, steps, [g, g], step)[0])
    return module(m)


def kalman(t=1000):
    """Four states, two measurements. Matrices are Julia's, transposed: element [i, j] of ours is [j, i] of theirs."""
    S, M4, H = (F64, (4,)), (F64, (4, 4)), (F64, (4, 2))
    m = Fn('main', [(F64, (t, 2)), M4, M4, H, (F64, (2, 2))], [S, M4])
    z, a, q, h, r = m.args
    x0 = m.const(0.0, F64, (4,))
    eye = m.const('[[1.0,0.0,0.0,0.0],[0.0,1.0,0.0,0.0],[0.0,0.0,1.0,0.0],[0.0,0.0,0.0,1.0]]', F64, (4, 4))

    def times(p, q): return m.dot(q, p, 1, 0)          # p q
    def times_t(p, q): return m.dot(q, p, 0, 0)        # p q'
    def vec(p, x): return m.dot(x, p, 0, 0)            # p x

    def body(k, x, p):
        x = vec(a, x)
        p = times_t(times(a, p), a) + q
        hp = times(h, p)
        s = times_t(hp, h) + r
        at = lambda i, j: m.get(s, m.const(i, I64), m.const(j, I64))
        s11, s21, s12, s22 = at(1, 1), at(2, 1), at(1, 2), at(2, 2)
        det = s11 * s22 - s12 * s21
        inv = m.const(0.0, F64, (2, 2))
        for v, i, j in ((s22 / det, 1, 1), (-s21 / det, 2, 1), (-s12 / det, 1, 2), (s11 / det, 2, 2)):
            inv = m.set(inv, v, m.const(i, I64), m.const(j, I64))
        gain = times(times_t(p, h), inv)
        zero = m.const(0, I64)
        row = m.new(F64, (1, 2))
        kk = m.bounds(k, t)
        m.line(f'{row.name} = stablehlo.dynamic_slice {z.name}, {kk.name}, {zero.name}, sizes = [1, 2] : ({z.type}, tensor<i64>, tensor<i64>) -> {row.type}')
        zk = m.new(F64, (2,))
        m.line(f'{zk.name} = stablehlo.reshape {row.name} : ({row.type}) -> {zk.type}')
        x = x + vec(gain, zk - vec(h, x))
        p = p - times(gain, hp)
        return x, p
    m.ret(*m.for_(1, t, [x0, eye], body))
    return module(m)


def conjugate_gradient(n=200):
    A, N = (F64, (n, n)), (F64, (n,))
    m = Fn('main', [A, N], [N, (I64,)])
    a, b = m.args
    x = m.const(0.0, F64, (n,))

    def body(k, x, r, p, rs):
        ap = m.dot(p, a, 0, 0)
        alpha = rs / m.dot(p, ap, 0, 0)
        al = m.broadcast(alpha, (n,))
        x = x + al * p
        r = r - al * ap
        new = m.dot(r, r, 0, 0)
        p = r + m.broadcast(new / rs, (n,)) * p
        return k + 1, x, r, p, new
    out = m.while_([m.const(0, I64), x, b, b, m.dot(b, b, 0, 0)],
                   lambda k, x, r, p, rs: (k < n) & (rs.sqrt() > 1e-10), body)
    m.ret(out[1], out[0])
    return module(m)


def sieve(n=100000):
    m = Fn('main', [], [(I64,)])
    flags = m.const(True, I1, (n,))
    flags = m.set(flags, m.const(False, I1), m.const(1, I64))

    def outer(i, flags):
        def strike():
            return m.while_([i * i, flags], lambda j, f: j <= n, lambda j, f: (j + i, m.set(f, m.const(False, I1), j)))[1]
        return i + 1, m.if_(m.get(flags, i), strike, lambda: flags)
    flags = m.while_([m.const(2, I64), flags], lambda i, f: i * i <= n, outer)[1]
    m.ret(m.for_(1, n, [m.const(0, I64)], lambda i, c: c + m.get(flags, i).to(I64)))
    return module(m)


def lu(n=120):
    A = (F64, (n, n))
    m = Fn('main', [A], [A])
    def kk(k, a):
        def scale(i, a): return m.set(a, m.get(a, i, k) / m.get(a, k, k), i, k)
        a = m.while_([k + 1, a], lambda i, a: i <= n, lambda i, a: (i + 1, scale(i, a)))[1]
        def jj(j, a):
            akj = m.get(a, k, j)
            return m.while_([k + 1, a], lambda i, a: i <= n, lambda i, a: (i + 1, m.set(a, m.get(a, i, j) - m.get(a, i, k) * akj, i, j)))[1]
        return m.while_([k + 1, a], lambda j, a: j <= n, lambda j, a: (j + 1, jj(j, a)))[1]
    m.ret(m.for_(1, n, [m.args[0]], kk))
    return module(m)


def shortest_paths(n=100):
    A = (I64, (n, n))
    m = Fn('main', [A], [A])
    def kk(k, d):
        def jj(j, d):
            def ii(i, d):
                via = m.get(d, i, k) + m.get(d, k, j)
                return m.if_(via < m.get(d, i, j), lambda: m.set(d, via, i, j), lambda: d)
            return m.for_(1, n, [d], ii)
        return m.for_(1, n, [d], jj)
    m.ret(m.for_(1, n, [m.args[0]], kk))
    return module(m)


def tak():
    m = Fn('main', [(I64,)] * 3, [(I64,)])
    m.ret(m.call('tak', m.args, [(I64,)]))
    f = Fn('tak', [(I64,)] * 3, [(I64,)], True)
    x, y, z = f.args
    c = lambda *a: f.call('tak', a, [(I64,)])
    f.ret(f.if_(y < x, lambda: c(c(x - 1, y, z), c(y - 1, z, x), c(z - 1, x, y)), lambda: z))
    return module(m, f)


def axpy():
    N = 10000
    A = (F64, (N,))
    m = Fn('main', [(I64,), (F64,), A, A], [A])
    n, a, x, y = m.args
    m.ret(m.for_(1, n, [y], lambda i, y: m.set(y, a * m.get(x, i) + m.get(y, i), i)))
    return module(m)


def queens(n=8):
    """Solutions by recursion over rows with arrays of columns."""
    Q = (I64, (n,))
    m = Fn('main', [], [(I64,)])
    m.ret(m.call('place', [m.const(0, I64, (n,)), m.const(1, I64)], [(I64,), Q])[0])
    f = Fn('place', [Q, (I64,)], [(I64,), Q], True)
    q, row = f.args

    def rows():
        def column(c, count, q):
            def clash(r, ok):
                qr = f.get(q, r)
                d = row - r
                bad = qr.eq(c) | (qr - c).eq(d) | (c - qr).eq(d)
                return ok & ~bad
            ok = f.while_([f.const(1, I64), f.const(True, I1)], lambda r, ok: (r < row) & ok, lambda r, ok: (r + 1, clash(r, ok)))[1]

            def deeper():
                k, q2 = f.call('place', [f.set(q, c, row), row + 1], [(I64,), Q])
                return count + k, q2
            return f.if_(ok, deeper, lambda: (count, q))
        return f.for_(1, n, [f.const(0, I64), q], column)
    f.ret(*f.if_(row > n, lambda: (f.const(1, I64), q), rows))
    return module(m, f)


def collatz():
    m = Fn('main', [(I64,)], [(I64,)])
    def longest(i, best):
        def step(n, k):
            half, odd = n >> 1, 3 * n + 1
            return m.select((n & 1).eq(0), half, odd), k + 1
        k = m.while_([i, m.const(1, I64)], lambda n, k: n > 1, step)[1]
        return m.select(k > best, k, best)
    m.ret(m.for_(1, m.args[0], [m.const(0, I64)], longest))
    return module(m)


PROGRAMS = [fib, quicksort, mandelbrot, pisum, random_matrices, matmul, lorenz, nbody, spectral_norm, heat, life, monte_carlo,
            kalman, conjugate_gradient, sieve, lu, shortest_paths, tak, axpy, queens, collatz]

if __name__ == '__main__':
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for p in PROGRAMS:
        with open(os.path.join(folder, p.__name__ + '.mlir'), 'w') as out: out.write(p())
