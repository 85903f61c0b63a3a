# SPDX-License-Identifier: Apache-2.0
"""python-redis-lock behind the line protocol of foreign.h. Its keys are "lock:" and the name."""
import logging
import sys
import time

import redis
import redis_lock

from line_protocol import serve

logging.getLogger("redis_lock").setLevel(logging.ERROR)  # it warns of every refusal
SERVER = redis.Redis(host="127.0.0.1", port=int(sys.argv[1]))
HELD = {}


def answer(owner, kind, verb, name, lease=None, limit=None):
    assert kind == "lock", kind
    if verb == "who":
        return f"ok {time.monotonic_ns()} {HELD[(owner, name)].id}"
    if verb == "give":
        before = time.monotonic_ns()
        try:
            HELD.pop((owner, name)).release()
        except (KeyError, redis_lock.NotAcquired):
            return "no"
        return f"ok {before}"
    seconds = -(-int(lease) // 1000)  # whole ones, and the wait must not be longer than it
    lock = redis_lock.Lock(SERVER, name, expire=seconds)
    waits = verb == "wait"
    if not lock.acquire(blocking=waits, timeout=-(-int(limit) // 1000) if waits else None):
        return "no"
    HELD[(owner, name)] = lock
    return f"ok {time.monotonic_ns()}"


serve(answer)
