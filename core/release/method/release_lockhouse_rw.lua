-- SPDX-License-Identifier: Apache-2.0
-- Takes one holder out of a read-write lock of Lockhouse's as he would himself, and lets in who may enter then.
-- KEYS: 1 the holders, 2 the queue, 3 the clients' deadlines, 4 what a semaphore would have: goes with the last holder. ARGV: 1 the member that the operator saw.
-- 1. No key: already free. Another type: not this lock any more.
-- 2. The holder is not in it: changed.
-- 3. The user may not do all that follows: nothing is changed.
-- 4. Take him out. One of the keys beside it is of another type, or the queue holds what is no waiter: that is left, and the reply names it.
-- 5. Forget holders whose leases have ended; let the first of the queue in as long as they fit and tell their inboxes; what nobody needs
--    any more is deleted.
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then
  return {'already-free'}
elseif kind ~= 'zset' then
  return {'not-a-lock', kind}
elseif not redis.call('ZSCORE', KEYS[1], ARGV[1]) then
  return {'changed'}
end
local members = {ARGV[1]}
-- use told_by_inbox
-- use shared_lease
-- use readers
-- use shared_line
local function holdsNow(asked)
  return asked('ZCARD', KEYS[1])
end
-- use let_waiters_in
