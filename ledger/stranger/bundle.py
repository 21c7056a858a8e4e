"""A bundle as a folder: its files, and the keys that count."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from ledger.stranger.notes import Key, announced_key, signed_by
from ledger.stranger.outcome import INCOMPLETE, TAMPERED, Broken, CouldNot, parsed

FORMAT = "pitbook-bundle/1"


class Bundle:
    """A folder that `export_bundle` wrote. What manifest.json says is signed by nobody: it is held against what is."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            said = parsed((folder / "manifest.json").read_bytes())
            self.origin, self.size, self.segments = said["origin"], said["size"], said["segments"]
            form, self.says_names = said["format"], said["with_names"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CouldNot(f"{folder} is no bundle: manifest.json cannot be read ({error})") from error
        if form != FORMAT:
            raise CouldNot(f"{folder} is no bundle of the form {FORMAT}")
        if type(self.size) is not int or not isinstance(self.segments, list) or type(self.says_names) is not bool:
            raise CouldNot(f"{folder} is no bundle: manifest.json has something else than numbers in it")
        if not self.segments:
            raise Broken(INCOMPLETE, "manifest.json names no shift")
        below = 0
        for number in self.segments:
            if type(number) is not int or not below < number <= self.size:
                raise Broken(TAMPERED, "manifest.json: its segments are not different numbers, in their order, up to its size")
            below = number
        self.has_names = self.says_names or (folder / "names.ndjson").exists()

    def opened(self, name: str) -> BinaryIO:
        """Return a file that is open. Raises Broken (incomplete) where it is missing, CouldNot where it cannot be read."""
        path = self.folder / name
        try:
            if path.exists() and not path.is_file():
                raise CouldNot(f"{name} is no file")
            return path.open("rb")
        except FileNotFoundError as error:
            raise Broken(INCOMPLETE, f"{name} is missing") from error
        except OSError as error:
            raise CouldNot(f"{name} cannot be read ({error})") from error

    def text(self, name: str) -> str:
        """Return a file's text."""
        with self.opened(name) as file:
            try:
                return file.read().decode()
            except ValueError as error:
                raise Broken(TAMPERED, f"{name} is no text ({error})") from error

    def objects(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield the objects of a file of JSON lines."""
        with self.opened(name) as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    raise Broken(INCOMPLETE, f"{name} is cut off in line {number}")
                try:
                    found = parsed(line)
                except ValueError as error:
                    raise Broken(TAMPERED, f"{name}, line {number} is no JSON ({error})") from error
                if not isinstance(found, dict):
                    raise Broken(TAMPERED, f"{name}, line {number} is no object")
                yield found

    def keys(self, trusted: Key | str | None) -> list[Key]:
        """Return the keys that count: the trusted one, and those that follow by announcement.

        `trusted`: a key, or the SHA-256 that the bundle's first one must have; None: the bundle's first is believed.
        """
        first = trusted if isinstance(trusted, Key) else Key(self.text("keys/1.pub"))
        if isinstance(trusted, str) and first.fingerprint != trusted:
            raise Broken(TAMPERED, f"keys/1.pub is not the key that you gave: its SHA-256 is {first.fingerprint}")
        if first.name != self.origin:
            raise Broken(TAMPERED, f"manifest.json is of the log {self.origin}, the key of {first.name}")
        chain, number = [first], 2
        while (self.folder / f"keys/{number}.note").exists():
            note = self.text(f"keys/{number}.note")
            try:
                announced = announced_key(note)
            except CouldNot as error:
                raise Broken(TAMPERED, f"keys/{number}.note announces no key") from error
            if signed_by(note, chain) is None:
                raise Broken(TAMPERED, f"keys/{number}.note: the new key is not announced by the one before")
            chain.append(announced)
            number += 1
        return chain

    def paytables(self) -> dict[str, Any]:
        """Return the paytables by their SHA-256."""
        found: dict[str, Any] = {}
        folder = self.folder / "paytables"
        for name in sorted(path.name for path in (folder.iterdir() if folder.exists() else ()) if path.suffix == ".json"):
            with self.opened(f"paytables/{name}") as file:
                content = file.read()
            if hashlib.sha256(content).hexdigest() != name[:-5]:
                raise Broken(TAMPERED, f"paytables/{name}: its content is another one's")
            try:
                found[name[:-5]] = parsed(content)
            except ValueError as error:
                raise Broken(TAMPERED, f"paytables/{name} is no JSON ({error})") from error
        return found

    def accounts(self) -> dict[str, str]:
        """Return each account's currency by "property code"."""
        try:
            return {f"{account['property']} {account['code']}": account["currency"] for account in parsed(self.text("accounts.json"))}
        except (ValueError, KeyError, TypeError) as error:
            raise Broken(TAMPERED, f"accounts.json cannot be read ({error})") from error
