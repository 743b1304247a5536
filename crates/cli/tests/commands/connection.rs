//! `--ca` and `--egress-allow`: how the service of a bare description is connected to.

use crate::prelude::*;

const PETS: &str = "fixtures/pets/spec.yaml";

#[test]
fn an_invalid_certificate_is_reported_before_anything_is_called() {
    callgate(&["tools", PETS, "--ca", "config/ca.pem"]).exits(0);
    callgate(&["tools", PETS, "--ca", "config/none.pem"]).exits(2).says("cannot read");
    callgate(&["tools", PETS, "--ca", PETS]).exits(2).says("expected a certificate");
}

#[test]
fn connection_flags_are_refused_with_a_configuration() {
    for option in [["--ca", "config/ca.pem"], ["--egress-allow", "10.0.0.0/8"]] {
        let ended = callgate(&["tools", "config/demo.yaml", option[0], option[1]]);
        ended.exits(2).says("for bare descriptions");
    }
}

#[test]
fn an_address_is_called_when_its_range_is_allowed() {
    // Nobody answers there: that a connection was tried is told from that it was refused.
    let away = callgate_testkit::closed_origin();
    let description = format!(
        "openapi: 3.0.3\ninfo: {{ title: t, version: '1' }}\nservers: [{{ url: '{away}' }}]\n\
         paths: {{ /a: {{ get: {{ operationId: a, responses: {{ 200: {{ description: ok }} }} }} }} }}\n"
    );
    let (_folder, file) = folder_with("spec.yaml", description);
    let fix = format!("`--server {away}`");
    callgate(&["call", file, "a"]).exits(1).says("error[refused]").says(&fix);
    let allowed = callgate(&["call", file, "a", "--egress-allow", "127.0.0.0/8"]);
    allowed.exits(1).says("error[unreachable]");
    let ended = callgate(&["call", file, "a", "--egress-allow", "127.0.0.0/33"]).exits(2);
    ended.says("expected a range of addresses");
}
