-- SPDX-License-Identifier: Apache-2.0
-- Closes a latch.
-- KEYS: 1 the counter. ARGV: 1 the count, 2 the channel, 3 the command that publishes.
-- 1. There is a counter already: answer 0, nothing is changed.
-- 2. Make it, publish "1", Redisson's word for a new count; answer 1.
if redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1])
redis.pcall(ARGV[3], ARGV[2], '1')
return 1
