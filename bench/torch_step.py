"""PyTorch eager as a peer of the demo's training step, driven line by line so that blocks of steps can alternate with ours.

The step: float32, batch 128 of 28x28 images; conv 3x3 SAME 1 -> 16, relu, max pool 2x2, conv 3x3 SAME 16 -> 32, relu, max pool 2x2,
flatten, dense 1568 -> 128, relu, dense 128 -> 10, mean softmax cross entropy, Adam (learning rate 1e-3); 2 threads.
Both memory formats and the three forms of Adam are tried first; the fastest combination is the peer.

Protocol: prints `ready VERSION CHOICE SECONDS` once; then, for each line `run K` on standard input, takes K steps and prints
their median in seconds; `loss` prints the loss of the last step; `quit` or the end of input ends the process.
"""
import statistics
import sys
import time

import torch
from torch import nn

BATCH = 128
THREADS = 2


def network():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding="same"), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding="same"), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(1568, 128), nn.ReLU(), nn.Linear(128, 10))


class Step:
    """One training step on a fixed batch, with its own weights and optimiser state."""

    def __init__(self, memory_format, adam):
        torch.manual_seed(0)
        self.net = network().to(memory_format=memory_format)
        self.images = torch.rand(BATCH, 1, 28, 28).to(memory_format=memory_format)
        self.labels = torch.randint(0, 10, (BATCH,))
        self.optimiser = torch.optim.Adam(self.net.parameters(), lr=1e-3, **adam)
        self.cost = nn.CrossEntropyLoss()
        self.loss = None

    def __call__(self):
        self.optimiser.zero_grad(set_to_none=True)
        self.loss = self.cost(self.net(self.images), self.labels)
        self.loss.backward()
        self.optimiser.step()

    def median_seconds(self, count):
        times = []
        for _ in range(count):
            start = time.perf_counter()
            self()
            times.append(time.perf_counter() - start)
        return statistics.median(times)


def fastest_step():
    formats = {"contiguous": torch.contiguous_format, "channels_last": torch.channels_last}
    adams = {"loop": dict(foreach=False), "foreach": dict(foreach=True), "fused": dict(fused=True)}
    best = None
    for format_name, memory_format in formats.items():
        for adam_name, adam in adams.items():
            step = Step(memory_format, adam)
            step.median_seconds(10)
            seconds = step.median_seconds(30)
            print(f"{format_name:14s} {adam_name:8s} {seconds * 1e3:7.3f} ms", file=sys.stderr)
            if best is None or seconds < best[0]:
                best = seconds, f"{format_name},{adam_name}", step
    return best


def main():
    torch.set_num_threads(THREADS)
    seconds, choice, step = fastest_step()
    print(f"ready {torch.__version__} {choice} {seconds:.6f}", flush=True)
    for line in sys.stdin:
        words = line.split()
        if words == ["quit"]:
            break
        if words == ["loss"]:
            print(f"{step.loss.item():.6f}", flush=True)
        elif len(words) == 2 and words[0] == "run" and words[1].isdigit() and int(words[1]) > 0:
            print(f"{step.median_seconds(int(words[1])):.9f}", flush=True)
        else:
            print(f"torch_step: expected 'run K', 'loss' or 'quit', got '{line.strip()}'", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
