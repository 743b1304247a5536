//! A conversation with a server whose bytes are given, for fuzzers and tests: the same code reads them as those of a connection.

use std::io::Cursor;

use callgate_secret::Secret;
use futures_util::FutureExt as _;
use tokio::io::{join, sink};

use super::{
    client::{Beyond, BoundValue, Client, RowFormat},
    failure::CommandError,
    handshake::{Channel, Greeting, Login},
    wire::Wire,
};

/// The values that the client reads from the bytes of a server: from its greeting on, each statement is prepared, run, and followed by
/// a command in text form. `None` if the client waits for more although the server is gone.
#[doc(hidden)]
pub fn mysql_values(replies: &[u8]) -> Option<Vec<Option<String>>> {
    let stream = join(Cursor::new(replies.to_vec()), sink());
    let mut values = Vec::new();
    // The end of the bytes is the end of the conversation, at the latest.
    let ended = converse(Wire::new(stream), &mut values).now_or_never();
    ended.map(|_| values)
}

async fn converse(mut wire: Wire, values: &mut Vec<Option<String>>) -> Result<(), CommandError> {
    let greeting = Greeting::receive(&mut wire).await.map_err(|_| CommandError::Lost)?;
    let password = Secret::new("secret".to_owned());
    let login =
        Login { user: "ann", password: Some(&password), database: "shop", channel: Channel::Open };
    greeting.sign_in(&mut wire, login).await.map_err(|_| CommandError::Lost)?;
    let mut client = Client::new(wire, greeting.has_extended_metadata());
    loop {
        let Some(statement) = answer_unless_refused(client.read_prepared().await)? else {
            continue;
        };
        let described = statement.columns.iter().map(|it| format!("{} {:?}", it.name, it.kind()));
        values.extend(described.map(Some));
        client.write_execute(&statement, &vec![BoundValue::Text(None); statement.n_values]);
        client.send().await?;
        for form in [RowFormat::Binary, RowFormat::Text] {
            let reply =
                answer_unless_refused(client.read_reply(form, usize::MAX, Beyond::Count).await)?;
            values.extend(reply.into_iter().flat_map(|reply| reply.rows).flatten());
        }
    }
}

/// An answer; nothing if the server refused the command.
fn answer_unless_refused<T>(answer: Result<T, CommandError>) -> Result<Option<T>, CommandError> {
    match answer {
        Err(CommandError::Constraint { .. } | CommandError::Server(_)) => Ok(None),
        answer => answer.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use proptest::{collection::vec, prelude::*};

    use super::*;

    /// The recorded bytes of a server of MariaDB 10.11.
    fn recorded(name: &str) -> Vec<u8> {
        let root =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuzz/seeds/mysql_replies");
        fs::read(root.join(name)).unwrap()
    }

    #[test]
    fn recorded_replies_are_read_whole() {
        let values = mysql_values(&recorded("rows")).unwrap();
        let texts: Vec<_> = values.iter().map(|value| value.as_deref().unwrap_or("null")).collect();
        // 23 columns, and three rows in both forms.
        assert_eq!(texts.len(), 23 * 7);
        assert_eq!(
            texts[..2],
            ["a Integer { least: -128, most: 127 }", "b Integer { least: 0, most: 65535 }"]
        );
        assert_eq!(texts[23..26], ["-1", "2", "3"]);
        assert_eq!(texts[27..31], ["18446744073709551615", "1.5", "2.25", "12345678901234.5678"]);
        assert_eq!(texts[46..49], ["null"; 3]);
        assert_eq!(texts[31..34], ["2025-01-31", "-12:34:56.789", "2025-01-31 12:00:00.123456"]);
        let values = mysql_values(&recorded("failures")).unwrap();
        // Those of two commands, of the statement that fails after its column.
        assert_eq!(values.len(), 23 * 6 + 1);
    }

    /// A change of bytes: its kind, where, and by how much.
    type Change = (u8, prop::sample::Index, usize, u8);

    fn changed(mut bytes: Vec<u8>, changes: &[Change]) -> Vec<u8> {
        for (kind, at, length, other) in changes {
            let at = at.index(bytes.len().max(1));
            let end = (at + length).min(bytes.len());
            match kind {
                _ if bytes.is_empty() => {}
                0 | 1 => bytes[at] = *other,
                2 => drop(bytes.drain(at..end)),
                3 => bytes.insert(at, *other),
                4 => bytes[at] = [0, 1, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff][usize::from(other % 8)],
                _ => bytes.extend_from_within(at..end),
            }
        }
        bytes
    }

    /// A case takes less than a millisecond.
    fn many() -> ProptestConfig {
        let default = ProptestConfig::default();
        ProptestConfig { cases: default.cases.max(2000), ..default }
    }

    proptest! {
        #![proptest_config(many())]
        #[test]
        fn replies_with_any_changes_are_read_to_their_end_and_within_their_length(
            name in prop_oneof![Just("rows"), Just("failures")],
            changes in vec((0_u8..6, any::<prop::sample::Index>(), 1_usize..40, any::<u8>()), 0..6),
        ) {
            let bytes = changed(recorded(name), &changes);
            let values = mysql_values(&bytes).unwrap();
            // A null is a bit, and a number of eight bytes has up to 340 digits.
            prop_assert!(values.len() <= 8 * bytes.len());
            let n_bytes: usize = values.iter().flatten().map(String::len).sum();
            prop_assert!(n_bytes <= 64 * bytes.len(), "{n_bytes}");
        }
    }
}
