//! `callgate init` without a person: what it writes, and what it does not; and the profiles that FILE names.

use crate::prelude::*;

/// A home with nothing in it.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn callgate(&self, arguments: &[&str]) -> Ended {
        let ended = Ended::of(&mut command_at_home(self.0.path(), arguments));
        assert!(!format!("{ended:?}").contains("canary"), "{ended:#?}");
        ended
    }

    fn profile(&self, name: &str) -> PathBuf {
        self.0.path().join(format!(".config/callgate/{name}.yaml"))
    }
}

fn pets() -> String {
    root().join("fixtures/pets/spec.yaml").display().to_string()
}

#[test]
fn a_profile_is_called_by_its_name() {
    let home = Home::new();
    let line = ["init", "pets", &pets(), "--credential", "key=env:PETS_KEY"];
    let ended = home.callgate(&line).exits(0).prints("callgate call pets ");
    assert_eq!(ended.err, "", "{ended:#?}");
    let written = fs::read_to_string(home.profile("pets")).unwrap();
    let expected = format!(
        "# Made by `callgate init`. Secrets are named here by reference; none is written down.\ntoolsets:\n  pets:\n    \
         openapi: {}\n    prefix: ''\n    credentials:\n      key:\n        api_key:\n          value: env:PETS_KEY\n",
        pets()
    );
    assert_eq!(written, expected);
    let call = home.callgate(&["call", "pets", "getPet", "petId=7", "--dry-run"]).exits(0);
    call.prints("/pets/7").prints("\"$PETS_KEY\"");
    home.callgate(&["tools", "pets"]).exits(0).prints("listPets");
    home.callgate(&["check", "pets"]);
    home.callgate(&["tools", "petz"]).exits(2).says("did you mean the profile `pets`?");
    home.callgate(&["tools", "github"]).exits(2).says("`callgate init github FILE|URL`");
}

#[test]
fn each_command_that_init_prints_runs_as_printed() {
    let home = Home::new();
    let spec = |details: &str| {
        format!(
            "openapi: 3.0.3\ninfo: {{ title: t, version: '1' }}\nservers: [{{ url: 'https://a.example' }}]\n\
             paths: {{ '/a/{{id}}': {{ put: {{ operationId: a, {details}, responses: {{ 200: {{ description: ok }} }} }} }} }}\n"
        )
    };
    let id = "parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]";
    let body = "requestBody: { required: true, content: { application/json: { schema: { type: object, required: [kind], properties: { kind: { type: string, enum: [\"it's\", b] } } } } } }";
    // No text has this form, so that the page of the tool is named in place of a call.
    let impossible = id.replace("type: integer", "type: string, minLength: 3, maxLength: 1");
    for (details, line) in [
        (id.to_owned(), "callgate call t a id=1 --dry-run"),
        (format!("{id}, {body}"), "callgate call t a id=1 'kind=it'\\''s' --dry-run"),
        (impossible, "callgate tools t a"),
    ] {
        fs::write(home.0.path().join("spec.yaml"), spec(&details)).unwrap();
        let made = home.callgate(&["init", "t", "spec.yaml", "--force"]).exits(0);
        let printed: Vec<_> = made.out.lines().skip(1).collect();
        assert_eq!(printed, ["callgate tools t", line], "{made:#?}");
        let words = line.replace("'kind=it'\\''s'", "kind=it's");
        let words: Vec<_> = words.split(' ').skip(1).collect();
        home.callgate(&words).exits(0);
    }
}

#[test]
fn an_existing_file_overrides_a_profile() {
    let home = Home::new();
    home.callgate(&["init", "pets", &pets()]).exits(0);
    let other = fs::read_to_string(root().join("fixtures/pets/spec.yaml")).unwrap();
    fs::write(
        home.0.path().join("pets"),
        other.replace("operationId: listPets", "operationId: other"),
    )
    .unwrap();
    home.callgate(&["tools", "pets"]).exits(0).prints("other");
    fs::remove_file(home.0.path().join("pets")).unwrap();
    home.callgate(&["tools", "./pets"]).exits(2).says("cannot read");
    home.callgate(&["tools", "pets"]).exits(0).prints("listPets");
}

#[test]
fn no_file_is_overwritten_without_force() {
    let home = Home::new();
    fs::write(home.0.path().join("callgate.yaml"), "mine").unwrap();
    let line = ["init", "pets", &pets(), "--here"];
    home.callgate(&line).exits(2).says("is there already").says("`--force`");
    assert_eq!(fs::read_to_string(home.0.path().join("callgate.yaml")).unwrap(), "mine");
    home.callgate(&[&line[..], &["--force"]].concat()).exits(0).prints("callgate call . ");
    home.callgate(&["tools", "."]).exits(0).prints("listPets");
}

#[test]
fn flags_of_init_are_written_to_the_configuration() {
    let home = Home::new();
    let spec = "openapi: 3.0.3\ninfo: { title: t, version: '1' }\n\
        paths: { /a: { get: { operationId: a, responses: { 200: { description: ok } } } } }\n";
    fs::write(home.0.path().join("spec.yaml"), spec).unwrap();
    home.callgate(&["init", "my-api", "spec.yaml"]).exits(2).says("`--server https://HOST`");
    let flags =
        ["--server", "https://a.example/v1", "--bearer", "file:token", "-H", "X-Version: 2"];
    let more =
        ["--timeout", "9s", "--limits", "response_bytes=8MiB", "--egress-allow", "10.0.0.0/8"];
    home.callgate(&[&["init", "my-api", "spec.yaml"], &flags[..], &more[..]].concat()).exits(0);
    let written = fs::read_to_string(home.profile("my-api")).unwrap();
    let folder = home.0.path().display();
    for part in [
        &format!("  my_api:\n    openapi: {folder}/spec.yaml\n"),
        "server: https://a.example/v1\n",
        &format!("token: file:{folder}/token\n"),
        "X-Version: '2'\n",
        "timeout: 9s\n",
        "response_bytes: 8MiB\n",
        "- 10.0.0.0/8\n",
    ] {
        assert!(written.contains(part), "no `{part}` in {written}");
    }
    home.callgate(&["call", "my-api", "a", "--dry-run"]).exits(0).prints("https://a.example/v1/a");
}

#[test]
fn a_secret_is_never_written() {
    let home = Home::new();
    for credential in ["key=canary", "key=literal:canary", "key", "kei=env:KEY", "key="] {
        let ended = home.callgate(&["init", "pets", &pets(), "--credential", credential]).exits(2);
        ended.says("error:").says("help:");
    }
    home.callgate(&["init", "pets", &pets(), "--bearer", "canary"]).exits(2);
    assert!(!home.profile("pets").exists());
}

#[test]
fn init_without_a_terminal_asks_no_question() {
    let home = Home::new();
    let ended = home.callgate(&["init", "pets", &pets()]).exits(0);
    ended.says("note: the security scheme `key` has no credential; give it with `--credential key=env:NAME`");
    home.callgate(&["init", "a b", &pets()]).exits(2);
    home.callgate(&["init", "a", "none.yaml"]).exits(2).says("error");
    let demo = root().join("config/demo.yaml").display().to_string();
    home.callgate(&["init", "a", &demo]).exits(2).says("got a configuration");
}

#[test]
fn init_writes_the_endpoints_of_a_login_scheme() {
    let home = Home::new();
    let spec = home.0.path().join("spec.json").display().to_string();
    let description = r#"{"openapi": "3.0.3", "info": {"title": "T", "version": "1"},
        "servers": [{"url": "https://a.example"}],
        "paths": {"/a": {"get": {"operationId": "a", "responses": {"200": {"description": "ok"}}}}},
        "security": [{"idp": ["pets:write"]}, {"idp": ["pets:read"]}],
        "components": {"securitySchemes": {"idp": {"type": "oauth2", "flows": {"authorizationCode": {
            "authorizationUrl": "https://idp.example/page", "tokenUrl": "https://idp.example/token", "scopes": {}}}}}}}"#;
    fs::write(&spec, description).unwrap();
    for wrong in ["idp=login:", "idp=login:me:canary", "idp=login::env:X"] {
        home.callgate(&["init", "mine", &spec, "--credential", wrong]).exits(2).says("login:ID");
    }
    let credential = "idp=login:me:env:IDP_SECRET";
    let made = home.callgate(&["init", "mine", &spec, "--credential", credential]).exits(0);
    made.prints("callgate login mine\n");
    let written = fs::read_to_string(home.profile("mine")).unwrap();
    for part in [
        "authorization_url: https://idp.example/page",
        "token_url: https://idp.example/token",
        "client_id: me",
        "client_secret: env:IDP_SECRET",
        "scopes:\n          - pets:read\n          - pets:write\n",
    ] {
        assert!(written.contains(part), "no `{part}` in {written}");
    }
    home.callgate(&["init", "mine", &spec, "--force", "--credential", "idp=login:me"]).exits(0);
    home.callgate(&["call", "mine", "a"]).exits(1).says("run `callgate login mine`");
    home.callgate(&["logout", "mine"]).exits(0).prints("nobody was logged in for `idp`");
    home.callgate(&["login", "mine", "other"]).exits(2).says("these have: `mine`");
    home.callgate(&["init", "pets", &pets()]).exits(0);
    let without = home.callgate(&["login", "pets"]).exits(2);
    without.says("no credential that a person logs in for").says("oauth2_authorization_code");
    home.callgate(&["login", "mine", "--wait", "0s"]).exits(2).says("expected a time");
}

#[test]
fn files_of_a_deployment_name_secrets_of_the_configuration_without_their_values() {
    let home = Home::new();
    let folder = home.0.path();
    fs::create_dir(folder.join("api")).unwrap();
    fs::copy(pets(), folder.join("api/pets.yaml")).unwrap();
    let text = "access: {bearer: 'env:CALLER_TOKEN'}\ntoolsets:\n  pets:\n    openapi: api/pets.yaml\n    credentials: {key: {api_key: \
                {value: 'directory:pets-key'}}}\n";
    fs::write(folder.join("callgate.yaml"), text).unwrap();
    let made = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let ended = home.callgate(&["init", "boxes", "callgate.yaml", "--deploy", "compose"]).exits(0);
    ended.prints("docker compose --project-directory boxes up").says("listen: 0.0.0.0:8410");
    for expected in ["${CALLER_TOKEN:?", "file: ./secrets/pets-key", "/etc/callgate/callgate.yaml"]
    {
        assert!(made("boxes/compose.override.yaml").contains(expected), "{expected}");
    }
    let ended =
        home.callgate(&["init", "pods", "callgate.yaml", "--deploy", "kubernetes"]).exits(0);
    ended.prints("helm upgrade --install callgate pods/callgate");
    let values = made("pods/values.yaml");
    for expected in
        ["key: CALLER_TOKEN", "openapi: /etc/callgate/pets.yaml", "pets.yaml: ", "- callgate\n"]
    {
        assert!(values.contains(expected), "{expected}: {values}");
    }
    assert!(made("pods/callgate/templates/deployment.yaml").contains("readOnlyRootFilesystem"));
    let ended = home.callgate(&["init", "unit", "callgate.yaml", "--deploy", "systemd"]).exits(0);
    let ended = ended.prints("systemctl enable --now callgate.socket callgate.service");
    let ended = ended.prints("install -D --mode 644 api/pets.yaml /etc/callgate/api/pets.yaml\n");
    let ended = ended.prints("install -D --mode 600 pets-key /etc/callgate/secrets/pets-key\n");
    ended.says("add `secrets: {directory: /run/credentials/callgate.service}`");
    let drop_in = made("unit/callgate.service.d/secrets.conf");
    let expected = "LoadCredential=pets-key:/etc/callgate/secrets/pets-key";
    assert!(drop_in.contains(expected), "{drop_in}");
    assert!(drop_in.contains("CALLER_TOKEN=…"), "{drop_in}");
    assert!(made("unit/callgate.socket").contains("ListenStream="));
    let text = format!("listen: 10.0.0.1:8410\n{text}");
    fs::write(folder.join("addressed.yaml"), text).unwrap();
    let ended = home.callgate(&["init", "own", "addressed.yaml", "--deploy", "systemd"]).exits(0);
    ended.prints("systemctl mask --now callgate.socket\nsystemctl enable --now callgate.service");
    assert!(!folder.join("own/callgate.socket").exists(), "a socket whose callers nobody answers");

    let again = ["init", "unit", "callgate.yaml", "--deploy", "systemd"];
    home.callgate(&again).exits(2).says("is there already");
    let description = ["init", "x", "api/pets.yaml", "--deploy", "systemd"];
    home.callgate(&description).exits(2).says("expected a callgate configuration");
}

#[test]
fn a_secret_that_is_written_down_goes_into_no_file_of_a_deployment() {
    let home = Home::new();
    let folder = home.0.path();
    fs::copy(pets(), folder.join("pets.yaml")).unwrap();
    let text = |token: &str| {
        format!(
            "toolsets: {{pets: {{openapi: pets.yaml, auth: {{bearer: {{token: '{token}'}}}}}}}}"
        )
    };
    fs::write(folder.join("callgate.yaml"), text("literal:canary-of-a-secret")).unwrap();
    for way in ["compose", "kubernetes", "systemd"] {
        let ended = home.callgate(&["init", "out", "callgate.yaml", "--deploy", way]).exits(2);
        let ended = ended.says("written down: `/toolsets/pets/auth/bearer/token`");
        assert!(!format!("{ended:?}").contains("canary"), "{ended:?}");
        assert!(!folder.join("out").exists());
    }
    fs::write(folder.join("callgate.yaml"), text("directory:a b")).unwrap();
    let ended = home.callgate(&["init", "out", "callgate.yaml", "--deploy", "systemd"]).exits(2);
    ended.says("expected a name of letters, digits");
    fs::create_dir(folder.join("c d")).unwrap();
    fs::copy(pets(), folder.join("c d/pets.yaml")).unwrap();
    fs::write(folder.join("c d/callgate.yaml"), text("env:TOKEN")).unwrap();
    let ended =
        home.callgate(&["init", "unit", "c d/callgate.yaml", "--deploy", "systemd"]).exits(0);
    let ended =
        ended.prints("install -D --mode 644 'c d/callgate.yaml' /etc/callgate/callgate.yaml\n");
    let ended = ended.prints("install -D --mode 644 'c d/pets.yaml' /etc/callgate/pets.yaml\n");
    ended.prints("cp --recursive unit/* /etc/systemd/system/\n");
}
