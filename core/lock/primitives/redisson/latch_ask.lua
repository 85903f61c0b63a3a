-- SPDX-License-Identifier: Apache-2.0
-- Asks whether a latch is open. Data as Redisson's RCountDownLatch has it: a counter, which is deleted at zero.
-- KEYS: 1 the counter.
-- 1. No counter, or nothing left to count: answer {1, 1000000}: all who wait may go on.
-- 2. Not a number: answer an error.
-- 3. Answer {0, the counter's time left in ms, or -1}.
local left = redis.call('GET', KEYS[1])
if not left then
  return {1, 1000000}
end
if not tonumber(left) then
  return redis.error_reply('ERR the key holds no count')
end
if tonumber(left) <= 0 then
  return {1, 1000000}
end
return {0, redis.call('PTTL', KEYS[1])}
