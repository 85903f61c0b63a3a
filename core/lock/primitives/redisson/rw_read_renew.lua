-- SPDX-License-Identifier: Apache-2.0
-- Renews the leases of a reader of a read-write lock, and of nobody else.
-- KEYS: 1 the lock, 2 what the names of readers' leases begin with. ARGV: 1 the lease in ms, 2 the owner, 3 the channel, 4 the
-- command that publishes.
-- 1. He is still the writer, and is to be a reader from now on: with as many counts as he had. Tell all, since readers may come in.
-- 2. A reader: let the leases of all his entries run anew; answer 1.
-- 3. Somebody else's: answer 0, nothing is changed. No such key: answer -1; it is never made again.
-- use rw_lock
local written = redis.call('HGET', KEYS[1], ARGV[2] .. ':write')
local count = redis.call('HGET', KEYS[1], ARGV[2])
if written and not count then
  count = written
  redis.call('HSET', KEYS[1], ARGV[2], count)
  writerGone(ARGV[2], ARGV[3], ARGV[4])
end
if not count then
  return redis.call('EXISTS', KEYS[1]) - 1
end
keepReader(ARGV[2], tonumber(count), ARGV[1])
return 1
