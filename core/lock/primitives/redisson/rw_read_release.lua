-- SPDX-License-Identifier: Apache-2.0
-- Gives up a reader's hold of a read-write lock, or one count of it.
-- KEYS: 1 the lock, 2 what the names of readers' leases begin with. ARGV: 1 the lease in ms, 2 the owner, 3 the count to be left,
-- 4 the channel, 5 the command that publishes.
-- 1. No reader of ours. But still the writer who was to be a reader: he gives that up as 3. in the writer's script. Else answer -1.
-- 2. Something is to be left: lower the count to it and drop the leases of the entries above; answer what is left.
-- 3. Nothing is to be left: drop the reader and his leases. He was the last holder: delete the lock and publish "0", Redisson's word
--    for free. A user without the right to publish has released it all the same. Answer 0.
-- use rw_lock
local count = redis.call('HGET', KEYS[1], ARGV[2])
local left = tonumber(ARGV[3])
if not count then
  if left > 0 or redis.call('HEXISTS', KEYS[1], ARGV[2] .. ':write') == 0 then
    return -1
  end
  writerGone(ARGV[2], ARGV[4], ARGV[5])
  return 0
end
if left > 0 then
  for entry = left + 1, tonumber(count) do
    redis.call('DEL', readerLease(ARGV[2], entry))
  end
  if tonumber(count) > left then
    redis.call('HSET', KEYS[1], ARGV[2], left)
  end
  keepReader(ARGV[2], left, ARGV[1])
  return left
end
dropReader(ARGV[2], tonumber(count))
if redis.call('HLEN', KEYS[1]) == 1 then
  redis.call('DEL', KEYS[1])
  redis.pcall(ARGV[5], ARGV[4], '0')
end
return 0
