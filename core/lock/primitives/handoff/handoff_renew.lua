-- SPDX-License-Identifier: Apache-2.0
-- Renews the lease of a handoff lock.
-- KEYS: 1 the lock. ARGV: 1 the owner's token, 2 the lease in ms.
-- 1. No such key: answer -1. It is never made again: somebody may have decided that it shall be free.
-- 2. Ours: let the lease run anew; answer 1.
-- 3. Somebody else's: answer 0, nothing is changed.
local held = redis.call('GET', KEYS[1])
if not held then
  return -1
end
local mine = ARGV[1] .. ':'
if string.sub(held, 1, #mine) == mine then
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0
