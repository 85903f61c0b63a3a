-- SPDX-License-Identifier: Apache-2.0
-- Takes a read-write lock as a reader, or once more. Data as Redisson's read-write lock has it: a hash with the field mode, one field for
-- each reader → count and one for the writer, owner:write → count; beside it a key for each entry of a reader, with that entry's lease.
-- KEYS: 1 the lock, 2 what the names of readers' leases begin with. ARGV: 1 the lease in ms, 2 the owner, 3 the count wanted.
-- 1. A reader already: raise the count to the wanted one, unless this ask arrived before; all his leases may grow, never shrink;
--    answer {1, 0}.
-- 2. None, but a re-entry is wanted: the hold is lost; answer 0.
-- 3. Free, read by others, or written by ourselves: join with count 1; answer {1, 1000000}: there is room for any number of readers.
-- 4. Written by somebody else, or no read-write lock: answer {0, time left in ms, holder where there is one alone}.
-- use rw_lock
local wanted = tonumber(ARGV[3])
local count = tonumber(redis.call('HGET', KEYS[1], ARGV[2]) or 0)
if count == 0 and wanted > 1 then
  return 0
end
local mode = redis.call('HGET', KEYS[1], 'mode')
local joins = mode == 'read' or (not mode and redis.call('EXISTS', KEYS[1]) == 0)
if not joins and mode == 'write' then
  joins = redis.call('HEXISTS', KEYS[1], ARGV[2] .. ':write') == 1
end
if count == 0 and not joins then
  return {0, redis.call('PTTL', KEYS[1]), onlyHolder()}
end
if not mode then
  redis.call('HSET', KEYS[1], 'mode', 'read')
end
if count < wanted then
  redis.call('HSET', KEYS[1], ARGV[2], wanted)
end
keepReader(ARGV[2], math.max(count, wanted), ARGV[1])
return {1, count == 0 and 1000000 or 0}
