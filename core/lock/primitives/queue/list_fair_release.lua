-- SPDX-License-Identifier: Apache-2.0
-- Gives up a lock whose waiters stand in a list, or a place in it.
-- KEYS: 1 the lock, 2 the line, 3 the clients' deadlines. ARGV: 1 the owner's token, 2 the owner's client.
-- 1. Ours: delete it. Not ours: give up our place; no place: answer 0.
-- 2. Drop the heads of the line whose clients did not renew their deadlines; nobody is left: delete the deadlines, answer 1.
-- 3. The lock is free: tell the head that its turn has come; answer {1, its number, 0} if it is of this client, else 1.
-- use queue_places
if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
else
  if redis.call('LREM', KEYS[2], 1, ARGV[1]) == 0 then
    return 0
  end
end
local head = redis.call('LINDEX', KEYS[2], 0)
while head and clientOf(head) and timeLeft(redis.call('HGET', KEYS[3], clientOf(head)), serverTime()) == 0 do
  redis.call('LPOP', KEYS[2])
  head = redis.call('LINDEX', KEYS[2], 0)
end
if not head then
  redis.call('DEL', KEYS[3])
  return 1
end
local number = clientOf(head) and redis.call('EXISTS', KEYS[1]) == 0 and wake(head, ARGV[2], 'ListFairLock')
if number then
  return {1, number, '0'}
end
return 1
