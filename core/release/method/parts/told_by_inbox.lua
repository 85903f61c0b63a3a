-- SPDX-License-Identifier: Apache-2.0
-- What the releases of Lockhouse's own locks do alike. From here on `redis` remembers whom it tells: the parts of the locks' own scripts
-- publish to the inbox of a waiter's client.
-- told: "client:number" of each who was told; heard: how many clients heard it.
-- released(left): the answer, with a key beside the lock that was left.
-- otherType(types): the first of KEYS 2 and following that holds something else than these types; nothing if none does.
-- mayNot(commands): an error where the user may not run one of them, or may not publish to the inbox of one of the first hundred of `queue`,
-- KEYS 2. Redis before 7 cannot be asked beforehand: there each is tried on a key that is not there, where it changes nothing (that the user may use
-- KEYS, EVAL itself has asked), and whoever may not be told asks by himself.
local told, heard = {}, 0
local server = redis
local redis = setmetatable({pcall = function(command, channel, message, ...)
  local answer = server.pcall(command, channel, message, ...)
  if command == 'PUBLISH' then
    told[#told + 1] = string.match(channel, '^lockhouse:inbox:(.*)$') .. ':' .. string.match(message, '^%w+ ([0-9]+)')
    heard = heard + (tonumber(answer) or 0)
  end
  return answer
end}, {__index = server})
local function otherType(types)
  for i, wanted in ipairs(types) do
    local kind = redis.call('TYPE', KEYS[i + 1]).ok
    if kind ~= 'none' and kind ~= wanted then
      return KEYS[i + 1]
    end
  end
end
local function absentKey()
  local key = KEYS[2] .. ':' -- of the same slot
  while redis.call('TYPE', key).ok ~= 'none' do
    key = key .. ':'
  end
  return key
end
local harmless = {ZADD = {'XX', '0', ''}, SET = {'0', 'XX', 'PX', '1'}, DEL = {}}
local function isRefusedAt(absent, command)
  local name, key = command[1], command[2] and absent
  local answer = name ~= 'PUBLISH' and server.pcall(name, key, unpack(harmless[name] or {unpack(command, 3)}))
  local why = type(answer) == 'table' and answer.err or ''
  return string.find(why, 'run this command', 1, true) or string.find(why, 'permissions to run', 1, true)
end
local function mayNot(commands, queue)
  local inboxes = {}
  local waiters = {}
  if queue == 'list' then
    waiters = redis.call('LRANGE', KEYS[2], 0, 99)
  elseif queue == 'zset' then
    waiters = redis.call('ZRANGE', KEYS[2], 0, 99)
  end
  for _, waiter in ipairs(waiters) do
    local token = string.match(waiter, '^(.*):[0-9]+$') -- anchored: of what is no waiter, and long, it takes no more than one walk
    local client = token and (string.match(token, '^.*/(.*)$') or token)
    if client and not inboxes[client] then
      inboxes[client] = true
      commands[#commands + 1] = {'PUBLISH', 'lockhouse:inbox:' .. client, ''}
    end
  end
  local absent = not redis.acl_check_cmd and absentKey()
  for _, command in ipairs(commands) do
    if absent and isRefusedAt(absent, command) or not absent and not redis.acl_check_cmd(unpack(command)) then
      return redis.error_reply('NOPERM this user may not run ' .. command[1] .. ' on ' .. (command[2] or 'the server') .. '; nothing was changed')
    end
  end
end
local function released(left)
  return {'released', #told > 0 and tostring(heard) or '', #told == 1 and told[1] or '', '', left or ''}
end
