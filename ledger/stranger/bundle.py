"""A bundle as a folder: its files, and the keys that count."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ledger.stranger.notes import Key, parted, signed_by
from ledger.stranger.outcome import INCOMPLETE, TAMPERED, Broken, CouldNot


class Bundle:
    """A folder that `export_bundle` wrote."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            self.manifest = json.loads((folder / "manifest.json").read_text())
            self.segments = sorted(int(number) for number in self.manifest["segments"])
            self.size = int(self.manifest["size"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CouldNot(f"{folder} is no bundle: manifest.json cannot be read ({error})") from error

    def text(self, name: str) -> str:
        """Return a file's text. Raises Broken (incomplete) where it is missing."""
        try:
            return (self.folder / name).read_text(encoding="utf-8")
        except FileNotFoundError as error:
            raise Broken(INCOMPLETE, f"{name} is missing") from error
        except (OSError, ValueError) as error:
            raise CouldNot(f"{name} cannot be read ({error})") from error

    def objects(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield the objects of a file of JSON lines."""
        try:
            with (self.folder / name).open("rb") as file:
                for number, line in enumerate(file, start=1):
                    try:
                        yield json.loads(line)
                    except ValueError as error:
                        raise Broken(TAMPERED, f"{name}, line {number} is no JSON") from error
        except FileNotFoundError as error:
            raise Broken(INCOMPLETE, f"{name} is missing") from error

    def keys(self, trusted: Key | None) -> list[Key]:
        """Return the keys that count: the trusted one (the bundle's first where none is given), and those that follow by announcement."""
        first = trusted or Key(self.text("keys/1.pub"))
        chain, number = [first], 2
        while (self.folder / f"keys/{number}.note").exists():
            note = self.text(f"keys/{number}.note")
            announced = Key(parted(note)[0].splitlines()[1].partition(" ")[2])
            if signed_by(note, chain) is not None:
                chain.append(announced)
            elif announced.public != first.public and trusted is None:
                raise Broken(TAMPERED, f"keys/{number}.note: the new key is not announced by the one before")
            number += 1
        return chain

    def paytables(self) -> dict[str, Any]:
        """Return the paytables by their SHA-256."""
        found = {}
        for path in sorted((self.folder / "paytables").glob("*.json")):
            content = path.read_bytes()
            if hashlib.sha256(content).hexdigest() != path.stem:
                raise Broken(TAMPERED, f"paytables/{path.name}: its content is another one's")
            found[path.stem] = json.loads(content)
        return found

    def accounts(self) -> dict[str, str]:
        """Return each account's currency by "property code"."""
        return {f"{account['property']} {account['code']}": account["currency"] for account in json.loads(self.text("accounts.json"))}
