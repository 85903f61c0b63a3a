-- SPDX-License-Identifier: Apache-2.0
-- Wakes one who waits, blocked on a list, for a lock that lies in another slot of a cluster and was released just now.
-- KEYS[1] the list · ARGV[1] what is pushed · ARGV[2] how long it lasts in ms; 0 = until it is taken.
-- 1. It holds something else: nobody can be blocked on it, and it is left.
-- 2. Leave exactly one element in it: one waiter wakes, and one that comes too late finds it. A wake-up too many does no harm.
local kind = redis.call('TYPE', KEYS[1]).ok
if kind ~= 'none' and kind ~= 'list' then
  return {'not-a-lock', kind}
end
redis.call('DEL', KEYS[1])
redis.call('LPUSH', KEYS[1], ARGV[1])
if ARGV[2] ~= '0' then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return {'released'}
