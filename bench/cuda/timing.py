# SPDX-License-Identifier: MIT
"""How long work takes on the device: by its own clock, the second-level cache emptied before each
run, the contenders in turns. All contenders are timed by the same code in the same process."""
import time

import torch


class Clock:
    def __init__(self, device, budget):
        self.cuda = device.startswith("cuda")
        self.budget = budget  # seconds a contender
        self.cache = torch.empty(64 << 20, dtype=torch.int32, device=device) if self.cuda else None

    def synchronize(self):
        if self.cuda:
            torch.cuda.synchronize()

    def runs(self, work, count):
        """Milliseconds of each of `count` runs."""
        if not self.cuda:
            times = []
            for _ in range(count):
                start = time.perf_counter()
                work()
                times.append(1e3 * (time.perf_counter() - start))
            return times
        starts = [torch.cuda.Event(enable_timing=True) for _ in range(count)]
        ends = [torch.cuda.Event(enable_timing=True) for _ in range(count)]
        for start, end in zip(starts, ends):
            # Also keeps the device busy until the work has been queued.
            self.cache.zero_()
            start.record()
            work()
            end.record()
        torch.cuda.synchronize()
        return [start.elapsed_time(end) for start, end in zip(starts, ends)]

    def once(self, work):
        """A rough figure, in milliseconds."""
        work()
        self.synchronize()
        return sorted(self.runs(work, 5))[2]

    def best(self, candidates):
        """The fastest of several ways to do the same, as (name, work); None if none runs."""
        able = []
        for name, work in candidates:
            try:
                work()
                self.synchronize()
                able.append((name, work))
            except Exception as error:  # noqa: BLE001: a peer that needs too much of the device
                print(f"note: {name} does not run: {str(error).strip()[:200]}", flush=True)
        candidates = able
        if len(candidates) <= 1:
            return candidates[0] if candidates else None
        times = [[] for _ in candidates]
        for _ in range(3):
            for mine, (_, work) in zip(times, candidates):
                mine += self.runs(work, 7)
        return min(zip(times, candidates), key=lambda pair: middle(pair[0]))[1]

    def in_turns(self, works, turns=5):
        """Milliseconds of each of the works."""
        rough = max(self.once(work) for work in works)
        wait = 0.1 if self.cuda else 0.0  # emptying the cache
        count = int(1e3 * self.budget / (rough + wait) / turns)
        count = min(max(count, 3), 120)
        times = [[] for _ in works]
        for turn in range(turns):
            order = list(range(len(works)))
            for i in order[turn % len(works):] + order[:turn % len(works)]:
                times[i] += self.runs(works[i], count)
        return [middle(mine) for mine in times]

    def back_to_back(self, works, turns=5):
        """Milliseconds of each of the works when it runs again and again, with what it reads in the
        cache as far as it fits. The device sleeps until the launches are queued."""
        if not self.cuda:
            return self.in_turns(works, 1)
        counts = []
        for work in works:
            rough = max(self.once(work), 2e-3)
            counts.append(min(max(int(1e3 * self.budget / rough / turns), 3), 50))
        times = [[] for _ in works]
        for turn in range(turns):
            for work, count, mine in zip(works, counts, times):
                start = torch.cuda.Event(enable_timing=True)
                end = torch.cuda.Event(enable_timing=True)
                torch.cuda._sleep(100_000 + 40_000 * count)
                start.record()
                for _ in range(count):
                    work()
                end.record()
                torch.cuda.synchronize()
                mine.append(start.elapsed_time(end) / count)
        return [sorted(mine)[len(mine) // 2] for mine in times]


def middle(times):
    """The mean of the middle half: as robust as the median, and finer than a tick of the device's
    clock, which is one per cent of a short kernel."""
    times = sorted(times)
    quarter = len(times) // 4
    inner = times[quarter:len(times) - quarter]
    return sum(inner) / len(inner)
