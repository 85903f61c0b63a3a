-- SPDX-License-Identifier: Apache-2.0
-- Renews the lease of a mutex.
-- KEYS: 1 the lock. ARGV: 1 the holder's token, 2 the lease in ms.
-- 1. No such key: answer -1. It is never made again: somebody may have decided that it shall be free.
-- 2. Ours: let the lease run anew; answer 1.
-- 3. Somebody else's: answer 0, nothing is changed.
local holder = redis.call('GET', KEYS[1])
if not holder then
  return -1
end
if holder == ARGV[1] then
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0
