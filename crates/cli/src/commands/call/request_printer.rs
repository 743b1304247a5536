//! Shows on standard error what happens while a call runs: each request with `****` for credentials, the connection it used,
//! and the head of its response with the times of each step.

use std::{fmt::Write as _, time::Duration};

use callgate::result::PlannedRequest;
use callgate_executor::{AnswerHead, Watcher};
use callgate_transport::ConnectionInfo;

use crate::output;

#[derive(Debug)]
pub(super) struct RequestPrinter {
    pub(super) has_bodies: bool,
}

impl Watcher for RequestPrinter {
    fn observe_request(&self, request: &PlannedRequest) {
        let mut text = format!("> {} {}\n", request.method, request.url);
        for (name, value) in &request.headers {
            let _infallible = writeln!(text, "> {name}: {value}");
        }
        if let Some(body) = request.body.as_ref().filter(|_| self.has_bodies) {
            text.push_str(">\n");
            for line in body.lines() {
                let _infallible = writeln!(text, "> {line}");
            }
        } else if let Some(body) = &request.body {
            let _infallible = writeln!(text, "> ({} bytes; `-vv` shows them)", body.len());
        }
        output::print_message(&text);
    }

    fn observe_answer_head(&self, head: &AnswerHead) {
        let mut text = head.connection.as_ref().map(connection_line).unwrap_or_default();
        let _infallible =
            writeln!(text, "< {} {} after {}", head.version, head.status, time_text(head.elapsed));
        for (name, value) in &head.headers {
            let _infallible = writeln!(text, "< {name}: {value}");
        }
        output::print_message(&text);
    }
}

fn connection_line(connection: &ConnectionInfo) -> String {
    let address = connection.address.map(|address| address.to_string()).unwrap_or_default();
    let tls = connection.tls.as_deref().unwrap_or("no TLS");
    if connection.is_reused {
        return format!("* {address}, {tls}; over the connection of the request before\n");
    }
    let mut steps = Vec::new();
    steps.extend(connection.looked_up.map(|took| format!("name {}", time_text(took))));
    steps.push(format!("connection {}", time_text(connection.connected)));
    steps.extend(connection.secured.map(|took| format!("TLS {}", time_text(took))));
    format!("* {address}, {tls}; {}\n", steps.join(", "))
}

pub(super) fn time_text(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds >= 10.0 => format!("{seconds:.1} s"),
        seconds if seconds >= 1.0 => format!("{seconds:.2} s"),
        seconds => format!("{:.1} ms", seconds * 1000.0),
    }
}
