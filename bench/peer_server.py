"""A peer driven line by line, with the protocol of bench/program_server.cc, so that its calls can alternate with Weft's.

`run SECONDS MOST` calls it for so long, at most so often and at least once, and answers the seconds of each call; `save DIR LIMIT` writes of
each result every k-th element, at most LIMIT, to DIR/result0, …
"""
import sys
import time


def serve(call, results_of, prepare=lambda: None):
    """call() returns when its results are there; results_of(value) lists them as arrays; prepare() compiles."""
    import numpy as np

    begin = time.perf_counter()
    prepare()
    last = call()
    print(f"ready {time.perf_counter() - begin:.6f}", flush=True)
    for line in sys.stdin:
        match line.split():
            case ["run", seconds, most]:
                times, end = [], time.perf_counter() + float(seconds)
                last = None  # the memory of one set of results
                while len(times) < int(most) and (not times or time.perf_counter() < end):
                    start = time.perf_counter()
                    last = call()
                    times.append(time.perf_counter() - start)
                print(*(f"{t:.9f}" for t in times), flush=True)
            case ["save", folder, limit]:
                results = results_of(last)
                for i, result in enumerate(results):
                    flat = np.asarray(result).reshape(-1)
                    step = max(1, -(-flat.size // int(limit)))
                    np.ascontiguousarray(flat[::step]).tofile(f"{folder}/result{i}")
                print(f"saved {len(results)}", flush=True)
            case _:
                sys.exit(f"expected run or save, got {line!r}")
