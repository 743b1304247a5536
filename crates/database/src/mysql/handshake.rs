//! The start of a connection: the server's greeting, the request for TLS, and the login. The client says what it can, and leaves
//! out what it will not: several statements in one text, files of this machine, passwords in clear text.
//! <https://mariadb.com/kb/en/connection/>

use callgate_secret::Secret;

use super::{
    failure::{self, CommandError},
    password::Plugin,
    payload::{Payload, put_length_encoded_bytes},
    wire::Wire,
};
use crate::error::{Error, ErrorKind};

/// The greeting of a server.
#[derive(Debug)]
pub(super) struct Greeting {
    /// The number of the connection, which `KILL` takes.
    pub(super) id: u32,
    pub(super) is_mariadb: bool,
    capabilities: u32,
    /// The capabilities that only MariaDB has.
    extended: u32,
    nonce: Vec<u8>,
    plugin: Option<Plugin>,
}

/// A login, and the database that unqualified names are of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Login<'a> {
    pub(super) user: &'a str,
    pub(super) password: Option<&'a Secret>,
    pub(super) database: &'a str,
    pub(super) channel: Channel,
}

/// The way that bytes take to the server.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Channel {
    /// Others on this machine may read along.
    Open,
    Socket,
    Tls,
}

impl Greeting {
    pub(super) async fn receive(wire: &mut Wire) -> Result<Self, Error> {
        let payload = wire.receive().await.map_err(|_| failure::unavailable())?;
        if let Some(code) = error_code(&payload) {
            return Err(failure::of_opening(&CommandError::Server(code)));
        }
        let greeting = Self::read(Payload(&payload)).ok_or_else(|| {
            Error::new(ErrorKind::Unavailable, "what answers is no server of MariaDB or MySQL")
        })?;
        if greeting.capabilities & NEEDED != NEEDED {
            return Err(Error::new(ErrorKind::Denied, TOO_OLD));
        }
        Ok(greeting)
    }

    fn read(mut payload: Payload<'_>) -> Option<Self> {
        if payload.byte()? != 10 {
            return None;
        }
        let version = str::from_utf8(payload.until_zero()?).ok()?;
        let id = payload.u32()?;
        let mut nonce = payload.array::<8>()?.to_vec();
        payload.byte()?;
        let low = payload.u16()?;
        payload.array::<3>()?;
        let high = payload.u16()?;
        let n_nonce = usize::from(payload.byte()?);
        payload.array::<6>()?;
        let extended = payload.u32()?;
        let rest = payload.bytes(n_nonce.saturating_sub(8).max(13))?;
        nonce.extend(rest.get(..12)?);
        let name = payload.until_zero().unwrap_or(payload.0);
        let capabilities = u32::from(high) << 16 | u32::from(low);
        let is_mariadb = version.contains("MariaDB");
        let has_extended = is_mariadb && capabilities & MYSQL == 0;
        Some(Self {
            id,
            is_mariadb,
            capabilities,
            extended: if has_extended { extended & EXTENDED_METADATA } else { 0 },
            nonce,
            plugin: Plugin::from_name(name),
        })
    }

    /// True if columns are described with the names of types that only MariaDB has.
    pub(super) fn has_extended_metadata(&self) -> bool {
        self.extended != 0
    }

    /// Asks for TLS. The caller secures the stream next.
    pub(super) async fn ask_for_tls(&self, wire: &mut Wire) -> Result<(), Error> {
        if self.capabilities & TLS == 0 {
            return Err(Error::new(ErrorKind::Denied, "the server does not offer TLS"));
        }
        let mut request = Vec::new();
        self.write_login_start(&mut request, TLS);
        wire.write_packet(&request);
        wire.send().await.map_err(|_| failure::unavailable())
    }

    pub(super) async fn sign_in(&self, wire: &mut Wire, login: Login<'_>) -> Result<(), Error> {
        let plugin = self.plugin.unwrap_or(Plugin::Native);
        let password = login.password.map(|it| it.expose().as_bytes()).unwrap_or_default();
        let mut response = Vec::new();
        self.write_login_start(&mut response, if login.channel == Channel::Tls { TLS } else { 0 });
        response.extend(login.user.as_bytes());
        response.push(0);
        put_length_encoded_bytes(&mut response, &plugin.proof(password, &self.nonce));
        response.extend(login.database.as_bytes());
        response.push(0);
        response.extend(plugin.name().as_bytes());
        response.push(0);
        wire.write_packet(&response);
        wire.send().await.map_err(|_| failure::unavailable())?;
        authenticate(wire, plugin, login).await
    }

    /// The part that the request for TLS and the login have in common.
    fn write_login_start(&self, out: &mut Vec<u8>, more: u32) {
        out.extend((NEEDED | more).to_le_bytes());
        out.extend(MOST_BYTES.to_le_bytes());
        out.push(UTF8MB4_BIN);
        out.extend([0; 19]);
        out.extend(self.extended.to_le_bytes());
    }
}

/// Answers the server until it takes the login.
async fn authenticate(wire: &mut Wire, first: Plugin, login: Login<'_>) -> Result<(), Error> {
    let password = login.password.map(|it| it.expose().as_bytes()).unwrap_or_default();
    let mut plugin = first;
    for _ in 0..MOST_ROUNDS {
        let payload = wire.receive().await.map_err(|_| failure::unavailable())?;
        if let Some(code) = error_code(&payload) {
            return Err(failure::of_opening(&CommandError::Server(code)));
        }
        let answer = match *payload.as_slice() {
            [0, ..] => return Ok(()),
            [0xfe, ref rest @ ..] => {
                let mut rest = Payload(rest);
                let name = rest.until_zero().unwrap_or_default();
                plugin = Plugin::from_name(name)
                    .ok_or_else(|| Error::new(ErrorKind::Denied, OTHER_PLUGIN))?;
                let nonce = rest.0.strip_suffix(&[0]).unwrap_or(rest.0);
                plugin.proof(password, nonce)
            }
            // The proof was enough, and the word that ends the login follows.
            [1, 3] if plugin == Plugin::CachingSha2 => continue,
            // The server does not know the digest yet, and needs the password itself.
            [1, 4] if plugin == Plugin::CachingSha2 => match login.channel {
                Channel::Socket | Channel::Tls => [password, &[0]].concat(),
                Channel::Open => return Err(Error::new(ErrorKind::Denied, NEEDS_TLS)),
            },
            _ => return Err(failure::unavailable()),
        };
        wire.write_packet(&answer);
        wire.send().await.map_err(|_| failure::unavailable())?;
    }
    Err(failure::unavailable())
}

/// The number of an error, if the payload is one.
pub(super) fn error_code(payload: &[u8]) -> Option<u16> {
    match *payload {
        [0xff, low, high, ..] => Some(u16::from_le_bytes([low, high])),
        _ => None,
    }
}

/// Set by MySQL, and by clients that know no capabilities of MariaDB.
const MYSQL: u32 = 1;
const TLS: u32 = 1 << 11;
/// MariaDB: types such as `json` and `uuid` are told with the columns.
const EXTENDED_METADATA: u32 = 1 << 3;

/// Found instead of changed rows are counted; a database is named; protocol 4.1; states of transactions; proofs of passwords
/// and their plugins.
const NEEDED: u32 = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 9 | 1 << 13 | 1 << 15 | 1 << 19;

/// The collation of what the client sends: the number of `utf8mb4_bin`.
const UTF8MB4_BIN: u8 = 46;

/// The largest packet that the client sends.
const MOST_BYTES: u32 = 1 << 30;

/// A login takes at most four answers.
const MOST_ROUNDS: usize = 6;

const TOO_OLD: &str = "the server is older than MariaDB 10.6 and MySQL 8.0";
const OTHER_PLUGIN: &str = "the server wants another way to sign in: give the login the plugin `mysql_native_password` or \
    `caching_sha2_password`";
const NEEDS_TLS: &str = "the server needs the password itself, which is sent over TLS or a Unix socket only: write `ssl-mode=VERIFY_IDENTITY`";

#[cfg(test)]
mod tests {
    use super::*;

    fn greeting(version: &str, capabilities: u32) -> Vec<u8> {
        let [a, b, c, d] = capabilities.to_le_bytes();
        let mut bytes = vec![10];
        bytes.extend(version.as_bytes());
        bytes.extend([0, 7, 0, 0, 0]);
        bytes.extend([1; 8]);
        bytes.extend([0, a, b, 46, 2, 0, c, d, 21]);
        bytes.extend([0; 6]);
        bytes.extend(0x1f_u32.to_le_bytes());
        bytes.extend([2; 12]);
        bytes.push(0);
        bytes.extend(b"mysql_native_password\0");
        bytes
    }

    #[test]
    fn a_greeting_says_who_the_server_is() {
        let bytes = greeting("5.5.5-10.11.14-MariaDB-0+deb12u2", NEEDED | TLS);
        let read = Greeting::read(Payload(&bytes)).unwrap();
        assert_eq!((read.id, read.is_mariadb, read.has_extended_metadata()), (7, true, true));
        assert_eq!(read.nonce, [[1; 8].to_vec(), [2; 12].to_vec()].concat());
        let bytes = greeting("8.0.40", NEEDED | MYSQL);
        let read = Greeting::read(Payload(&bytes)).unwrap();
        assert_eq!((read.is_mariadb, read.has_extended_metadata()), (false, false));
        for end in 0..bytes.len() - 22 {
            assert!(Greeting::read(Payload(&bytes[..end])).is_none(), "{end}");
        }
    }
}
