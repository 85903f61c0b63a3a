-- SPDX-License-Identifier: Apache-2.0
-- What the scripts of a read-write lock do alike. KEYS: 1 the lock, 2 what the names of readers' leases begin with.
-- growLease(key, lease): the lease of a key may grow, never shrink.
local function growLease(key, lease)
  if redis.call('PTTL', key) < tonumber(lease) then
    redis.call('PEXPIRE', key, lease)
  end
end
local function readerLease(reader, entry)
  return KEYS[2] .. reader .. ':rwlock_timeout:' .. entry
end
-- keepReader(reader, count, lease): each of his entries has a lease of its own, and the lock outlives them all.
local function keepReader(reader, count, lease)
  for entry = 1, count do
    local key = readerLease(reader, entry)
    if redis.call('PTTL', key) < tonumber(lease) then
      redis.call('SET', key, '1', 'PX', lease)
    end
  end
  growLease(KEYS[1], lease)
end
local function dropReader(reader, count)
  redis.call('HDEL', KEYS[1], reader)
  for entry = 1, count do
    redis.call('DEL', readerLease(reader, entry))
  end
end
-- onlyHolder(): his field, where there is one alone.
local function onlyHolder()
  if redis.call('HLEN', KEYS[1]) ~= 2 then
    return false
  end
  local fields = redis.call('HKEYS', KEYS[1])
  return fields[1] == 'mode' and fields[2] or fields[1]
end
-- writerGone(owner, channel, publish): takes the writer's field away; his own reads go on, and other readers may join them. Tells all by
-- the command `publish`: "1" wakes whoever sleeps in Redisson's clients, "0" stays for one who has begun to listen and does not sleep yet.
local function writerGone(owner, channel, publish)
  redis.call('HDEL', KEYS[1], owner .. ':write')
  if redis.call('HLEN', KEYS[1]) == 1 then
    redis.call('DEL', KEYS[1])
  else
    redis.call('HSET', KEYS[1], 'mode', 'read')
  end
  local listeners = redis.pcall(publish, channel, '1')
  if type(listeners) == 'number' and listeners > 0 then
    redis.pcall(publish, channel, '0')
  end
end
