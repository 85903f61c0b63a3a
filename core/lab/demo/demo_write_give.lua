-- SPDX-License-Identifier: Apache-2.0
-- The writer leaves a Redisson read-write lock and wakes every reader and writer that waits. KEYS: lock. ARGV: writer, channel.
if redis.call('hexists', KEYS[1], ARGV[1] .. ':write') == 0 then return 0 end
redis.call('del', KEYS[1])
redis.call('publish', ARGV[2], '1')
return 1
