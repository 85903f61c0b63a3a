# SPDX-License-Identifier: Apache-2.0
"""The line protocol of foreign.h for the libraries of Python: each owner is a thread of its own."""
import queue
import sys
import threading

_writing = threading.Lock()


def _say(line):
    with _writing:
        print(line, flush=True)


def _serve_owner(owner, asked, answer):
    while True:
        words = asked.get()
        if words is None:
            return
        try:
            _say(f"{owner} {answer(owner, *words)}")
        except Exception as error:  # whatever the library raises is for the test to read
            _say(f"{owner} error {type(error).__name__} {' '.join(str(error).split())}")


def serve(answer):
    """Calls `answer(owner, kind, verb, name, ...)` for each line, on the owner's thread, and writes what it returns."""
    owners = {}
    _say("ready")
    for line in sys.stdin:
        owner, *words = line.split()
        if owner not in owners:
            owners[owner] = queue.Queue()
            threading.Thread(target=_serve_owner, args=(owner, owners[owner], answer), daemon=True).start()
        owners[owner].put(words)
