-- SPDX-License-Identifier: Apache-2.0
-- One try of a Redisson client for a fair lock, joining its queue when it is not its turn.
-- KEYS: lock, queue (list), deadlines (sorted set). ARGV: owner, lease ms, wait ms, now ms.
-- 0. Mine already: nothing to do. Answer 0.
-- 1. Waiters whose deadline has passed leave the head of the queue.
-- 2. Free and mine to take (queue empty, or I am its head): leave the queue, bring the deadlines of the others forward by one
--    wait, hold the lock for one lease. Answer 1.
-- 3. Otherwise join the queue once, one wait behind the waiter in front (behind the lease if there is none). Answer 0.
if redis.call('hexists', KEYS[1], ARGV[1]) == 1 then return 0 end
while true do
  local head = redis.call('lindex', KEYS[2], 0)
  if not head then break end
  local deadline = redis.call('zscore', KEYS[3], head)
  if deadline and tonumber(deadline) > tonumber(ARGV[4]) then break end
  redis.call('lpop', KEYS[2])
  redis.call('zrem', KEYS[3], head)
end
local head = redis.call('lindex', KEYS[2], 0)
if redis.call('exists', KEYS[1]) == 0 and (not head or head == ARGV[1]) then
  if head then
    redis.call('lpop', KEYS[2])
    redis.call('zrem', KEYS[3], head)
  end
  for _, other in ipairs(redis.call('zrange', KEYS[3], 0, -1)) do
    redis.call('zincrby', KEYS[3], -tonumber(ARGV[3]), other)
  end
  redis.call('hset', KEYS[1], ARGV[1], 1)
  redis.call('pexpire', KEYS[1], ARGV[2])
  return 1
end
if not redis.call('zscore', KEYS[3], ARGV[1]) then
  local last = redis.call('lindex', KEYS[2], -1)
  local front = last and tonumber(redis.call('zscore', KEYS[3], last)) or tonumber(ARGV[4]) + math.max(redis.call('pttl', KEYS[1]), 0)
  redis.call('zadd', KEYS[3], front + tonumber(ARGV[3]), ARGV[1])
  redis.call('rpush', KEYS[2], ARGV[1])
end
return 0
