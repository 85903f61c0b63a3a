-- SPDX-License-Identifier: Apache-2.0
-- Releases a lock whose holder lies in one key and the end of his hold in another.
-- KEYS[1] the holder · KEYS[2] the end · ARGV[1] the holder that the operator saw · ARGV[2] nothing, or of a longer one its length and SHA-1 ·
-- ARGV[3] the end that the operator saw, in whole seconds, or nothing.
-- 1. No key: already free. Not a string: not this lock any more.
-- 2. Another value: changed; the reply tells whose it is now. A value of another length is not even read whole.
-- 3. The second is the end of this hold only if it is a time in unix seconds without a lease of its own, as the library writes it: then
--    both are deleted. Another end than was seen, or none: he has acquired it again since, or lengthened it; changed. Whatever else lies under that
--    name is somebody else's, perhaps his lock: it is left, and the reply names it.
-- use compare_token
local beside = redis.call('TYPE', KEYS[2]).ok
local isEnd = beside == 'string' and redis.call('PTTL', KEYS[2]) == -1 and string.find(redis.call('GETRANGE', KEYS[2], 0, 31), '^[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][.]?[0-9]*$')
if isEnd then
  if ARGV[3] ~= '' and string.match(redis.call('GETRANGE', KEYS[2], 0, 31), '^[0-9]+') ~= ARGV[3] then
    return {'changed', ARGV[1], '', 'again'}
  end
  redis.call('DEL', KEYS[1], KEYS[2])
  return {'released'}
end
if ARGV[3] ~= '' and beside == 'none' then
  return {'changed', ARGV[1], '', 'again'}
end
redis.call('DEL', KEYS[1])
return {'released', '', '', '', beside ~= 'none' and KEYS[2] or ''}
