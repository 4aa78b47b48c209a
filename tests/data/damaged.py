"""Damaged tables, and what reading them ends in: a table or a `DataError`, and nothing else.

    python tests/data/damaged.py 10000

makes so many files of each kind and reads them; `docs/evidence.md` has what came of it.
File i of a kind is always damaged alike. Readers run in a process that is started again where a
file ends it. Of text that is a fault. A reader of Parquet may: it runs in a child of its own, so
each file that ends it, or makes it print, is read again by `read_columns` in a fresh process, which
has to end well and print nothing.
"""

from __future__ import annotations

import gzip
import io
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

KINDS = ("csv", "tsv", "csv.gz", "parquet")
#: Read one file as the commands do; what else than a table or a `DataError` is an exit code.
READ = """
import sys
from slp.data import read_columns
from slp.errors import DataError
try:
    print("read", read_columns(sys.argv[1]).n_rows)
except DataError as e:
    print(e.diagnostics[0].code)
"""
_SPECIAL = (
    b'"', b",", b"\t", b"\n", b"\r", b'""', b"\n\n", b"\0", b" ", b"inf", b"nan", b"1e999",
    b"9" * 30, "\u00e9".encode(), b"\xef\xbb\xbf", b",,,,", b'"\n"', b"#", b"-0", b"0x1",
    "\u2028".encode(),
)  # fmt: skip


def text(kind: str, rng: random.Random) -> bytes:
    """A sound table of numbers, levels and quoted cells."""
    separator = "\t" if kind.startswith("tsv") else ","
    rows = [["a", "b", "c", '"d e"', "y"]]
    for i in range(60):
        quoted = f'"x, {i % 3}""q"'
        row = [f"{rng.gauss(0, 1):.4f}", f"{rng.randrange(9)}", f"level {i % 7}", quoted]
        rows.append([*row, "yes" if i % 2 else "no"])
    end = rng.choice(("\n", "\n", "\r\n"))
    return end.join(separator.join(row) for row in rows).encode()


def parquets() -> list[bytes]:
    """Sound tables of all kinds of columns, compressed in all ways, by two writers."""
    import numpy as np
    import polars as pl
    import pyarrow.parquet

    rng, n = np.random.default_rng(0), 200
    frame = pl.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": rng.integers(0, 9, n),
            "c": [f"level {i % 7}" for i in range(n)],
            "d": [None if i % 5 == 0 else bool(i % 3) for i in range(n)],
            "e": pl.Series([f"v{i % 3}" for i in range(n)], dtype=pl.Categorical),
            "y": [None if i % 11 == 0 else i for i in range(n)],
        }
    )
    found = []
    for compression in ("uncompressed", "snappy", "gzip", "lz4", "zstd", "brotli"):
        out = io.BytesIO()
        rows = 50 if compression == "zstd" else None
        frame.write_parquet(out, compression=compression, row_group_size=rows)  # type: ignore[arg-type]
        found.append(out.getvalue())
    for options in (
        {"compression": "none", "use_dictionary": False, "data_page_version": "2.0"},
        {"compression": "snappy"},
    ):
        out = io.BytesIO()
        pyarrow.parquet.write_table(frame.drop("e").to_arrow(), out, **options)
        found.append(out.getvalue())
    return found


def maker(kind: str) -> Callable[[int], bytes]:
    """What gives file i."""
    sound = parquets() if kind == "parquet" else []

    def make(i: int) -> bytes:
        rng = random.Random(f"{kind} {i}")
        if kind == "parquet":
            return bits_damaged(rng, rng.choice(sound), rng.choice(sound))
        whole, other = text(kind, rng), text(kind, rng)
        if kind.endswith(".gz") and rng.random() < 0.5:
            packed = [gzip.compress(t, mtime=0) for t in (whole, other)]
            return bits_damaged(rng, *packed)
        damage = bits_damaged if rng.random() < 0.3 else text_damaged
        found = damage(rng, whole, other)
        return gzip.compress(found, mtime=0) if kind.endswith(".gz") else found

    return make


def bits_damaged(rng: random.Random, whole: bytes, other: bytes) -> bytes:
    """Bits turned, bytes changed, left out or put in, the end cut off or another file's; as often
    near the end, where Parquet says what it holds, as anywhere."""
    b = bytearray(whole)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        n = len(b)
        at = rng.randrange(n) if rng.random() < 0.5 else max(0, n - 1 - rng.randrange(min(n, 600)))
        match rng.randrange(8):
            case 0:
                b[at] ^= 1 << rng.randrange(8)
            case 1:
                b[at] = rng.choice((0, 1, 127, 128, 255))
            case 2:
                del b[at:]
            case 3:
                del b[at : at + rng.randrange(1, 40)]
            case 4:
                b[at:at] = rng.randbytes(rng.randrange(1, 40))
            case 5:
                b[at : at + rng.randrange(1, 64)] = bytes(rng.randrange(1, 64))
            case 6:
                b[at:] = other[rng.randrange(len(other)) :]
            case _:
                b[at : at + 4] = rng.randbytes(4)
        b = b or bytearray(b"x")
    return bytes(b)


def text_damaged(rng: random.Random, whole: bytes, _other: bytes) -> bytes:
    """Quotes, separators, line ends and strange cells where none belong, as often in the header."""
    b = bytearray(whole)
    for _ in range(rng.choice((1, 2, 3, 10))):
        at = rng.randrange(len(b)) if rng.random() < 0.6 else rng.randrange(30)
        taken = (0, rng.randrange(1, 4), rng.randrange(1, 300))[rng.randrange(3)]
        b[at : at + taken] = rng.choice(_SPECIAL) if taken < 4 else b""
        b = b or bytearray(b"x")
    return bytes(b)


# --- the process that reads ----------------------------------------------------------------------


def read_all(kind: str, first: int, last: int, folder: Path) -> None:
    """Read files `first` to `last`; before each its number is printed, and after it how it went."""
    from slp.data import read_columns, read_frame
    from slp.data.frames import frame_of
    from slp.errors import DataError

    make, path = maker(kind), folder / f"t.{kind}"
    for i in range(first, last):
        path.write_bytes(make(i))
        printed = os.fstat(2).st_size
        print(i, flush=True)
        started = time.monotonic()
        try:
            if kind == "parquet":
                outcome = _as_the_child(path, folder / "t.arrow")
            else:
                rows = {frame_of(read_frame(path)).n_rows, read_columns(path).n_rows}
                outcome = "read" if len(rows) == 1 else f"fault: two readers, {rows} rows"
        except DataError as e:
            outcome = e.diagnostics[0].code
        except Exception as e:
            outcome = f"fault: {e!r}"
        if os.fstat(2).st_size > printed:
            outcome = "printed"
        print(i, outcome, f"{time.monotonic() - started:.3f}", sep="\t", flush=True)


def _as_the_child(path: Path, target: Path) -> str:
    """What `slp.data.parquet` does, the child's part in this process."""
    from slp.data import to_arrow
    from slp.data.frames import frame_of
    from slp.data.polars_frames import read_arrow

    with path.open("rb") as source, open(os.devnull, "w") as nowhere:
        streams = sys.stdin, sys.stdout
        sys.stdin, sys.stdout = io.TextIOWrapper(source), nowhere
        try:
            code = to_arrow.main(str(target), *sys.path)
        finally:
            sys.stdin, sys.stdout = streams
    if code == 0:
        frame_of(read_arrow(target))
    return "read" if code == 0 else "E409"


def outcomes(kind: str, count: int, folder: Path) -> Iterator[tuple[int, str, float]]:
    """Number, outcome and seconds of each file."""
    first = 0
    while first < count:
        words = [sys.executable, __file__, kind, str(first), str(count), str(folder)]
        with (folder / "stderr").open("w") as stderr:
            worker = subprocess.run(words, stdout=subprocess.PIPE, stderr=stderr, text=True)
        for line in worker.stdout.splitlines():
            i, _, said = line.partition("\t")
            if said:
                outcome, seconds = said.rsplit("\t", 1)
                yield int(i), outcome, float(seconds)
            first = int(i) + 1
        if worker.returncode != 0:
            yield first - 1, f"died, {worker.returncode}", 0.0


def read_again(kind: str, i: int, folder: Path) -> str:
    """How file i ends where a command reads it."""
    path = folder / f"again.{kind}"
    path.write_bytes(maker(kind)(i))
    run = subprocess.run([sys.executable, "-P", "-c", READ, path], capture_output=True, text=True)
    return run.stdout.strip() if (run.returncode, run.stderr) == (0, "") else f"fault: {run}"


def main(count: int) -> int:
    """Exit code 0 if nothing went wrong; prints how often files ended in what."""
    faults = 0
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            tally: Counter[str] = Counter()
            slowest = 0.0
            for i, outcome, seconds in outcomes(kind, count, folder):
                tally[outcome] += 1
                slowest = max(slowest, seconds)
                if outcome.startswith(("died", "printed")) and kind == "parquet":
                    outcome = read_again(kind, i, folder)
                    tally[f"of these, by read_columns: {outcome.partition(' ')[0]}"] += 1
                if not outcome.startswith(("read", "E4")):
                    faults += 1
                    print(f"{kind} {i}: {outcome}")
            print(f"{kind}: slowest {slowest:.2f} s; {dict(tally.most_common())}", flush=True)
    return int(faults > 0)


if __name__ == "__main__":
    if len(sys.argv) == 2:
        sys.exit(main(int(sys.argv[1])))
    read_all(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
