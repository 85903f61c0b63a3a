-- SPDX-License-Identifier: Apache-2.0
-- Takes a lock whose waiters block on a list, or tells who has it.
-- KEYS: 1 the lock, 2 the signal. ARGV: 1 the asker's token, 2 the lease in ms.
-- 1. Free: take it, and clear a signal that nobody waited for; answer 1.
-- 2. Ours already, by an ask that arrived before: answer 1 and leave the lease as it is.
-- 3. Somebody else's: answer {time left in ms, the first 256 bytes of his token}; without the token if the key is no string.
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  redis.call('DEL', KEYS[2])
  return 1
end
local holder = redis.pcall('GETRANGE', KEYS[1], 0, 255)
if holder == ARGV[1] then
  return 1
end
local left = redis.call('PTTL', KEYS[1])
if type(holder) ~= 'string' then
  return {left}
end
return {left, holder}
