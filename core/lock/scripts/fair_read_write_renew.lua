-- SPDX-License-Identifier: Apache-2.0
-- Renews one holder's lease of a read-write lock; the other holders' leases are their own.
-- KEYS: 1 the holders. ARGV: 1 the owner's token, 2 the lease in ms, 3 the kind.
-- 1. No such key: answer -1. It is never made again: somebody may have decided that it shall be free.
-- 2. No hold of ours, or its lease has ended: answer 0, nothing is changed.
-- 3. Ours: let its lease run anew; the key lasts at least as long; answer 1.
local member = ARGV[3] .. '/' .. ARGV[1]
if redis.call('EXISTS', KEYS[1]) == 0 then
  return -1
end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local till = redis.call('ZSCORE', KEYS[1], member)
if not till or tonumber(till) <= now then
  return 0
end
redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[2]), member)
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1
