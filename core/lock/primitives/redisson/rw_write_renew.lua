-- SPDX-License-Identifier: Apache-2.0
-- Renews the lease of the writer of a read-write lock.
-- KEYS: 1 the lock, 2 unused here, the same for all scripts of this lock. ARGV: 1 the lease in ms, 2 the owner, 3 the channel, unused.
-- 1. The writer: the lease may grow, never shrink, since he may read with a longer one; answer 1.
-- 2. Somebody else's: answer 0, nothing is changed. No such key: answer -1; it is never made again.
-- use rw_lock
if redis.call('HEXISTS', KEYS[1], ARGV[2] .. ':write') == 0 then
  return redis.call('EXISTS', KEYS[1]) - 1
end
growLease(KEYS[1], ARGV[1])
return 1
