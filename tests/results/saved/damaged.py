"""Damaged and hostile files of saved runs, and what reading them ends in: a posterior that answers,
or an error with a code, and nothing else.

    python -m tests.results.saved.damaged 1000

reads so many; `docs/evidence.md` has what came of it. File i is always damaged alike.
Half of them are damaged as bytes; the other half say what no run says under digests that are right,
as a person could write them.
"""

from __future__ import annotations

import io
import json
import random
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import slp
from slp.cli.as_json import posterior_to_json
from slp.cli.page import Page
from slp.errors import SlpError
from slp.results.saved.archive import write_archive

#: Small files of every format, and those of the one that is written.
FORMATS = sorted(Path(__file__).parent.glob("format_*"))
NEWEST = FORMATS[-1]
_NUMBERS = (0, -1, 1, 2**31, 2**63, 10**30, 0.5, 1e308, "nan", "inf", "x" * 300)
_VALUES = (*_NUMBERS, None, True, [], {}, "", "\ud800", [[[]]], {"a": 1})


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def by_bytes(rng: random.Random, files: list[bytes]) -> bytes:
    """A sound file with a few bytes changed, left out or put in, cut off, or joined to another."""
    data = bytearray(rng.choice(files))
    way = rng.randrange(5)
    if way == 0:
        return bytes(data[: rng.randrange(len(data))])
    if way == 1:
        other = rng.choice(files)
        return bytes(data[: rng.randrange(len(data))]) + other[rng.randrange(len(other)) :]
    for _ in range(rng.choice((1, 1, 3, 20))):
        at = rng.randrange(len(data))
        if way == 2:
            data[at] ^= 1 << rng.randrange(8)
        elif way == 3:
            del data[at : at + rng.randrange(1, 9)]
        else:
            data[at:at] = rng.randbytes(rng.randrange(1, 9))
    return bytes(data)


def places(data: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to all values inside plain data."""
    keys = data.keys() if isinstance(data, dict) else range(len(data) if type(data) is list else 0)
    for key in keys:
        yield (*here, key)
        yield from places(data[key], (*here, key))


def changed_data(rng: random.Random, data: Any) -> Any:
    way = rng.choice(list(places(data)))
    inner = data
    for key in way[:-1]:
        inner = inner[key]
    if rng.random() < 0.2 and isinstance(inner, dict):
        del inner[way[-1]]
    else:
        inner[way[-1]] = rng.choice(_VALUES)
    return data


def changed_array(rng: random.Random, array: np.ndarray) -> np.ndarray:
    way = rng.randrange(4)
    if way == 0 and len(array):
        return array[: rng.randrange(len(array))]
    if way == 1:
        return np.concatenate([array, array])
    if way == 2:
        return array.astype(rng.choice(["<f8", "<i8", "<i4", "<f4", ">f8", "U3", "<c16"]))
    array = array.copy()
    flat = array.reshape(-1)
    for _ in range(rng.choice((1, 3, 30))):
        number = rng.choice((-1, 0, 7, 2**31 - 1, -(2**31), 1e300, np.nan, np.inf, 0.5))
        if len(flat) and (array.dtype.kind == "f" or (np.isfinite(number) and number < 2**31)):
            flat[rng.randrange(len(flat))] = number
    return array


def signed(rng: random.Random, files: list[dict[str, bytes]], path: Path) -> None:
    """A file whose digests are right, with one member or the manifest changed."""
    found = dict(rng.choice(files))
    manifest = json.loads(found.pop("manifest.json"))
    members: dict[str, Any] = {}
    for name, content in found.items():
        is_json = name.endswith(".json")
        members[name] = json.loads(content) if is_json else np.load(io.BytesIO(content))
    name = rng.choice([*members, "manifest.json"])
    if name == "manifest.json":
        for key in ("members", "digest", "format"):
            manifest.pop(key)
        manifest = changed_data(rng, manifest)
    elif rng.random() < 0.1:
        del members[name]
    elif name.endswith(".json"):
        members[name] = changed_data(rng, members[name])
    else:
        members[name] = changed_array(rng, members[name])
    kept = {k: v for k, v in manifest.items() if k not in ("members", "digest", "format")}
    write_archive(path, kept, members)


def outcome(path: Path) -> str:
    """The code of the error, or `read`; anything else is raised."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            posterior = slp.load_posterior(path, memory="1GiB", threads=1, time=60)
            uses = posterior.split_probabilities()
            posterior_to_json(posterior, uses, draws=0)
            list(Page(posterior, uses, posterior.record.describe(), "data", []).lines())
            rows = np.zeros((2, len(posterior.table.features)))
            posterior.predict_interval(rows.astype(str).astype(object))
    except SlpError as e:
        return e.diagnostics[0].code
    return "read"


def damaged(n: int, folder: Path, told: Callable[[str], None] = print) -> Counter[tuple[str, str]]:
    """What reading the first n damaged files ends in, by the kind of damage."""
    files = [path.read_bytes() for folder in FORMATS for path in sorted(folder.glob("*.slpz"))]
    unpacked = [contents(path) for path in sorted(NEWEST.glob("*.slpz"))]
    found: Counter[tuple[str, str]] = Counter()
    path = folder / "damaged.slpz"
    for i in range(n):
        rng = random.Random(i)
        kind = ("bytes", "signed")[i % 2]
        if kind == "bytes":
            path.write_bytes(by_bytes(rng, files))
        else:
            signed(rng, unpacked, path)
        try:
            result = outcome(path)
        except Exception as e:
            result = f"traceback {type(e).__name__}"
            told(f"file {i}: " + "".join(traceback.format_exception(e)[-2:]))
        found[kind, result] += 1
    return found


def main(n: int) -> None:
    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        found = damaged(n, Path(folder))
    for (kind, result), count in sorted(found.items()):
        print(f"{kind:<8}{result:<12}{count}")
    print(f"{time.process_time() - began:.0f} CPU seconds")


if __name__ == "__main__":
    main(int(sys.argv[1]))
