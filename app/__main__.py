"""python -m app export | results: the dashboard's figures as files, without a browser tab, and the README's tables of results."""
import argparse
import sys
from pathlib import Path

from app import export, hosting, records, results
from app.charts.look import GROUNDS, SHAPES, TEXTS, Template
from app.figures import FIGURES, Sources
from app.race.executed import executed, short
from app.race.film import html as race_page
from app.race.payload import LANES, payload
from app.settings import OPENING, Settings
from app.slides import KINDS, files, settings_text
from numba_kernels import saved
from traffic_model import Refusal, options, predict

RACE, ALL = "race", "all"  # an animation, as one HTML file; every figure and the race
EXAMPLE = "example: python -m app export --page traffic,time --format svg,csv --seq-len 8192 --out slides"


def do_export(arguments) -> None:
    """Writes the files, then SETTINGS.md beside them. Nothing is written if one of the options is refused."""
    names, kinds = _names(arguments.page), _kinds(arguments.format)
    settings = Settings(options.problem_of(arguments), options.tiling_of(arguments), options.gpu_of(arguments))
    predict("fused", settings.problem, settings.tiling, settings.gpu)  # refuses what the dashboard's sidebar does
    template = Template(arguments.ground, arguments.shape, arguments.text, arguments.title, arguments.caption)
    missing = export.why_no_images()
    if missing and any(KINDS[kind].browser for kind in kinds):
        raise Refusal(f"{missing}; html, csv and json need none.")
    if RACE in names and "html" not in kinds:
        raise Refusal("the race is exported as html; add it to --format, or leave race out of --page.")
    sources = Sources([records.recording(file) for file in [*saved.recorded(), *map(saved.read, arguments.runs)]])
    figures = [FIGURES[name](settings, sources) for name in names if name != RACE]
    arguments.out.mkdir(parents=True, exist_ok=True)
    for figure in figures:
        if figure.aside:
            print(f"{figure.name}: {figure.aside}", file=sys.stderr)
        for name, content in files(figure, template, kinds).items():
            _write(arguments.out / name, content)
    if RACE in names:
        race = settings.problem, settings.tiling, settings.gpu
        race = payload(*race, run=executed(*race, LANES) if short(settings.problem) and hosting.runs_kernels() else None)
        _write(arguments.out / export.file_name(RACE, settings, "html"), race_page(race).encode())
    if figures:
        again = " ".join(["python -m app", *sys.argv[1:]])
        _write(arguments.out / "SETTINGS.md", settings_text(figures, template, f"Made with `{again}`").encode())


def show_results(arguments) -> None:
    """What was recorded at a few lengths, as tables in Markdown: the ladder, and the tensor cores beside PyTorch. Printed, or put into a
    file between their markers."""
    if arguments.into is None:
        print(results.text())
        return
    results.write(arguments.into)
    print(arguments.into)


def folder(text: str) -> Path:
    """For argparse."""
    if not text:
        raise argparse.ArgumentTypeError("it is empty; name a folder")
    return Path(text)


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    print(path)


def _names(wanted: list[str]) -> list[str]:
    """A page's name stands for its pictures: tiles for tiles-bytes, tiles-time and tiles-occupancy. Raises Refusal."""
    known = [*FIGURES, RACE]
    found = []
    for name in wanted:
        of_page = [each for each in known if name in (each, ALL)] or [each for each in known if each.startswith(f"{name}-")]
        if not of_page:
            raise Refusal(f"page {name} is not known; choose {', '.join(known)}, roofline, tiles or {ALL}.")
        found += of_page
    return list(dict.fromkeys(found))


def _kinds(wanted: list[str]) -> list[str]:
    for kind in wanted:
        if kind in ("gif", "mp4"):
            raise Refusal(f"{kind} is made by the Race page's own button; choose {', '.join(KINDS)}.")
        if kind not in KINDS:
            raise Refusal(f"format {kind} is not known; choose {', '.join(KINDS)}.")
    return wanted


def main(argv: list[str] | None = None) -> int:
    parser = options.Parser(prog="python -m app", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=options.Parser)
    command = commands.add_parser("export", help="write figures as files", description=do_export.__doc__, epilog=EXAMPLE)
    command.add_argument("--page", type=options.words, default=["traffic"], metavar="NAME[,NAME]",
                         help=f"{', '.join(FIGURES)}; roofline or tiles for all of theirs; {RACE} (html); {ALL} (traffic)")
    command.add_argument("--format", type=options.words, default=["svg"], metavar="KIND[,KIND]", help=f"{', '.join(KINDS)} (svg)")
    command.add_argument("--out", type=folder, required=True, metavar="DIR", help="where to; it is made if it is not there")
    command.add_argument("--runs", type=Path, action="append", default=[], metavar="FILE.jsonl", help="runs of your own to draw as well")
    command.add_argument("--ground", choices=GROUNDS, default=GROUNDS[0], help="of the slide (light)")
    command.add_argument("--shape", choices=SHAPES, default="16:9", help="of the slide (16:9)")
    command.add_argument("--text", type=int, choices=TEXTS, default=TEXTS[0], help="smallest text in px (24)")
    command.add_argument("--no-title", dest="title", action="store_false", help="leave the title out")
    command.add_argument("--no-caption", dest="caption", action="store_false", help="leave the conditions below the title out")
    options.add_shape_options(command)
    opening = OPENING.problem
    command.set_defaults(command=do_export, kv_len=None, scale=None, heads=str(opening.heads), dtype=opening.dtype)
    recorded = commands.add_parser("results", help="the README's tables, out of the recorded runs", description=show_results.__doc__)
    recorded.add_argument("--into", type=Path, metavar="FILE.md", help="a file with the tables' markers, such as README.md")
    recorded.set_defaults(command=show_results)
    arguments = parser.parse_args(argv)
    return options.run_command(arguments.command, arguments)


if __name__ == "__main__":
    sys.exit(main())
