//! Commands of curl, as people and browsers write them. No file that a command names is read.

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{
    Source,
    shell::{OpenQuote, split_commands},
};
use crate::{
    body::{Body, Part},
    error::{self, Error},
    exchange::{Exchange, Message},
};

/// Options with a value that say nothing about the request.
const OTHER_OPTIONS: [&str; 25] = [
    "-o",
    "--output",
    "-m",
    "--max-time",
    "--connect-timeout",
    "--retry",
    "--retry-delay",
    "--retry-max-time",
    "-w",
    "--write-out",
    "-c",
    "--cookie-jar",
    "-D",
    "--dump-header",
    "--cacert",
    "--cert",
    "--key",
    "-E",
    "-x",
    "--proxy",
    "--resolve",
    "--connect-to",
    "--limit-rate",
    "--max-redirs",
    "--unix-socket",
];
/// Options without a value that say nothing about the request.
const SWITCHES: [&str; 22] = [
    "-s",
    "--silent",
    "-S",
    "--show-error",
    "-L",
    "--location",
    "-k",
    "--insecure",
    "-i",
    "--include",
    "-v",
    "--verbose",
    "-f",
    "--fail",
    "-g",
    "--globoff",
    "-N",
    "--no-buffer",
    "--compressed",
    "-#",
    "--http1.1",
    "--http2",
];
/// Other letters without a value, which may stand before another one in the same word.
const LETTERS_ALONE: &str = "GIOjJlnapqRZ046M";
/// Single letters that take a value, which may stand in the same word.
const LETTERS_WITH_VALUE: &str = "XHdFubAeomwcExDTUPQrtyYzCK";

const OPEN_QUOTE: &str = "quotes that end: one is open at the end of the text, so that commands behind it would be read as its content";

/// The requests of commands; `place` names the text for a person.
///
/// # Errors
/// When no command is one of curl.
pub fn read_curl_commands(text: &str, place: &str) -> Result<Source, Error> {
    let mut source = Source::default();
    let mut n_commands = 0_usize;
    let commands =
        split_commands(text).map_err(|OpenQuote| error::unreadable(place, OPEN_QUOTE))?;
    for words in commands.iter().filter(|words| words.first().is_some_and(|word| is_curl(word))) {
        n_commands += 1;
        let place = format!("{place}, command {n_commands}");
        match read_command(words.get(1..).unwrap_or_default(), &place, &mut source.notes) {
            Ok(exchange) => source.exchanges.push(exchange),
            Err(why) => source.record_left_out(&place, &why.to_string()),
        }
    }
    if n_commands == 0 {
        return Err(error::unreadable(
            place,
            "a command such as `curl https://api.pets.example/pets/7`",
        ));
    }
    Ok(source)
}

fn is_curl(word: &str) -> bool {
    matches!(word.rsplit(['/', '\\']).next(), Some("curl" | "curl.exe"))
}

/// What the options of a command say.
#[derive(Default)]
struct Command {
    addresses: Vec<String>,
    method: Option<String>,
    headers: Vec<(String, String)>,
    data: Vec<String>,
    parts: Vec<Part>,
    is_query: bool,
    has_upload: bool,
    /// Options that this reader does not know.
    unread: Vec<String>,
}

fn read_command(words: &[String], place: &str, notes: &mut Vec<String>) -> Result<Exchange, Error> {
    let mut command = Command::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if !word.starts_with('-') || word == "-" {
            command.addresses.push(word.clone());
            continue;
        }
        for (option, value) in split_option(word) {
            if takes_value(&option) {
                let value = value.or_else(|| words.next().cloned()).unwrap_or_default();
                command.set_option(&option, value, place)?;
            } else {
                command.apply_flag(&option);
            }
        }
    }
    notes.extend(
        command.unread.iter().map(|option| format!("{place}: `{option}` is not looked at")),
    );
    command.into_exchange(place)
}

/// `-XPOST`, `-skXPOST` and `--request=POST` as options and their values. The value of an option that is not known is left out: it
/// may be a secret.
fn split_option(word: &str) -> Vec<(String, Option<String>)> {
    let rest = word.strip_prefix('-').unwrap_or(word);
    if rest.starts_with('-') {
        let (name, value) = word.split_once('=').unzip();
        let name = name.unwrap_or(word);
        return vec![(name.to_owned(), value.map(str::to_owned))];
    }
    let mut options = Vec::new();
    let mut letters = rest.chars();
    while let Some(letter) = letters.next() {
        let option = format!("-{letter}");
        let is_switch = SWITCHES.contains(&option.as_str()) || LETTERS_ALONE.contains(letter);
        let value =
            Some(letters.as_str().to_owned()).filter(|value| !is_switch && !value.is_empty());
        options.push((option, value));
        if !is_switch {
            break;
        }
    }
    options
}

fn takes_value(option: &str) -> bool {
    let names = [
        "--request",
        "--header",
        "--data",
        "--data-raw",
        "--data-binary",
        "--data-ascii",
        "--data-urlencode",
        "--json",
        "--form",
        "--form-string",
        "--user",
        "--cookie",
        "--user-agent",
        "--referer",
        "--url",
        "--oauth2-bearer",
        "--url-query",
        "--upload-file",
        "--aws-sigv4",
        "--pass",
        "--proxy-header",
        "--proxy-pass",
        "--proxy-user",
        "--tlspassword",
        "--tlsuser",
    ];
    let letter = option.strip_prefix('-').filter(|rest| rest.len() == 1);
    letter.is_some_and(|letter| LETTERS_WITH_VALUE.contains(letter))
        || names.contains(&option)
        || OTHER_OPTIONS.contains(&option)
}

impl Command {
    fn set_option(&mut self, option: &str, value: String, place: &str) -> Result<(), Error> {
        match option {
            "-X" | "--request" => self.method = Some(value),
            "--url" => self.addresses.insert(0, value),
            "-T" | "--upload-file" => self.has_upload = true,
            "-H" | "--header" => self.headers.extend(split_header(&value)),
            "-d" | "--data" | "--data-ascii" | "--data-binary" | "--json"
                if value.starts_with('@') =>
            {
                let expected = "the data in the command, and not a file (`@…`), which is not read";
                return Err(error::unreadable(place, expected));
            }
            "--json" => {
                self.add_header("content-type", "application/json");
                self.data.push(value);
            }
            "-d" | "--data" | "--data-raw" | "--data-binary" | "--data-ascii" => {
                self.data.push(value);
            }
            "--data-urlencode" => self.data.push(url_encoded_data(&value)),
            "-F" | "--form" | "--form-string" => self.parts.extend(form_part(option, &value)),
            "-u" | "--user" => {
                self.add_header("authorization", &format!("Basic {}", STANDARD.encode(value)));
            }
            "--oauth2-bearer" => self.add_header("authorization", &format!("Bearer {value}")),
            "-b" | "--cookie" if value.contains('=') => self.add_header("cookie", &value),
            _ if OTHER_OPTIONS.contains(&option) => {}
            "-A" | "--user-agent" | "-e" | "--referer" => {}
            other => self.unread.push(other.to_owned()),
        }
        Ok(())
    }

    fn apply_flag(&mut self, option: &str) {
        match option {
            "-G" | "--get" => self.is_query = true,
            "-I" | "--head" => self.method = Some("HEAD".to_owned()),
            _ if SWITCHES.contains(&option) => {}
            other => self.unread.push(other.to_owned()),
        }
    }

    fn add_header(&mut self, name: &str, value: &str) {
        self.headers.push((name.to_owned(), value.to_owned()));
    }

    fn into_exchange(mut self, place: &str) -> Result<Exchange, Error> {
        // What follows an unknown option may be its value.
        let at = self.addresses.iter().position(|address| address.contains("://"));
        let url = self.addresses.get(at.unwrap_or(0)).cloned();
        let url = url.ok_or_else(|| error::unreadable(place, "an address"))?;
        let url = if url.contains("://") { url } else { format!("http://{url}") };
        let data = self.data.join("&");
        let has_body = !self.data.is_empty() || !self.parts.is_empty();
        let usual = match (self.has_upload, has_body && !self.is_query) {
            (true, _) => "PUT",
            (false, true) => "POST",
            (false, false) => "GET",
        };
        let mut exchange =
            Exchange::from_address(self.method.as_deref().unwrap_or(usual), &url, place)?;
        if self.is_query {
            let pairs = url::form_urlencoded::parse(data.as_bytes());
            exchange
                .query
                .extend(pairs.map(|(name, value)| (name.into_owned(), value.into_owned())));
        } else if !self.data.is_empty()
            && self.headers.iter().all(|header| !header.0.eq_ignore_ascii_case("content-type"))
        {
            self.add_header("content-type", "application/x-www-form-urlencoded");
        }
        let body = if self.is_query { "" } else { &data };
        exchange.request = Message::read(&self.headers, body.as_bytes());
        if self.has_upload {
            exchange.request.body = Some(Body::Binary("application/octet-stream".to_owned()));
        } else if !self.parts.is_empty() {
            exchange.request.body = Some(Body::Multipart(self.parts));
        }
        Ok(exchange)
    }
}

fn split_header(header: &str) -> Option<(String, String)> {
    let (name, value) = header.split_once(':')?;
    Some((name.trim().to_owned(), value.trim().to_owned())).filter(|header| !header.1.is_empty())
}

/// `name=value`, encoded (curl(1), `--data-urlencode`).
fn url_encoded_data(value: &str) -> String {
    let encode =
        |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    value
        .split_once('=')
        .map_or_else(|| encode(value), |(name, value)| format!("{name}={}", encode(value)))
}

fn form_part(option: &str, value: &str) -> Option<Part> {
    let (name, value) = value.split_once('=')?;
    let is_file = option != "--form-string" && value.starts_with(['@', '<']);
    Some(Part { name: name.to_owned(), text: (!is_file).then(|| value.to_owned()) })
}
