-- SPDX-License-Identifier: Apache-2.0
-- Releases a mutex and tells those who listen.
-- KEYS: 1 the lock, 2 the listeners. ARGV: 1 the holder's token, 2 the holder as "client:number".
-- 1. Somebody else's or no key: whoever gave up listens no more; answer 1 if it did, 0 if nothing was changed.
-- 2. Ours: delete it, then tell the inboxes of all who listen, but for those of the holder's own client, which knows. A user without the
--    right to publish has released it all the same. At most 1024 are told, those who asked last first; the others at the next
--    release or by their polls. Answer 1.
if redis.pcall('GET', KEYS[1]) ~= ARGV[1] then
  return redis.pcall('ZREM', KEYS[2], ARGV[2]) == 1 and 1 or 0
end
redis.call('DEL', KEYS[1])
local own = string.match(ARGV[2], '^(.*):')
local listeners = redis.pcall('ZPOPMAX', KEYS[2], 1024)
for i = 1, #listeners, 2 do
  local client, number = string.match(listeners[i], '^(.*):([0-9]+)$')
  if client and client ~= own then
    redis.pcall('PUBLISH', 'lockhouse:inbox:' .. client, 'Mutex ' .. number .. ' 0 ' .. KEYS[1])
  end
end
return 1
