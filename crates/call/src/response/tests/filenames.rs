//! The name that a response gives a file.

use super::*;

#[track_caller]
fn check(media_type: &str, disposition: &'static str, body: &[u8], expected: Option<&str>) {
    let headers = [("content-type", media_type), ("content-disposition", disposition)];
    let Outcome::Answered(answer) = answered(200, &headers, body, &Shape::default()) else {
        panic!("not answered")
    };
    let name = match &answer.content {
        Content::File { filename, .. } => filename.as_deref(),
        _ => None,
    };
    assert_eq!(name, expected, "{media_type} {disposition}");
}

#[test]
fn a_file_has_the_name_of_its_response() {
    let pdf = "application/pdf";
    check(pdf, "attachment; filename=\"report 7.pdf\"", b"\0%PDF", Some("report 7.pdf"));
    check(pdf, "inline; filename=a.pdf", b"\0%PDF", Some("a.pdf"));
    check(pdf, "attachment; filename*=UTF-8''na%C3%AFve.pdf", b"\0", Some("na\u{ef}ve.pdf"));
    check(pdf, "attachment; filename=\"a\\\"b.pdf\"", b"\0", Some("a\"b.pdf"));
    check(pdf, "attachment; filename=\"\"", b"\0", None);
    check(pdf, "attachment", b"\0%PDF", None);
    // Frameworks name texts and JSON to keep browsers from running them.
    check("application/json", "attachment; filename=\"f.txt\"", b"[1]", None);
}

#[test]
fn no_secret_is_in_the_name_of_a_file() {
    let headers = [("content-disposition", "attachment; filename=\"canary-token.pdf\"")];
    let headers =
        headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
    let headers: HeaderMap = headers.collect();
    let masker = Masker::new(vec![Secret::new("canary-token".to_owned())]);
    assert_eq!(masked_filename(&headers, &masker).as_deref(), Some("****.pdf"));
}
