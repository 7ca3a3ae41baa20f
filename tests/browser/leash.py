"""Run a command that ends when the process that started it does: ``python leash.py COMMAND...``

The parent holds the other end of standard input. When that end closes, because the parent closed it, ended or
was killed, the command's whole process group gets SIGTERM. So no server outlives a test run, however it ends.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading


def _end_with_parent(command: subprocess.Popen[bytes]) -> None:
    sys.stdin.buffer.read()  # returns only at the end of the stream
    if command.poll() is None:
        os.killpg(command.pid, signal.SIGTERM)


def main(arguments: list[str]) -> int:
    command = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, start_new_session=True)
    threading.Thread(target=_end_with_parent, args=(command,), daemon=True).start()
    return command.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
