"""The command line `lenshouse`. Commands are imported when they are called: `sql` must not wait for torch."""

import difflib
import errno
import importlib
import os
import sys
import traceback
from typing import Any

import click

from ingest.cli.options import wants_traceback
from ingest.cli.text import printable
from ingest.threads import yield_when_idle
from warehouse.errors import LenshouseError, UsageError

COMMANDS = (
    *("align", "analyze", "annotate", "dashboard", "demo", "diff", "doctor", "export", "ingest"),
    *("project", "recall", "report", "runs", "search", "sql", "stitch"),
)


class _Commands(click.Group):
    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        near = difflib.get_close_matches(args[0], COMMANDS, n=1)
        if args[0] not in COMMANDS and near:
            ctx.fail(f"No such command '{args[0]}'. Did you mean '{near[0]}'?")
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"ingest.cli.{cmd_name}").command
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="lenshouse")
def app() -> None:
    """Exact token-pair attributions of Transformer language models, in a DuckDB warehouse that you query in SQL.

    \b
    lenshouse demo                     see it work, in one to three minutes
    lenshouse ingest --model bert-base-uncased --corpus sst2.tsv
    lenshouse sql "FROM v_change_by_layer WHERE component = 'FF'"
    """


def main(arguments: list[str] | None = None) -> None:
    """Run and exit: 0 done, 2 wrong usage, 1 failed. Errors are one line; --verbose adds the traceback."""
    _open_standard_streams()
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def _open_standard_streams() -> None:
    """Give closed ones the null device: the first file to be opened, perhaps the warehouse, would be taken for them."""
    while os.open(os.devnull, os.O_RDWR) <= 2:
        pass
    sys.stdin = sys.stdin or open(0, encoding="utf-8")  # noqa: SIM115 - descriptors, for the whole process
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8")  # noqa: SIM115


def run(arguments: list[str]) -> int:
    """Run a command line; returns the exit code."""
    yield_when_idle()
    try:
        with app.make_context("lenshouse", arguments) as context:
            app.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 0
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "lenshouse"
        return _fail(f"{error.format_message()} (see `{command} --help`)", 2)
    except UsageError as error:
        return _fail(str(error), 2, error)
    except LenshouseError as error:
        return _fail(str(error), 1, error)
    except click.Abort:
        return _fail("nothing was changed", 1)
    except KeyboardInterrupt:
        return _fail("stopped; the same command goes on from here", 130)
    except BrokenPipeError:
        # The reader of our output has had enough; keep Python from complaining when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except UnicodeEncodeError as error:
        return _fail(*_encoding_reason(error), error)
    except OSError as error:
        return _fail(_os_reason(error), 1, error)
    except Exception as error:
        if type(error).__name__ == "OutOfMemoryError":
            return _fail("the device is out of memory: use a smaller --max-tokens, or --device cpu", 1, error)
        return _fail(f"unexpected {type(error).__name__}: {_first_line(error)} (--verbose shows where)", 1, error)
    return 0


def _fail(message: str, code: int, error: BaseException | None = None) -> int:
    if error is not None and wants_traceback():
        traceback.print_exception(error)
    click.echo(f"lenshouse: {printable(' '.join(message.split()))}", err=True)
    return code


def _encoding_reason(error: UnicodeEncodeError) -> tuple[str, int]:
    """What is not UTF-8 on the command line comes as surrogates; else it is the output that cannot hold a character."""
    what = error.object[error.start : error.end]
    if any("\ud800" <= c <= "\udfff" for c in what):
        return f"a name or text that was given is not UTF-8: {error.object!a}", 2
    return f"the output is in {error.encoding}, which has no {what[:1]!a}: set PYTHONIOENCODING=utf-8", 1


def _os_reason(error: OSError) -> str:
    where = f" ({error.filename})" if error.filename else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"the disk is full{where}: free some space, then run the same command again; what is finished stays"
    if error.errno == errno.EROFS:
        return f"the file system is read-only{where}: name a file elsewhere"
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"no permission{where}: check the rights of the file and of its folder"
    return f"{error.strerror or _first_line(error)}{where}"


def _first_line(error: BaseException) -> Any:
    return next((line for line in str(error).splitlines() if line.strip()), "")
