"""Settling a stream of lines, block by block: as they come, on as many processors as there are, in order and in flat memory."""

from __future__ import annotations

import gc
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from io import BufferedIOBase
from typing import NamedTuple

from casino.memory import YOUNG_OBJECTS
from tables.engine.json_line import LONGEST_LINE
from tables.engine.settle import answer_line
from tables.paytable_files import published

BLOCK = 2**18
"""Bytes that are read at once at most: some hundred rounds, some ten milliseconds of work."""

WORTH_SENDING = 2**15
"""Bytes from which on a block is worth sending to another process."""

_BLANK = (b"", b"\xef\xbb\xbf")
"""Lines that are passed over: nothing, and a byte-order mark."""


class Answers(NamedTuple):
    """The answers to a block of lines in UTF-8, one JSON object a line, in their order; how many there are, and how many are errors."""

    text: bytes
    rounds: int
    bad: int


def settle_stream(stream: BufferedIOBase, *, paytable: str | None = None, jobs: int = 1) -> Iterator[Answers]:
    """Yield the answers to the lines of `stream`, as soon as the lines are there.

    `paytable`: for rounds that name none. `jobs`: how many processes work at it, from the first big block on; so a few lines, or those of
    a slow writer, never wait for a process to start. That block is answered here: what the engine learns by it, its tables of hands above
    all, is then there once for all processes.
    """
    answer = partial(answer_lines, paytable=paytable)
    blocks = line_blocks(stream)
    for lines in blocks:
        yield answer(lines)
        if jobs > 1 and len(lines) >= WORTH_SENDING:
            yield from _answered_together(blocks, answer, jobs)


def _answered_together(blocks: Iterable[bytes], answer: Callable[[bytes], Answers], jobs: int) -> Iterator[Answers]:
    """Yield the answers to `blocks` in their order; at most two a process are under way, so memory stays flat."""
    under_way: deque[Future[Answers]] = deque()
    with ProcessPoolExecutor(jobs, initializer=_begin_settling) as pool:
        try:
            for lines in blocks:
                under_way.append(pool.submit(answer, lines))
                while len(under_way) > 2 * jobs or (under_way and len(lines) < WORTH_SENDING):
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _begin_settling() -> None:
    """Make a process ready: Ctrl-C is for the one that hands out the work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS)


def answer_lines(lines: bytes, paytable: str | None = None) -> Answers:
    """Return the answers to those of `lines` that are not blank."""
    find = published().get
    answers = [answer_line(line, find, paytable) for line in lines.split(b"\n") if len(line) > LONGEST_LINE or line.strip() not in _BLANK]
    text = b"\n".join([*[answer for answer, _ in answers], b""])
    return Answers(text, len(answers), sum([not settled for _, settled in answers]))


def line_blocks(stream: BufferedIOBase) -> Iterator[bytes]:
    """Yield the whole lines that can be read without waiting, block by block.

    Of a line beyond LONGEST_LINE comes only its beginning, which is refused; so memory stays flat.
    """
    rest, passing_over = b"", False
    while block := stream.read1(BLOCK):
        if passing_over:
            _, end, block = block.partition(b"\n")
            if not end:
                continue
        whole, end, last = block.rpartition(b"\n")
        lines, rest = (rest + whole, last) if end else (b"", rest + last)
        passing_over = len(rest) > LONGEST_LINE
        if passing_over:
            lines, rest = b"\n".join([lines, rest]), b""
        yield lines
    if rest:
        yield rest
