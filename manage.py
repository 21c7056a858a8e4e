#!/usr/bin/env python
"""Pitbook's management commands."""

import os
import sys

from django.core.management import execute_from_command_line


def main(arguments: list[str]) -> None:
    """Run a command; `settle`, which needs no model and no database, without the seconds that loading the apps takes."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")
    if arguments[1:2] == ["settle"]:
        from tables.management.commands.settle import Command

        Command().run_from_argv(arguments)
    else:
        execute_from_command_line(arguments)


if __name__ == "__main__":
    main(sys.argv)
