-- SPDX-License-Identifier: Apache-2.0
-- Releases a token mutex whose waiters are blocked on a list.
-- KEYS[1] the lock · KEYS[2] the list
-- ARGV[1] the token that the operator saw · ARGV[2] nothing, or of a longer one its length and SHA-1
-- ARGV[3] what is pushed · ARGV[4] how long it lasts in ms; 0 = until it is taken.
-- 1. No key: already free. Not a string: not this lock any more.
-- 2. Another value: changed; the reply tells whose it is now. A value of another length is not even read whole.
-- 3. The list holds something else: nobody can be blocked on it. It is left, and the reply names it; the lock alone is deleted.
-- 4. The user may not do all that follows: nothing is changed, since nobody could be woken. Redis before 7 cannot be asked beforehand: there
--    the push comes first, since a wake-up too many does no harm, and before it the lease of what is pushed.
-- 5. Leave exactly one element in the list, and delete the lock: one waiter wakes, and one that comes too late finds it.
-- use compare_token
local list = redis.call('TYPE', KEYS[2]).ok
if list ~= 'none' and list ~= 'list' then
  redis.call('DEL', KEYS[1])
  return {'released', '', '', '', KEYS[2]}
end
if redis.acl_check_cmd and not redis.acl_check_cmd('DEL', KEYS[1]) then
  return redis.error_reply('NOPERM this user may not run DEL on the lock; nothing was changed')
elseif redis.acl_check_cmd and not (redis.acl_check_cmd('LPUSH', KEYS[2], ARGV[3]) and redis.acl_check_cmd('DEL', KEYS[2]) and
    redis.acl_check_cmd('PEXPIRE', KEYS[2], ARGV[4])) then
  return redis.error_reply('NOPERM this user may not push to the list by which waiters are woken, or let it lapse; nothing was changed')
end
if not redis.acl_check_cmd and ARGV[4] ~= '0' then
  redis.call('PEXPIRE', KEYS[2], ARGV[4])
end
redis.call('DEL', KEYS[2])
redis.call('LPUSH', KEYS[2], ARGV[3])
if ARGV[4] ~= '0' then
  redis.call('PEXPIRE', KEYS[2], ARGV[4])
end
redis.call('DEL', KEYS[1])
return {'released'}
