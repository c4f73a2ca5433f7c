"""PyTorch as a peer of bench/convnets.cc: the same networks with the same weights, driven line by line.

usage (appended by convnets): torch_convnets.py MODEL f32|bf16 BATCH. Eager and torch.compile (weights frozen), contiguous and
channels-last are tried first; the fastest combination is the peer. 2 threads.

Protocol: prints `ready VERSION CHOICE SECONDS`; `run K` answers the median seconds of K calls; `reference` the result for image 0
in float64; `distance` the normwise distance of the peer's own result from it.
"""
import statistics
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

THREADS = 2


def noise(stream, count):
    x = np.arange(count, dtype=np.uint32) * np.uint32(0x9E3779B9)
    x += np.uint32(stream * 0x85EBCA6B & 0xFFFFFFFF)
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        x ^= x >> np.uint32(shift)
        x *= np.uint32(factor)
    x ^= x >> np.uint32(16)
    return (x >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-24) - np.float32(0.5)


class Network(torch.nn.Module):
    """Walks the model once to make its parameters, in the order of convnets.cc, and again at each call."""

    def __init__(self, model, dtype, batch, size=None):
        super().__init__()
        self.model, self.dtype, self.batch, self.stream = MODELS[model], dtype, batch, 0
        size = size or (256 if model == "unet" else 224)
        self.images = self.random((batch, size, size, 3), np.sqrt(np.float32(12)), 0).permute(0, 3, 1, 2)
        self.weights, self.at = torch.nn.ParameterList(), None
        with torch.no_grad():
            self.model(self, torch.zeros(1, 3, size, size, dtype=dtype))

    def random(self, shape, scale, shift):
        values = noise(self.stream, int(np.prod(shape))) * np.float32(scale) + np.float32(shift)
        self.stream += 1
        return torch.from_numpy(values.reshape(shape)).to(self.dtype)

    def parameter(self, shape, scale, shift, arrange=lambda t: t):
        if self.at is None:
            made = arrange(self.random(shape, scale, shift)).contiguous()
            self.weights.append(torch.nn.Parameter(made, requires_grad=False))
            return self.weights[-1]
        self.at += 1
        return self.weights[self.at - 1]

    def forward(self, x):
        self.at = 0
        return self.model(self, x).float() if self.dtype == torch.bfloat16 else self.model(self, x)

    def conv(self, x, out, window, stride=1, padding=0):
        fan = window * window * x.shape[1]
        scale = np.sqrt(np.float32(12)) * np.sqrt(np.float32(2.0) / np.float32(fan))
        w = self.parameter((window, window, x.shape[1], out), scale, 0, lambda t: t.permute(3, 2, 0, 1))
        return w, dict(stride=stride, padding=padding)

    def conv_bias(self, x, *args, **options):
        w, how = self.conv(x, *args, **options)
        return F.conv2d(x, w, self.parameter((w.shape[0],), 0.1, 0.01), **how)

    def conv_norm(self, x, *args, **options):
        w, how = self.conv(x, *args, **options)
        y = F.conv2d(x, w, **how)
        scale, shift = self.parameter((w.shape[0],), 0.2, 1.0), self.parameter((w.shape[0],), 0.2, 0.0)
        return y * scale[:, None, None] + shift[:, None, None]

    def conv_plain(self, x, *args, **options):
        w, how = self.conv(x, *args, **options)
        return F.conv2d(x, w, **how)

    def dense(self, x, out, flattened=None):
        scale = np.sqrt(np.float32(12)) * np.sqrt(np.float32(2.0) / np.float32(x.shape[1]))
        if flattened:  # rows are pixels x channels there, channels x pixels here
            h, w, c = flattened
            arrange = lambda t: t.reshape(h, w, c, out).permute(3, 2, 0, 1).reshape(out, c * h * w)
        else:
            arrange = lambda t: t.T
        weights = self.parameter((x.shape[1], out), scale, 0, arrange)
        return F.linear(x, weights, self.parameter((out,), 0.1, 0.01))


def vgg19(n, x):
    for out in (64, 64, 0, 128, 128, 0, 256, 256, 256, 256, 0, 512, 512, 512, 512, 0, 512, 512, 512, 512, 0):
        x = F.relu(n.conv_bias(x, out, 3, padding=1)) if out else F.max_pool2d(x, 2)
    x = F.relu(n.dense(x.flatten(1), 4096, (x.shape[2], x.shape[3], 512)))
    return n.dense(F.relu(n.dense(x, 4096)), 1000)


def resnet50(n, x):
    x = F.max_pool2d(F.relu(n.conv_norm(x, 64, 7, stride=2, padding=3)), 3, 2, 1)
    for stage, blocks in enumerate((3, 4, 6, 3)):
        width = 64 << stage
        for block in range(blocks):
            stride = 2 if block == 0 and stage > 0 else 1
            y = F.relu(n.conv_norm(x, width, 1))
            y = F.relu(n.conv_norm(y, width, 3, stride=stride, padding=1))
            y = n.conv_norm(y, width * 4, 1)
            if block == 0:
                x = n.conv_norm(x, width * 4, 1, stride=stride)
            x = F.relu(y + x)
    return n.dense(x.mean((2, 3)), 1000)


def unet(n, x):
    def pair(x, width):
        for _ in range(2):
            x = F.relu(n.conv_bias(x, width, 3, padding=1))
        return x

    skips = []
    for width in (32, 64, 128, 256):
        skips.append(pair(x, width))
        x = F.max_pool2d(skips[-1], 2)
    x = pair(x, 512)
    for width in (256, 128, 64, 32):
        x = n.conv_plain(F.interpolate(x, scale_factor=2, mode="nearest"), width, 3, padding=1)
        x = pair(torch.cat((skips.pop(), x), 1), width)
    return n.conv_bias(x, 2, 1).permute(0, 2, 3, 1)


MODELS = {"vgg19": vgg19, "resnet50": resnet50, "unet": unet}


def median_seconds(call, count):
    times = []
    for _ in range(count):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def fastest(model, dtype, batch):
    best = None
    for name, memory_format in (("channels_last", torch.channels_last), ("contiguous", torch.contiguous_format)):
        net = Network(model, dtype, batch).eval().to(memory_format=memory_format)
        images = net.images.contiguous(memory_format=memory_format)
        tries = [("eager", net)]
        try:
            import torch._inductor.config as inductor
            inductor.freezing = True
            tries.append(("compiled", torch.compile(net)))
        except Exception as error:
            print(f"torch.compile: {error}", file=sys.stderr)
        for how, call in tries:
            try:
                run = lambda call=call, images=images: call(images)
                median_seconds(run, 2)
                seconds = median_seconds(run, 3)
            except Exception as error:
                print(f"{name} {how}: {type(error).__name__} {str(error)[:300]}", file=sys.stderr)
                continue
            print(f"{name:14s} {how:8s} {seconds * 1e3:9.2f} ms", file=sys.stderr)
            if best is None or seconds < best[0]:
                best = seconds, f"{how},{name}", run
    return best


def main():
    torch.set_num_threads(THREADS)
    torch.set_grad_enabled(False)
    model, dtype, batch = sys.argv[1], {"f32": torch.float32, "bf16": torch.bfloat16}[sys.argv[2]], int(sys.argv[3])
    seconds, choice, run = fastest(model, dtype, batch)
    print(f"ready {torch.__version__} {choice} {seconds:.6f}", flush=True)
    want = None
    for line in sys.stdin:
        words = line.split()
        if words == ["quit"]:
            break
        if words == ["reference"]:
            net = Network(model, dtype, batch)
            net.dtype = torch.float64
            want = net.double()(net.images[:1].double())[0].flatten()
            print(" ".join(f"{x:.17g}" for x in want.tolist()), flush=True)
        elif words == ["distance"] and want is not None:
            got = run()[0].flatten().double()
            print(f"{((got - want).norm() / want.norm()).item():.3g}", flush=True)
        elif len(words) == 2 and words[0] == "run" and words[1].isdigit() and int(words[1]) > 0:
            print(f"{median_seconds(run, int(words[1])):.9f}", flush=True)
        else:
            print(f"torch_convnets: expected 'run K', 'reference' or 'distance', got '{line.strip()}'", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
