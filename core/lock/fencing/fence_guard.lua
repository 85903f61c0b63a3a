-- SPDX-License-Identifier: Apache-2.0
-- The resource's side of a fence, where the resource is in Redis: a write passes only if its fence is not older than the highest seen.
-- KEYS: 1 the mark, which holds the highest fence; 2 the value's key, left out if only the mark is to be checked and raised. On a
-- cluster both need one hash tag.
-- ARGV: 1 the fence, in decimal digits; 2 how long the mark is kept after its last write, in ms, 0 = for ever; 3 the value.
-- 1. A fence that is no number of at most 20 digits without leading zeros, or a mark that is none, is an error; nothing is changed.
-- 2. Compare by the number of digits, then digit by digit: Lua's numbers would round beyond 2^53.
-- 3. Older than the mark: answer {0, the mark}; nothing is changed.
-- 4. Else raise the mark, write the value if there is one, and answer {1, the fence}. The same fence passes again: one holder may
--    write often.
local function isFence(text)
  return #text <= 20 and (text == '0' or string.match(text, '^[1-9][0-9]*$') ~= nil)
end
local fence, life = ARGV[1], ARGV[2]
if not isFence(fence) then
  return redis.error_reply('ERR the fence is no decimal number')
end
local mark = redis.call('GET', KEYS[1]) or '0'
if not isFence(mark) then
  return redis.error_reply('ERR the key of the mark holds something else')
end
if #fence < #mark or (#fence == #mark and fence < mark) then
  return {0, mark}
end
if life == '0' then
  redis.call('SET', KEYS[1], fence)
else
  redis.call('SET', KEYS[1], fence, 'PX', life)
end
if KEYS[2] then
  redis.call('SET', KEYS[2], ARGV[3])
end
return {1, fence}
