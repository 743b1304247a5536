//! The scripts that change records. A server executes each as a whole, so that of simultaneous changes one wins. A script is
//! sent by its digest, and in full to a server that does not have it yet.

use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use callgate_tool::hexadecimal;
use redis::Cmd;

#[derive(Debug)]
pub(super) struct Script {
    text: &'static str,
    digest: String,
}

impl Script {
    fn new(text: &'static str) -> Self {
        let digest = digest(&SHA1_FOR_LEGACY_USE_ONLY, text.as_bytes());
        let digest = hexadecimal(digest.as_ref());
        Self { text, digest }
    }

    /// Puts a record. Who reads the chunks of the replaced version has a second to end. Keys: the record, its members, their ends. Arguments: `absent`, `any` or a version; the new version; the
    /// number of chunks; the sealed record, if it has none; the time to live in milliseconds or 0; the member.
    pub(super) fn put() -> Self {
        Self::new(PUT)
    }

    /// Removes a record. Keys: the record, its members, their ends. Arguments: `any` or a version, the member.
    pub(super) fn remove() -> Self {
        Self::new(REMOVE)
    }

    /// Counts the members of a tag. Keys: the members, their ends. Those that have ended are forgotten first, some thousands of them.
    pub(super) fn count() -> Self {
        Self::new(COUNT)
    }

    /// Reads records. Keys: the records. Returns for each its value, or nil, and the milliseconds that are left of it.
    pub(super) fn read() -> Self {
        Self::new(READ)
    }

    /// Replaces a value that is as expected. Key: the value. Arguments: the expected value, the new one.
    pub(super) fn replace_value_if_equal() -> Self {
        Self::new(REPLACE)
    }

    /// Takes a request of a pace. Key: the pace. Arguments: the time between two requests in microseconds, the most at once.
    /// Returns 0, or the microseconds until the next one.
    pub(super) fn take() -> Self {
        Self::new(TAKE)
    }

    pub(super) fn command_by_digest(&self, keys: &[&str], arguments: &[&[u8]]) -> Cmd {
        script_command("EVALSHA", &self.digest, keys, arguments)
    }

    pub(super) fn command_in_full(&self, keys: &[&str], arguments: &[&[u8]]) -> Cmd {
        script_command("EVAL", self.text, keys, arguments)
    }
}

fn script_command(command: &str, script: &str, keys: &[&str], arguments: &[&[u8]]) -> Cmd {
    let mut call = redis::cmd(command);
    call.arg(script).arg(keys.len()).arg(keys).arg(arguments);
    call
}

/// The number that a script returns for a change that it made.
pub(super) const MADE: i64 = 1;
/// The number that a script returns where no record was there to remove.
pub(super) const NOTHING: i64 = 2;
/// The number that a script returns where the record is not as expected.
pub(super) const CONFLICT: i64 = 0;

const PUT: &str = r"
local record, members, ends = KEYS[1], KEYS[2], KEYS[3]
local expected, version, chunks, sealed = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local lives, member = tonumber(ARGV[5]), ARGV[6]
local head = redis.call('GETRANGE', record, 0, 19)
if expected == 'absent' then
  if head ~= '' then return 0 end
elseif expected ~= 'any' and head:sub(1, 16) ~= expected then
  return 0
end
for number = 1, chunks do
  local chunk = record .. ':' .. version .. ':' .. number
  local kept
  if lives > 0 then kept = redis.call('PEXPIRE', chunk, lives) else kept = redis.call('PERSIST', chunk) end
  if kept == 0 then return -1 end
end
if head ~= '' then
  for number = 1, tonumber(head:sub(17, 20), 16) do
    redis.call('PEXPIRE', record .. ':' .. head:sub(1, 16) .. ':' .. number, 1000)
  end
end
local value = version .. string.format('%04x', chunks) .. sealed
local left = redis.call('PTTL', members)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', members, 0, member)
if lives > 0 then
  redis.call('SET', record, value, 'PX', lives)
  redis.call('ZADD', ends, now + lives, member)
  if left ~= -1 and left < lives then
    redis.call('PEXPIRE', members, lives)
    redis.call('PEXPIRE', ends, lives)
  end
else
  redis.call('SET', record, value)
  redis.call('ZREM', ends, member)
  redis.call('PERSIST', members)
  redis.call('PERSIST', ends)
end
for _, ended in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', now, 'LIMIT', 0, 16)) do
  redis.call('ZREM', members, ended)
  redis.call('ZREM', ends, ended)
end
return 1
";

const REMOVE: &str = r"
local record = KEYS[1]
local head = redis.call('GETRANGE', record, 0, 19)
if ARGV[1] == 'absent' then
  if head ~= '' then return 0 end
elseif ARGV[1] ~= 'any' and head:sub(1, 16) ~= ARGV[1] then
  return 0
end
if head == '' then return 2 end
for number = 1, tonumber(head:sub(17, 20), 16) do
  redis.call('UNLINK', record .. ':' .. head:sub(1, 16) .. ':' .. number)
end
redis.call('DEL', record)
redis.call('ZREM', KEYS[2], ARGV[2])
redis.call('ZREM', KEYS[3], ARGV[2])
return 1
";

const COUNT: &str = r"
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for _ = 1, 16 do
  local ended = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 256)
  for _, member in ipairs(ended) do
    redis.call('ZREM', KEYS[1], member)
    redis.call('ZREM', KEYS[2], member)
  end
  if #ended < 256 then break end
end
return redis.call('ZCARD', KEYS[1])
";

const READ: &str = r"
local found = {}
for at, record in ipairs(KEYS) do
  found[2 * at - 1] = redis.call('GET', record)
  found[2 * at] = redis.call('PTTL', record)
end
return found
";

const REPLACE: &str = r"
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('SET', KEYS[1], ARGV[2]) end
return 1
";

// The stored time is that of this server's clock; one that was set back costs no more than a whole burst. Where the pace is slow
// and its burst large, the time to live is that of a thousand years, beyond which the server's arithmetic overflows.
const TAKE: &str = r"
local each, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now, whole = time[1] * 1000000 + time[2], each * burst
local free = tonumber(redis.call('GET', KEYS[1]) or 0)
local left = math.min(math.max(free - now, 0), whole) + each
if left > whole then return left - whole end
local lives = math.min(math.ceil(left / 1000), 31536000000000)
redis.call('SET', KEYS[1], string.format('%.0f', now + left), 'PX', string.format('%.0f', lives))
return 0
";
