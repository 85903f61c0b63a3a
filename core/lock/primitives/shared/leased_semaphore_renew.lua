-- SPDX-License-Identifier: Apache-2.0
-- Renews the leases of one holder's permits of a semaphore; the other holders' leases are their own.
-- KEYS: 1 the holders, 2 the capacity. ARGV: 1 the owner's token, 2 the lease in ms, 3 the number of permits.
-- 1. No such key: answer -1. It is never made again: somebody may have decided that it shall be free.
-- 2. No permit of ours, or its lease has ended: answer 0, nothing is changed.
-- 3. Ours: let their leases run anew; the keys last at least as long; answer 1.
-- use shared_lease
if redis.call('EXISTS', KEYS[1]) == 0 then
  return -1
end
local now = serverTime()
local till = redis.call('ZSCORE', KEYS[1], ARGV[1] .. '/1')
if not till or tonumber(till) <= now then
  return 0
end
for i = 1, tonumber(ARGV[3]) do
  redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1] .. '/' .. i)
end
for i = 1, 2 do
  keepAtLeast(KEYS[i], ARGV[2])
end
return 1
