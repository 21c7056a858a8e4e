"""The embedded Valkey: configuration, and the question whether it answers. Standard library only."""

from __future__ import annotations

import signal
import socket as sockets
from pathlib import Path

from casino.embedded_host import Host
from casino.embedded_server import Server
from casino.embedded_state import Secrets

_CONFIGURATION = """\
port 0
unixsocket "{socket}"
unixsocketperm 700
requirepass "{password}"
dir "{data}"
appendonly yes
appendfsync {fsync}
save ""
daemonize no
set-proc-title no
"""


class Valkey(Server):
    """The broker and cache in `home/valkey`. Every command is appended to a file on the disk."""

    name = "valkey"
    stop_signal = orphan_signal = signal.SIGTERM

    def __init__(self, host: Host, secrets: Secrets, *, durable: bool) -> None:
        super().__init__(host)
        self.secrets = secrets
        self.durable = durable
        self.data = host.place.home / "valkey"

    @property
    def socket(self) -> Path:
        return self.host.place.run / "valkey.sock"

    def command(self) -> list[str]:
        """Return the command; the password is in the file, since every user of the machine may read command lines."""
        return [str(self.host.programs.valkey), str(self._configuration_file)]

    def prepare(self, lock: int) -> None:
        self.host.folder(self.data)
        self.socket.unlink(missing_ok=True)
        text = _CONFIGURATION.format(
            socket=self.socket,
            password=self.secrets.valkey,
            data=_quoted(self.data),
            fsync="everysec" if self.durable else "no",
        )
        self.host.write(self._configuration_file, text)

    def answers(self) -> bool:
        """Return whether it greets back; while it reads its file after a start it says LOADING instead."""
        try:
            with sockets.socket(sockets.AF_UNIX) as line:
                line.settimeout(2)
                line.connect(str(self.socket))
                line.sendall(f"AUTH {self.secrets.valkey}\r\nPING\r\nQUIT\r\n".encode())
                return b"+PONG" in line.makefile("rb").read()
        except OSError:
            return False

    @property
    def _configuration_file(self) -> Path:
        return self.data / "valkey.conf"


def _quoted(path: Path) -> str:
    return str(path).replace("\\", "\\\\").replace('"', '\\"')
