//! Sealed bytes in a server: one value for each record, beside the lists that it is in. What is too large for one value is in
//! chunks under the record's version, so that a reader never mixes two versions.

use std::{
    slice,
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use callgate_session::{Error, Expected, Pace, QueuePermit, Sealer};
use futures_util::future::try_join_all;
use redis::{Cmd, Value as Reply};

use super::{
    addresses::SharedAddresses,
    failure::{self, Failure},
    layout::{self, Layout, Names, Tag, Value},
    route::Route,
    script::{self, Script},
    server::Care,
};
use crate::{
    address::{Address, Addresses},
    engine::{Engine, Page, Put, Row, Rows},
    error,
};

pub(crate) struct RedisEngine {
    route: Route,
    layout: Layout,
    addresses: SharedAddresses,
    put: Script,
    count: Script,
    read: Script,
    remove: Script,
    take: Script,
}

struct Run<'a> {
    script: &'a Script,
    tag: Tag,
    keys: &'a [&'a str],
    arguments: &'a [&'a [u8]],
    care: Care,
}

/// A stored value, and the milliseconds that are left of it.
type ExpiringValue = (Vec<u8>, i64);

impl RedisEngine {
    pub(super) fn new(route: Route, layout: Layout, current: Sealer) -> Self {
        let (put, read, remove) = (Script::put(), Script::read(), Script::remove());
        let (addresses, count, take) =
            (SharedAddresses::new(current), Script::count(), Script::take());
        Self { route, layout, addresses, put, count, read, remove, take }
    }

    /// Changes a record by a script, and returns its number.
    async fn run_change_script(
        &self,
        script: &Script,
        names: &Names,
        arguments: &[&[u8]],
    ) -> Result<i64, Failure> {
        let keys = [&*names.record, &*names.members, &*names.ends];
        let run = Run { script, tag: names.tag, keys: &keys, arguments, care: names.care };
        failure::reply_number(&self.run_script(run).await?)
    }

    async fn run_script(&self, run: Run<'_>) -> Result<Reply, Failure> {
        let Run { script, tag, keys, arguments, care } = run;
        match self.route.send_with_care(tag, &script.command_by_digest(keys, arguments), care).await
        {
            // The server does not have the script, and has executed nothing.
            Err(failure) if failure.has_code("NOSCRIPT") => {
                self.route.send_with_care(tag, &script.command_in_full(keys, arguments), care).await
            }
            reply => reply,
        }
    }

    /// Takes a request of a pace, which the server keeps as the time at which its whole burst is free again.
    pub(super) async fn take_from_pace(
        &self,
        address: &Address,
        pace: Pace,
        _permit: QueuePermit,
    ) -> Result<Option<Duration>, Error> {
        let names = self.layout.record_names(address);
        // The clock of a script knows no less.
        let each = pace.each.as_nanos().div_ceil(1000).clamp(1, MOST_APART).to_string();
        let (keys, burst) = ([&*names.record], pace.burst.to_string());
        let arguments = [each.as_bytes(), burst.as_bytes()];
        let (script, tag, care) = (&self.take, names.tag, Care::Usual);
        let run = Run { script, tag, keys: &keys, arguments: &arguments, care };
        let wait = failure::reply_number(&self.run_script(run).await?)?;
        let wait = u64::try_from(wait).ok().filter(|wait| *wait > 0);
        Ok(wait.map(Duration::from_micros))
    }

    /// Writes the chunks of a record, which end by themselves unless the record is put.
    async fn write_chunks(&self, names: &Names, row: &Row) -> Result<usize, Failure> {
        let mut n_chunks = 0;
        for chunk in row.sealed.chunks(CHUNK) {
            n_chunks += 1;
            let mut set = redis::cmd("SET");
            set.arg(names.chunk_key(row.version, n_chunks)).arg(chunk);
            set.arg("PX").arg(UNUSED);
            self.route.send_command(names.tag, &set).await?;
        }
        Ok(n_chunks)
    }

    /// The values of records of a tag, with the milliseconds that are left of them.
    async fn read_values(
        &self,
        tag: Tag,
        names: &[Names],
    ) -> Result<Vec<Option<ExpiringValue>>, Failure> {
        let keys: Vec<_> = names.iter().map(|names| &*names.record).collect();
        let run = Run { script: &self.read, tag, keys: &keys, arguments: &[], care: Care::Usual };
        let replies = failure::reply_elements(self.run_script(run).await?)?;
        let pair = |pair: &[Reply]| match pair {
            [Reply::BulkString(value), Reply::Int(left)] => Ok(Some((value.clone(), *left))),
            [Reply::Nil, _] => Ok(None),
            _ => Err(Failure::Unexpected),
        };
        replies.chunks(2).map(pair).collect()
    }

    /// The row of a value; `None` if its chunks are gone, because the record was replaced meanwhile.
    async fn row_if_chunks_present(
        &self,
        names: &Names,
        (value, left): ExpiringValue,
    ) -> Result<Option<Row>, Error> {
        let Value { version, n_chunks, mut sealed } = Value::parse(value)?;
        // A negative number says that there is no end.
        let time_to_live = u64::try_from(left).ok().map(Duration::from_millis);
        for number in 1..=n_chunks {
            let mut get = redis::cmd("GET");
            get.arg(names.chunk_key(version, number));
            let Some(chunk) =
                failure::reply_bytes(self.route.send_command(names.tag, &get).await?)?
            else {
                return Ok(None);
            };
            sealed.extend_from_slice(&chunk);
        }
        Ok(Some(Row { version, sealed, time_to_live }))
    }

    async fn read_row(&self, names: &Names) -> Result<Option<Row>, Error> {
        for _ in 0..ATTEMPTS {
            let mut values = self.read_values(names.tag, slice::from_ref(names)).await?;
            let Some(value) = values.pop().flatten() else { return Ok(None) };
            if let Some(row) = self.row_if_chunks_present(names, value).await? {
                return Ok(Some(row));
            }
        }
        Err(error::often_replaced())
    }

    async fn read_optional_row(
        &self,
        names: &Names,
        value: Option<ExpiringValue>,
    ) -> Result<Option<Row>, Error> {
        let Some(value) = value else { return Ok(None) };
        match self.row_if_chunks_present(names, value).await? {
            Some(row) => Ok(Some(row)),
            None => self.read_row(names).await,
        }
    }

    /// The tags from one on that have members in a space.
    async fn tags_with_members(&self, space: &str, first: Tag) -> Result<Vec<Tag>, Failure> {
        let counts = (first..=Tag::MAX).map(async |tag| {
            let members = self.layout.members_key(tag, space);
            let reply = self.route.send_command(tag, redis::cmd("ZCARD").arg(members)).await?;
            Ok::<_, Failure>((tag, failure::reply_number(&reply)?))
        });
        let counts = try_join_all(counts).await?;
        Ok(counts.into_iter().filter(|(_, count)| *count > 0).map(|(tag, _)| tag).collect())
    }

    /// The addresses of a tag from a bound on, in order.
    async fn member_addresses(
        &self,
        tag: Tag,
        page: &Page,
        from: &[u8],
        most: usize,
    ) -> Result<Vec<Address>, Failure> {
        let space = &page.region.space;
        let mut to = b"+".to_vec();
        if let Some(owner) = &page.region.owner {
            to = [&b"["[..], owner, &[u8::MAX; layout::MEMBER]].concat();
        }
        let mut range: Cmd = redis::cmd("ZRANGEBYLEX");
        range.arg(self.layout.members_key(tag, space)).arg(from).arg(to);
        range.arg("LIMIT").arg(0).arg(most);
        let mut addresses = Vec::new();
        for member in failure::reply_elements(self.route.send_command(tag, &range).await?)? {
            let member = failure::reply_bytes(member)?.unwrap_or_default();
            addresses.push(layout::address_of_member(space, &member).ok_or(Failure::Unexpected)?);
        }
        Ok(addresses)
    }

    /// The rows of addresses of a tag that have not ended.
    async fn read_rows(
        &self,
        tag: Tag,
        addresses: &[Address],
    ) -> Result<Vec<(Address, Row)>, Error> {
        if addresses.is_empty() {
            return Ok(Vec::new());
        }
        let names: Vec<_> =
            addresses.iter().map(|address| self.layout.record_names(address)).collect();
        let values = self.read_values(tag, &names).await?;
        let mut rows = Vec::new();
        for ((address, names), value) in addresses.iter().zip(&names).zip(values) {
            let row = self.read_optional_row(names, value).await?;
            rows.extend(row.map(|row| (address.clone(), row)));
        }
        Ok(rows)
    }
}

#[async_trait]
impl Engine for RedisEngine {
    const IS_SHARED: bool = true;

    async fn addresses(&self, sealer: &Sealer) -> Result<Arc<Addresses>, Error> {
        self.addresses.load_addresses(&self.route, &self.layout, sealer).await
    }

    async fn get(
        &self,
        address: Address,
        _: Instant,
        _permit: QueuePermit,
    ) -> Result<Option<Row>, Error> {
        self.read_row(&self.layout.record_names(&address)).await
    }

    async fn list(&self, page: Page, _: Instant, _permit: QueuePermit) -> Result<Rows, Error> {
        let after = page.after.as_ref();
        let tags = match (&page.region.owner, after) {
            (Some(owner), _) => vec![layout::owner_tag(owner)],
            (None, after) => {
                let first = after.map_or(0, |after| layout::owner_tag(&after.owner));
                self.tags_with_members(&page.region.space, first).await?
            }
        };
        let (mut rows, mut n_bytes) = (Vec::new(), 0);
        for tag in tags {
            let after = after.filter(|after| layout::owner_tag(&after.owner) == tag);
            let mut from = match (after, &page.region.owner) {
                (Some(after), _) => exclusive_bound(after),
                (None, Some(owner)) => [&b"["[..], owner].concat(),
                (None, None) => b"-".to_vec(),
            };
            loop {
                let most = page.most.saturating_sub(rows.len()).min(AT_ONCE);
                if most == 0 || n_bytes >= Rows::BYTES {
                    return Ok(Rows { rows, is_last: false });
                }
                let addresses = self.member_addresses(tag, &page, &from, most).await?;
                let is_last = addresses.len() < most;
                if let Some(last) = addresses.last() {
                    from = exclusive_bound(last);
                }
                let more = self.read_rows(tag, &addresses).await?;
                n_bytes += more.iter().map(|(_, row)| row.sealed.len()).sum::<usize>();
                rows.extend(more);
                if is_last {
                    break;
                }
            }
        }
        Ok(Rows { rows, is_last: true })
    }

    async fn count(
        &self,
        space: &'static str,
        _: Instant,
        _permit: QueuePermit,
    ) -> Result<usize, Error> {
        let tags = self.tags_with_members(space, 0).await?;
        let counts = tags.into_iter().map(async |tag| {
            let keys = [self.layout.members_key(tag, space), self.layout.ends_key(tag, space)];
            let keys = keys.each_ref().map(String::as_str);
            let (script, care) = (&self.count, Care::Usual);
            let run = Run { script, tag, keys: &keys, arguments: &[], care };
            failure::reply_number(&self.run_script(run).await?)
        });
        let numbers = try_join_all(counts).await?;
        Ok(numbers.into_iter().filter_map(|number| usize::try_from(number).ok()).sum())
    }

    async fn put(&self, put: Put, _: Instant, _permit: QueuePermit) -> Result<(), Error> {
        let Put { address, row, expected } = put;
        if row.sealed.len() > LARGEST {
            return Err(error::too_large(LARGEST as u64));
        }
        let names = self.layout.record_names(&address);
        let (n_chunks, sealed) = if row.sealed.len() > CHUNK {
            (self.write_chunks(&names, &row).await?, &[][..])
        } else {
            (0, &*row.sealed)
        };
        // Redis knows no time to live of 0; such a record ends at once.
        let lives = row.time_to_live.map_or(0, |lives| lives.as_millis().clamp(1, LONGEST));
        let (version, lives) = (layout::version_digits(row.version), lives.to_string());
        let (expected, n_chunks) = (condition_argument(expected), n_chunks.to_string());
        let arguments: [&[u8]; 6] = [
            expected.as_bytes(),
            version.as_bytes(),
            n_chunks.as_bytes(),
            sealed,
            lives.as_bytes(),
            &names.member,
        ];
        match self.run_change_script(&self.put, &names, &arguments).await? {
            script::MADE => Ok(()),
            script::CONFLICT => Err(error::conflict_error()),
            _ => Err(error::often_replaced()),
        }
    }

    async fn remove(
        &self,
        address: Address,
        expected: Expected,
        _: Instant,
        _permit: QueuePermit,
    ) -> Result<bool, Error> {
        let names = self.layout.record_names(&address);
        let expected = condition_argument(expected);
        let arguments: [&[u8]; 2] = [expected.as_bytes(), &names.member];
        match self.run_change_script(&self.remove, &names, &arguments).await? {
            script::MADE => Ok(true),
            script::NOTHING => Ok(false),
            _ => Err(error::conflict_error()),
        }
    }
}

callgate_secret::opaque!(RedisEngine { layout });

fn condition_argument(expected: Expected) -> String {
    match expected {
        Expected::Absent => "absent".to_owned(),
        Expected::Any => "any".to_owned(),
        Expected::Version(version) => layout::version_digits(version),
    }
}

fn exclusive_bound(address: &Address) -> Vec<u8> {
    [&b"("[..], &layout::address_bytes(address)].concat()
}

/// The most bytes of one value: a server does nothing else while it reads or writes one.
const CHUNK: usize = 256 << 10;
/// The most bytes of a record.
const LARGEST: usize = 64 << 20;
/// The records that are read at once.
const AT_ONCE: usize = 16;
/// The number of times that a record is read while others replace it.
const ATTEMPTS: usize = 8;
/// The time in milliseconds after which chunks end that no record uses.
const UNUSED: u32 = 60_000;
/// The longest time to live in milliseconds: beyond it, the server's arithmetic overflows. A thousand years.
const LONGEST: u128 = 1_000 * 365 * 24 * 3600 * 1000;
/// The longest time between two requests of a pace, in microseconds: a year.
const MOST_APART: u128 = 365 * 24 * 3600 * 1_000_000;
