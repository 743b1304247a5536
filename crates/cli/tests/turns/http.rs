//! As much of HTTP/1.1 as a service of the tests needs: one request a connection, whose answer is written piece by piece.

use crate::prelude::*;
use std::net::TcpListener;

/// Serves on a free port until the process ends. Returns the origin.
pub(crate) fn serve(answer: impl Fn(&str, &str, &mut TcpStream) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let answer = Arc::clone(&answer);
            std::thread::spawn(move || answered(stream, &*answer));
        }
    });
    origin
}

fn answered(mut stream: TcpStream, answer: &dyn Fn(&str, &str, &mut TcpStream)) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut line = String::new();
    // A connection that was opened in reserve has no request.
    if reader.read_line(&mut line).unwrap_or_default() == 0 {
        return;
    }
    let mut n_bytes = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).unwrap();
        if header.trim().is_empty() {
            break;
        }
        let (name, value) = header.split_once(':').unwrap();
        if name.eq_ignore_ascii_case("content-length") {
            n_bytes = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; n_bytes];
    reader.read_exact(&mut body).unwrap();
    answer(line.trim(), std::str::from_utf8(&body).unwrap(), &mut stream);
}

/// The head of a response that ends with its connection.
pub(crate) fn head(status: u16, media_type: &str) -> String {
    format!("HTTP/1.1 {status} -\r\ncontent-type: {media_type}\r\nconnection: close\r\n\r\n")
}
