-- SPDX-License-Identifier: Apache-2.0
-- Takes a mutex, or tells who has it. The first ask of an acquire is a plain SET NX PX; this one is for those after it.
-- KEYS: 1 the lock. ARGV: 1 the asker's token, 2 the lease in ms.
-- 1. Set the token with its lease if there is no such key; answer 1.
-- 2. The token is there already, so this ask arrived before: answer 1 and leave the lease as it is.
-- 3. Somebody else's: answer {time left in ms, the first 256 bytes of his token}; without the token if the key is no string.
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
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
