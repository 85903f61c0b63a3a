# SPDX-License-Identifier: Apache-2.0
"""The Lock of redis-py behind the line protocol of foreign.h."""
import sys
import time

import redis
from redis.exceptions import LockError

from line_protocol import serve

SERVER = redis.Redis(host="127.0.0.1", port=int(sys.argv[1]))
HELD = {}


def answer(owner, kind, verb, name, lease=None, limit=None):
    assert kind == "lock", kind
    if verb == "who":
        return f"ok {time.monotonic_ns()} {HELD[(owner, name)].local.token.decode()}"
    if verb == "give":
        before = time.monotonic_ns()
        try:
            HELD.pop((owner, name)).release()
        except (KeyError, LockError):
            return "no"
        return f"ok {before}"
    lock = SERVER.lock(name, timeout=int(lease) / 1000)
    waits = verb == "wait"
    if not lock.acquire(blocking=waits, blocking_timeout=int(limit) / 1000 if waits else None):
        return "no"
    HELD[(owner, name)] = lock
    return f"ok {time.monotonic_ns()}"


serve(answer)
