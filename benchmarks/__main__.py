"""Run the benchmarks: `python -m benchmarks [--bench DIR] [NAME ...]`.

Each is a program of its own and prints its table; some also write it to
`benchmarks/results/`. None asks a model. Those marked * read public data that is not
part of the project, from the folder given by `--bench`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
# What each is given besides its name; DIR stands for the folder of public data.
BENCHMARKS: dict[str, list[str]] = {
    "code_layer": [],
    "mount_bench": ["--bench", "DIR"],
    "parse_bench": [],
    "render_bench": ["--bench", "DIR"],
    "zh_numbers": ["DIR"],
    "zh_time": ["DIR"],
}


def main() -> int:
    """Run those that were asked for, or all that can be; count the failures."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="names: "
        + " ".join(n + "*" * ("DIR" in given) for n, given in BENCHMARKS.items()),
    )
    parser.add_argument("--bench", type=Path, metavar="DIR", help="public data")
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark {', '.join(unknown)}; see --help")
    if options.bench and not options.bench.is_dir():
        parser.error(f"no folder {options.bench}")
    failed = 0
    for name in options.names or BENCHMARKS:
        given = BENCHMARKS[name]
        print(f"== {name}", flush=True)
        if "DIR" in given and not options.bench:
            print("left out: it needs --bench DIR\n")
            failed += bool(options.names)
            continue
        folder = str(options.bench.resolve()) if options.bench else ""
        words = [folder if word == "DIR" else word for word in given]
        # By path: each can also be run so by hand, and finds its neighbours.
        command = [sys.executable, str(HERE / f"{name}.py"), *words]
        if name in ("code_layer", "render_bench"):
            command[1:2] = ["-m", f"benchmarks.{name}"]
        failed += subprocess.run(command, cwd=HERE.parent).returncode != 0
        print(flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
