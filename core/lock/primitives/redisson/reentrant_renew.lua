-- SPDX-License-Identifier: Apache-2.0
-- Renews the lease of a reentrant lock.
-- KEYS: 1 the lock. ARGV: 1 the lease in ms, 2 the owner's field.
-- 1. Ours: let the lease run anew; answer 1.
-- 2. Somebody else's: answer 0, nothing is changed.
-- 3. No such key: answer -1. It is never made again: somebody may have decided that it shall be free.
if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 1 then
  return redis.call('PEXPIRE', KEYS[1], ARGV[1])
end
return redis.call('EXISTS', KEYS[1]) - 1
