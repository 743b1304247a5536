//! Opens a page in the user's browser: the one that `BROWSER` names, or the desktop's. No shell reads the address.

use std::{
    env,
    process::{Command, Stdio},
};

/// Opens a page. If that fails, the user still has the address.
pub(super) fn open_page(url: &str) {
    let named = env::var_os("BROWSER").and_then(|named| named.into_string().ok());
    let named = named.filter(|named| !named.trim().is_empty());
    let Some(named) = named else {
        let words = DESKTOP.iter().map(ToString::to_string).chain([url.to_owned()]);
        start_program(&words.collect::<Vec<_>>());
        return;
    };
    // Several commands are tried in turn.
    named
        .split(':')
        .filter_map(|command| command_words(command, url))
        .any(|words| start_program(&words));
}

/// Splits a command into words: the address replaces `%s`, or goes to the end.
fn command_words(command: &str, url: &str) -> Option<Vec<String>> {
    let mut words: Vec<String> = command.split_whitespace().map(ToOwned::to_owned).collect();
    if words.is_empty() {
        return None;
    }
    if words.iter().any(|word| word.contains("%s")) {
        words = words.iter().map(|word| word.replace("%s", url)).collect();
    } else {
        words.push(url.to_owned());
    }
    Some(words)
}

fn start_program(words: &[String]) -> bool {
    let Some((program, rest)) = words.split_first() else { return false };
    let mut command = Command::new(program);
    command.args(rest).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}

#[cfg(target_os = "macos")]
const DESKTOP: [&str; 1] = ["open"];
#[cfg(windows)]
const DESKTOP: [&str; 2] = ["rundll32", "url.dll,FileProtocolHandler"];
#[cfg(not(any(target_os = "macos", windows)))]
const DESKTOP: [&str; 1] = ["xdg-open"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_for_a_browser_is_one_argument() {
        let url = "https://idp/a?b=c d;rm&e='\"";
        for (command, expected) in [
            ("firefox", Some(vec!["firefox", url])),
            ("firefox --new-tab %s --x", Some(vec!["firefox", "--new-tab", url, "--x"])),
            ("  ", None),
        ] {
            let words = command_words(command, url);
            let words = words.as_ref().map(|words| words.iter().map(String::as_str).collect());
            assert_eq!(words, expected, "{command}");
        }
    }
}
