-- SPDX-License-Identifier: Apache-2.0
-- Releases a lock whose waiters block on a list.
-- KEYS: 1 the lock, 2 the signal. ARGV: 1 the holder's token.
-- 1. Somebody else's or no key: answer 0, nothing is changed.
-- 2. Ours: delete it and push one signal, which wakes the client that has blocked for longest; it lapses after a second if nobody
--    does, so that it cannot pile up. Answer 1.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('LPUSH', KEYS[2], '1')
redis.call('PEXPIRE', KEYS[2], 1000)
return 1
