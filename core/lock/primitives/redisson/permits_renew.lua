-- SPDX-License-Identifier: Apache-2.0
-- Renews the lease of permits of a semaphore.
-- KEYS: 1 the counter, 2 the permits that are out, 3 how many there are, where we made the counter.
-- ARGV: 1 the lease in ms, 2 and following the ids of our permits.
-- 1. No counter: answer -1. It is never made again: somebody may have decided that it shall be no more.
-- 2. Ours are not out any more, they lapsed and were taken back: answer 0, nothing is changed.
-- 3. Let their lease run anew; answer 1.
-- use redisson_permits
if not redis.call('GET', KEYS[1]) then
  return -1
end
if not redis.call('ZSCORE', KEYS[2], ARGV[2]) then
  return 0
end
hold(2, serverTime() + tonumber(ARGV[1]))
return 1
