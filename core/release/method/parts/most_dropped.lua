-- SPDX-License-Identifier: Apache-2.0
-- mostDropped: how many lapsed places one run drops from the head of a queue, so that it is short whatever lies there.
local mostDropped = 500
