//! Tests each source of keys, with a store in memory for the variables and files and a server for the endpoints.

use callgate_secret::{MemoryStore, Secret};
use callgate_testkit::{Service, later};
use callgate_transport::Client;

use super::*;

fn local(secrets: &[(&str, &str)]) -> Arc<dyn SecretStore> {
    let mut store = MemoryStore::new();
    for (reference, value) in secrets {
        store = store.with(&reference.parse().unwrap(), Secret::new((*value).to_owned()));
    }
    Arc::new(store)
}

fn source(secrets: &[(&str, &str)]) -> AwsKeySource {
    let environment = KeySource::Environment { region: "eu-west-1".to_owned() };
    AwsKeySource::new(environment, local(secrets), Arc::new(Client::new().unwrap()))
}

async fn check(secrets: &[(&str, &str)], expected: (&str, &str, Option<&str>)) {
    let keys = source(secrets).keys().await.unwrap();
    let token = keys.session_token.as_ref().map(Secret::expose);
    assert_eq!((keys.access_key_id.expose(), keys.secret_access_key.expose(), token), expected);
    assert!(!format!("{keys:?}").contains("AKID"));
}

const ANSWERED: &str = r#"{"Code": "Success", "AccessKeyId": "AKIDM", "SecretAccessKey": "sm", "Token": "tm",
    "Expiration": "2026-01-01T00:00:00Z"}"#;

#[tokio::test]
async fn aws_keys_in_variables_precede_other_sources() {
    check(
        &[("env:AWS_ACCESS_KEY_ID", "AKID"), ("env:AWS_SECRET_ACCESS_KEY", "s")],
        ("AKID", "s", None),
    )
    .await;
    check(
        &[
            ("env:AWS_ACCESS_KEY_ID", "AKID"),
            ("env:AWS_SECRET_ACCESS_KEY", "s"),
            ("env:AWS_SESSION_TOKEN", "t"),
            ("env:AWS_WEB_IDENTITY_TOKEN_FILE", "/t"),
            ("env:AWS_ROLE_ARN", "r"),
        ],
        ("AKID", "s", Some("t")),
    )
    .await;
}

#[tokio::test]
async fn a_web_identity_is_exchanged_for_keys() {
    let server = Service::start(|_| {
        let answer = "<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>\
            <SessionToken>tw+/=</SessionToken><SecretAccessKey>sw</SecretAccessKey>\
            <Expiration>2026-01-01T00:00:00Z</Expiration><AccessKeyId>AKIDW</AccessKeyId></Credentials>\
            </AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>";
        (200, answer.to_owned())
    })
    .await;
    let secrets = [
        ("env:AWS_WEB_IDENTITY_TOKEN_FILE", "/token"),
        ("file:/token", "a.b-c_d"),
        ("env:AWS_ROLE_ARN", "arn:aws:iam::1:role/pets"),
        ("env:AWS_ENDPOINT_URL_STS", &server.origin),
    ];
    check(&secrets, ("AKIDW", "sw", Some("tw+/="))).await;
    let asked = server.received().pop().unwrap();
    assert_eq!(
        asked.body,
        "Action=AssumeRoleWithWebIdentity&Version=2011%2D06%2D15&DurationSeconds=3600\
         &RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fpets&RoleSessionName=callgate&WebIdentityToken=a%2Eb%2Dc%5Fd"
    );
    assert_eq!(asked.header("content-type"), "application/x-www-form-urlencoded");
}

#[tokio::test]
async fn a_containers_endpoint_receives_its_token() {
    let server = Service::start(|asked| match asked.header("authorization") {
        "Bearer t" => (200, ANSWERED.to_owned()),
        _ => (401, String::new()),
    })
    .await;
    let full = format!("{}/role", server.origin);
    let full = ("env:AWS_CONTAINER_CREDENTIALS_FULL_URI", full.as_str());
    let token = ("env:AWS_CONTAINER_AUTHORIZATION_TOKEN", "Bearer t");
    check(&[full, token], ("AKIDM", "sm", Some("tm"))).await;
    let old = ("env:AWS_CONTAINER_AUTHORIZATION_TOKEN", "old");
    let file = ("env:AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "/token");
    check(&[full, old, file, ("file:/token", "Bearer t")], ("AKIDM", "sm", Some("tm"))).await;
}

#[tokio::test]
async fn keys_do_not_leave_the_machine_in_the_clear() {
    for full in
        ["http://keys.example.com/role", "http://169.254.1.1/", "role", "http://127.example/"]
    {
        let secrets = [("env:AWS_CONTAINER_CREDENTIALS_FULL_URI", full)];
        let error = source(&secrets).keys().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Denied, "{full}: {error}");
    }
}

#[tokio::test]
async fn an_instances_metadata_is_read_with_version_two() {
    let server = Service::start(|asked| {
        let is_known = asked.header("x-aws-ec2-metadata-token") == "session";
        match asked.line.as_str() {
            "PUT /latest/api/token" => (200, "session".to_owned()),
            "GET /latest/meta-data/iam/security-credentials/" if is_known => {
                (200, "pets-role".to_owned())
            }
            "GET /latest/meta-data/iam/security-credentials/pets-role" if is_known => {
                (200, ANSWERED.to_owned())
            }
            _ => (401, String::new()),
        }
    })
    .await;
    let endpoint = ("env:AWS_EC2_METADATA_SERVICE_ENDPOINT", server.origin.as_str());
    check(&[endpoint], ("AKIDM", "sm", Some("tm"))).await;
    let put = &server.received()[0];
    assert_eq!(put.header("x-aws-ec2-metadata-token-ttl-seconds"), "300");
    let disabled = ("env:AWS_EC2_METADATA_DISABLED", "true");
    let error = source(&[endpoint, disabled]).keys().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("shared profiles are not read"), "{error}");
}

#[tokio::test]
async fn found_keys_are_cached_and_read_again_after_a_rejection() {
    let server = Service::start(|_| (200, ANSWERED.to_owned())).await;
    let full = format!("{}/role", server.origin);
    let source = source(&[("env:AWS_CONTAINER_CREDENTIALS_FULL_URI", &full)]);
    let keys = source.keys().await.unwrap();
    source.keys().await.unwrap();
    assert_eq!(server.count("GET /role"), 1);
    assert!(source.keys_other_than(&keys).await.unwrap().is_none(), "they are the same");
    assert_eq!(server.count("GET /role"), 2);
    later(METADATA_LIFE).await;
    source.keys().await.unwrap();
    assert_eq!(server.count("GET /role"), 3);
}
