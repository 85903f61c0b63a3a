-- SPDX-License-Identifier: Apache-2.0
-- Takes a read-write lock as its writer, or once more. The data are as rw_read_acquire says.
-- KEYS: 1 the lock, 2 what the names of readers' leases begin with. ARGV: 1 the lease in ms, 2 the owner, 3 the count wanted.
-- 1. The writer already: raise the count to the wanted one, unless this ask arrived before; the lease may grow, never shrink; answer
--    {1, 0}.
-- 2. Not the writer, but a re-entry is wanted: the hold is lost; answer 0.
-- 3. Read by others: drop the readers of whose leases none is left. They ended without a word, and other readers kept the lock alive.
-- 4. Nobody is left: take it with count 1 and the lease; answer {1, 0}.
-- 5. Answer {0, time left in ms, holder where there is one alone}.
-- use rw_lock
local wanted = tonumber(ARGV[3])
local field = ARGV[2] .. ':write'
local count = redis.call('HGET', KEYS[1], field)
if count then
  if tonumber(count) < wanted then
    redis.call('HSET', KEYS[1], field, ARGV[3])
  end
  growLease(KEYS[1], ARGV[1])
  return {1, 0}
end
if wanted > 1 then
  return 0
end
local function lives(reader, entries)
  for entry = entries, 1, -1 do
    if redis.call('EXISTS', readerLease(reader, entry)) == 1 then
      return true
    end
  end
  return false
end
if redis.call('HGET', KEYS[1], 'mode') == 'read' then
  local fields = redis.call('HGETALL', KEYS[1])
  for i = 1, #fields, 2 do
    local entries = tonumber(fields[i + 1])
    if fields[i] ~= 'mode' and entries and not lives(fields[i], entries) then
      redis.call('HDEL', KEYS[1], fields[i])
    end
  end
  if redis.call('HLEN', KEYS[1]) == 1 then
    redis.call('DEL', KEYS[1])
  end
end
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('HSET', KEYS[1], 'mode', 'write', field, 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  return {1, 0}
end
return {0, redis.call('PTTL', KEYS[1]), onlyHolder()}
