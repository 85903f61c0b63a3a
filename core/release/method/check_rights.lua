-- SPDX-License-Identifier: Apache-2.0
-- Tells which of some commands this user may not run. Runs none of them.
-- ARGV: for each command how many words it has, then these words.
-- 1. A server before Redis 7 cannot be asked: nothing is told.
-- 2. Ask for each, with its keys and channels; the reply has the numbers of those that are refused, from 1, among them those that the server knows
--    by another name.
local refused = {}
local at, number = 1, 0
while redis.acl_check_cmd and at < #ARGV do
  local words = tonumber(ARGV[at])
  number = number + 1
  local isKnown, may = pcall(redis.acl_check_cmd, unpack(ARGV, at + 1, at + words))
  if not (isKnown and may) then
    refused[#refused + 1] = number
  end
  at = at + words + 1
end
return refused
