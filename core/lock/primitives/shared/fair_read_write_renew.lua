-- SPDX-License-Identifier: Apache-2.0
-- Renews one holder's lease of a read-write lock; the other holders' leases are their own. Or makes a reader of him.
-- KEYS: 1 the holders, 2 the queue, 3 the clients' deadlines, 4 the capacity. ARGV: 1 the owner's token, 2 the lease in ms, 3 what he is:
-- w the writer, r a reader from now on, whatever he was, u a reader who becomes the writer and may be it by now; the numbers 4 and 5 of the
-- first and the last upgrade of his that may count.
-- 1. No hold of that sort is ours, or its lease has ended: answer 0; no such key: answer -1. It is never made again: somebody may have
--    decided that it shall be free.
-- 2. Let its lease run anew; the key lasts at least as long.
-- 3. A reader from now on: he gives up the places of his upgrades, and what he was as the writer. If there was any such thing, let the first
--    of the queue in as long as they fit.
-- 4. Answer 1.
-- use shared_lease
-- use readers
-- use shared_line
local now, instant = serverTime()
local reader, writers = 'r/' .. ARGV[1], numbered('w', ARGV[1], ARGV[4], ARGV[5])
local function lives(member)
  return tonumber(redis.call('ZSCORE', KEYS[1], member) or 0) > now and member
end
local held = ARGV[3] ~= 'w' and lives(reader)
for i = #writers, ARGV[3] == 'w' and #writers or 1, -1 do -- of the writer only the last one is believed in
  held = held or lives(writers[i])
end
if not held then
  return redis.call('EXISTS', KEYS[1]) - 1
end
local reads = ARGV[3] == 'r'
redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[2]), reads and reader or held)
keepAtLeast(KEYS[1], ARGV[2])
local letsIn = reads and ARGV[5] ~= '0' and redis.call('ZREM', KEYS[2], unpack(numbered('u', ARGV[1], ARGV[4], ARGV[5]))) > 0
if reads and held ~= reader then
  redis.call('ZREM', KEYS[1], held)
  letsIn = true
end
if letsIn and look(now) and letHeadsIn(now, instant, nil, {}) then
  redis.call('DEL', KEYS[3])
end
return 1
