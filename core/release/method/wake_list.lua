-- SPDX-License-Identifier: Apache-2.0
-- Wakes one who waits, blocked on a list, for a lock that was released just now by a script of its own, in another slot of a cluster.
-- KEYS[1] the list · ARGV[1] what is pushed · ARGV[2] how long it lasts in ms; 0 = until it is taken · ARGV[3] "may" where it only may be that
-- library's.
-- 1. It holds something else: nobody can be blocked on it, and it is left.
-- 2. It only may be the library's, and something lies in it: it is left, for nobody can be blocked on it, and it may be anybody's.
-- 3. The user may not do all that follows: nothing is changed. (Redis before 7 cannot be asked beforehand.)
-- 4. Leave exactly one element in it: one waiter wakes, and one that comes too late finds it. A wake-up too many does no harm.
local kind = redis.call('TYPE', KEYS[1]).ok
if kind ~= 'none' and kind ~= 'list' then
  return {'not-a-lock', kind}
elseif kind == 'list' and ARGV[3] == 'may' then
  return {'released'}
elseif redis.acl_check_cmd and not (redis.acl_check_cmd('DEL', KEYS[1]) and redis.acl_check_cmd('LPUSH', KEYS[1], ARGV[1]) and
    redis.acl_check_cmd('PEXPIRE', KEYS[1], ARGV[2])) then
  return redis.error_reply('NOPERM this user may not push to the list by which waiters are woken, or let it lapse')
end
redis.call('DEL', KEYS[1])
redis.call('LPUSH', KEYS[1], ARGV[1])
if ARGV[2] ~= '0' then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return {'released'}
