//! Any bytes as the stream of a model: the reply is the same in pieces of any length, its messages are JSON, and nothing panics. Binary
//! events get the checksums that a fuzzer does not find.

#![no_main]

use callgate_agent::streamed_reply;
use callgate_dialect::Dialect;
use callgate_tool::Value;
use libfuzzer_sys::fuzz_target;

const DIALECTS: [Dialect; 5] =
    [Dialect::Anthropic, Dialect::Bedrock, Dialect::Gemini, Dialect::OpenAi, Dialect::Responses];

// The first byte chooses the format, and the second the length of pieces.
fuzz_target!(|bytes: &[u8]| {
    let [first, second, rest @ ..] = bytes else { return };
    let dialect = DIALECTS[usize::from(*first) % DIALECTS.len()];
    let n_piece = usize::from(*second) % 64 + 1;
    let is_framed = dialect == Dialect::Bedrock && *second < 192;
    let stream = if is_framed { framed(rest) } else { rest.to_vec() };
    let whole = streamed_reply(dialect, [&*stream]);
    let in_pieces = streamed_reply(dialect, stream.chunks(n_piece));
    match (whole, in_pieces) {
        (Ok((words, messages)), Ok((words_in_pieces, in_pieces))) => {
            assert_eq!(words, words_in_pieces);
            let texts = |messages: Option<Vec<callgate_tool::Json>>| {
                messages.map(|all| all.iter().map(|one| one.text().to_owned()).collect::<Vec<_>>())
            };
            let (messages, in_pieces) = (texts(messages), texts(in_pieces));
            assert_eq!(messages, in_pieces);
            for text in messages.into_iter().flatten() {
                Value::parse(&text).expect("JSON");
            }
        }
        (Err(whole), Err(in_pieces)) => {
            assert_eq!(whole, in_pieces);
            assert!(!whole.is_empty());
        }
        (whole, in_pieces) => panic!("{whole:?} and {in_pieces:?}"),
    }
});

/// Lines `NAME PAYLOAD` as events, whose checksums are right.
fn framed(lines: &[u8]) -> Vec<u8> {
    let mut stream = Vec::new();
    for line in lines.split(|byte| *byte == b'\n') {
        let at = line.iter().position(|byte| *byte == b' ').unwrap_or(line.len());
        let (name, payload) = line.split_at(at.min(255));
        let kind: &[u8] = if name.ends_with(b"Exception") { b"exception" } else { b"event" };
        let named = [&b":"[..], kind, b"-type"].concat();
        let headers = [header(b":message-type", kind), header(&named, name)].concat();
        let length = |n: usize| u32::try_from(n).expect("small").to_be_bytes();
        let total = headers.len() + payload.len() + 16;
        let mut frame = [length(total), length(headers.len())].concat();
        frame.extend(crc32(&frame).to_be_bytes());
        frame.extend([&*headers, payload].concat());
        frame.extend(crc32(&frame).to_be_bytes());
        stream.extend(frame);
    }
    stream
}

fn header(name: &[u8], value: &[u8]) -> Vec<u8> {
    let length = |n: usize| u8::try_from(n).expect("small");
    [&[length(name.len())][..], name, &[7, 0, length(value.len())], value].concat()
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for bit in bytes.iter().flat_map(|byte| (0..8).map(move |bit| u32::from(byte >> bit & 1))) {
        sum = if (sum ^ bit) & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 };
    }
    !sum
}
