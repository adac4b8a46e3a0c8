"""The study's one command: `python -m study COMMAND ...`; `COMMAND --help` says what it takes."""

import argparse
import importlib
import sys

from tahanuji.errors import InputError, no_space, sentence

COMMANDS = {  # name: its module, whose main takes words and gives an exit status, and help
    "run": ("study.run", "run a profile with all that it lacks (./run_all.sh)"),
    "audit": ("study.audit.command", "run the study on your own classifier"),
    "harden": ("study.harden.command", "train your classifier to break less, audited twice"),
    "demo": ("study.demo.command", "write a fine-tuned BERT as a page that anybody can try"),
    "bench": ("study.bench.command", "score predictions on the frozen benchmark of data/bench"),
    "gate": ("study.gate", "judge the finished runs of a profile by a policy"),
    "notebook": ("study.runner", "run one notebook, its parameters checked beforehand"),
    "plan": ("study.plan", "say what each test of a profile will be able to show"),
    "stale": ("study.reads", "list the runs of a profile that depend on what has changed since"),
    "report": ("study.report.__main__", "print, compare or draw the results of a profile"),
    "redraw": ("study.redraw", "make figures of finished runs anew, without their models"),
    "finding": ("study.findings", "put the findings of finished runs under their titles anew"),
    "publish": ("study.publish", "copy the finished runs of a profile to outputs/reference"),
    "judge": ("study.judge", "make published verdicts anew from their predictions"),
}


def main(words: list[str] | None = None) -> int:
    """The exit status of a command: 0 done, 2 wrong use, others its own."""
    words = sys.argv[1:] if words is None else words
    parser = argparse.ArgumentParser(prog="python -m study", description=__doc__)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (_, about) in COMMANDS.items():
        commands.add_parser(name, help=about, add_help=False)
    command = parser.parse_args(words[:1]).command
    try:
        return importlib.import_module(COMMANDS[command][0]).main(words[1:])
    except Exception as error:
        if not isinstance(error, InputError | OSError) and not no_space(str(error)):
            raise
        print(f"{command}: {sentence(error)}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
