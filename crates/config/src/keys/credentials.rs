//! The keys of credentials.

use super::{Key, Kind, Table, Takes, key, needing, required, secret, table, text, texts};

const AWS_SIGV4_KIND: Key =
    needing("aws", key("aws_sigv4", Kind::Table(&AWS_SIGV4), "A signature of AWS, Version 4"));
const BASIC_KIND: Key = key("basic", Kind::Table(&BASIC), "A user name and a password");
const BEARER_KIND: Key = key("bearer", Kind::Table(&BEARER), "A bearer token");
const GOOGLE_ACCESS_TOKEN_KIND: Key = needing(
    "google",
    key(
        "google_access_token",
        Kind::Table(&GOOGLE_ACCESS_TOKEN),
        "An access token of a Google account",
    ),
);
const GOOGLE_ID_TOKEN_KIND: Key = needing(
    "google",
    key("google_id_token", Kind::Table(&GOOGLE_ID_TOKEN), "An identity token of a Google account"),
);
const JWT_BEARER_KIND: Key = key(
    "jwt_bearer",
    Kind::Table(&JWT_BEARER),
    "A token for a JWT that speaks for a user (RFC 7523)",
);
const OAUTH2_AUTHORIZATION_CODE_KIND: Key = key(
    "oauth2_authorization_code",
    Kind::Table(&OAUTH2_AUTHORIZATION_CODE),
    "A token of the person who logged in with `callgate login` (OAuth 2.0)",
);
const OAUTH2_CLIENT_CREDENTIALS_KIND: Key = key(
    "oauth2_client_credentials",
    Kind::Table(&OAUTH2_CLIENT_CREDENTIALS),
    "A token that callgate asks for as a client of its own (OAuth 2.0)",
);
const TOKEN_EXCHANGE_KIND: Key =
    key("token_exchange", Kind::Table(&TOKEN_EXCHANGE), "A token for a user's token (RFC 8693)");

/// The credential of a toolset.
pub(crate) const AUTH: Table = Table {
    name: "`auth`",
    keys: &[
        key("api_key", Kind::Table(&API_KEY), "A key in a header, a cookie or the query"),
        AWS_SIGV4_KIND,
        BASIC_KIND,
        BEARER_KIND,
        GOOGLE_ACCESS_TOKEN_KIND,
        GOOGLE_ID_TOKEN_KIND,
        JWT_BEARER_KIND,
        OAUTH2_AUTHORIZATION_CODE_KIND,
        OAUTH2_CLIENT_CREDENTIALS_KIND,
        TOKEN_EXCHANGE_KIND,
    ],
    shared: &[],
    takes: Takes::One,
};

/// The credential of a security scheme.
pub(crate) const SCHEME: Table = Table {
    name: "a credential of `credentials`",
    keys: &[
        key("api_key", Kind::Table(&SCHEME_API_KEY), "A key; the description says where it goes"),
        AWS_SIGV4_KIND,
        BASIC_KIND,
        BEARER_KIND,
        GOOGLE_ACCESS_TOKEN_KIND,
        GOOGLE_ID_TOKEN_KIND,
        JWT_BEARER_KIND,
        OAUTH2_AUTHORIZATION_CODE_KIND,
        OAUTH2_CLIENT_CREDENTIALS_KIND,
        TOKEN_EXCHANGE_KIND,
    ],
    shared: &[],
    takes: Takes::One,
};

/// An API key.
pub(crate) const API_KEY: Table = table(
    "`api_key`",
    &[
        required(key(
            "in",
            Kind::Choice(&["cookie", "header", "query"]),
            "Where the service expects the key",
        )),
        required(text("name", "The name of the header, the cookie or the query parameter")),
        required(secret("value", "The key")),
    ],
);

/// An API key whose place the description states.
pub(crate) const SCHEME_API_KEY: Table =
    table("`api_key` of `credentials`", &[required(secret("value", "The key"))]);

/// The signature of AWS.
pub(crate) const AWS_SIGV4: Table = table(
    "`aws_sigv4`",
    &[
        secret(
            "access_key_id",
            "The id of the access key; keys are found where AWS puts them unless named",
        ),
        key(
            "payload",
            Kind::Choice(&["signed", "unsigned"]),
            "`unsigned` leaves the body out of the signature (https only)",
        ),
        text("region", "The region; `AWS_REGION` unless given"),
        secret("secret_access_key", "The secret access key"),
        required(text("service", "The service that requests are signed for: `execute-api`")),
        secret("session_token", "The session token of temporary keys"),
    ],
);

/// A user name and a password.
pub(crate) const BASIC: Table = table(
    "`basic`",
    &[
        required(secret("password", "The password")),
        required(text("username", "The user name, or a reference to a secret that holds it")),
    ],
);

/// A bearer token.
pub(crate) const BEARER: Table = table(
    "`bearer`",
    &[required(key(
        "token",
        Kind::SecretOrSession,
        "The token, or the session's own: `$session.credentials.NAME`",
    ))],
);

const AUDIENCE: Key = key(
    "audience",
    Kind::AnyOf(&[Kind::Text, Kind::List(&Kind::Text)]),
    "For whom the token is, by name; `env:NAME` for the variable that holds it",
);
const CLIENT_AUTHENTICATION: Key = key(
    "client_authentication",
    Kind::Choice(&["basic", "body", "none", "private_key_jwt"]),
    "How the client shows who it is",
);
const CLIENT_ID: Key =
    text("client_id", "The client, or a reference to a secret that holds its id");
const CLIENT_SECRET: Key = secret("client_secret", "The client's secret");
const ISSUER: Key = key(
    "issuer",
    Kind::Setting,
    "The authorization server, whose metadata say where tokens are asked for",
);
const JWT_AUDIENCE: Key = text(
    "jwt_audience",
    "For whom the client's JWT is; the issuer or the token endpoint unless given",
);
const PARAMETERS: Key =
    key("parameters", Kind::Map(&Kind::Text), "Whatever else the authorization server asks for");
const PRIVATE_KEY: Key = secret("private_key", "The key the client signs its JWT with, as PEM");
const PRIVATE_KEY_ALGORITHM: Key = key(
    "private_key_algorithm",
    Kind::Choice(&["ES256", "ES384", "EdDSA", "PS256", "RS256"]),
    "The algorithm of the signature; by the key unless given",
);
const PRIVATE_KEY_ID: Key =
    text("private_key_id", "What the authorization server knows the key by");
const RESOURCE: Key = key(
    "resource",
    Kind::AnyOf(&[Kind::Text, Kind::List(&Kind::Text)]),
    "For whom the token is, by URL",
);
const SCOPES: Key =
    key("scopes", Kind::AnyOf(&[Kind::Text, Kind::List(&Kind::Text)]), "The scopes of the token");
const TOKEN_URL: Key = key(
    "token_url",
    Kind::Setting,
    "Where tokens are asked for; under `credentials` the description may say it",
);

/// A token of a person who logged in.
pub(crate) const OAUTH2_AUTHORIZATION_CODE: Table = table(
    "`oauth2_authorization_code`",
    &[
        AUDIENCE,
        key(
            "authorization_url",
            Kind::Setting,
            "The page where a person logs in; the issuer or the description may say it",
        ),
        CLIENT_AUTHENTICATION,
        required(CLIENT_ID),
        CLIENT_SECRET,
        key(
            "device_authorization_url",
            Kind::Setting,
            "Where a login on another device begins; the issuer or the description may say it",
        ),
        ISSUER,
        JWT_AUDIENCE,
        PARAMETERS,
        PRIVATE_KEY,
        PRIVATE_KEY_ALGORITHM,
        PRIVATE_KEY_ID,
        key(
            "redirect_url",
            Kind::Setting,
            "The address on this machine that the browser comes back to, where the server takes one only: `http://127.0.0.1:8400/callback`",
        ),
        RESOURCE,
        key(
            "revocation_url",
            Kind::Setting,
            "Where `callgate logout` gives tokens back; the issuer may say it",
        ),
        SCOPES,
        TOKEN_URL,
    ],
);

/// A token that a client requests for itself.
pub(crate) const OAUTH2_CLIENT_CREDENTIALS: Table = table(
    "`oauth2_client_credentials`",
    &[
        AUDIENCE,
        CLIENT_AUTHENTICATION,
        required(CLIENT_ID),
        CLIENT_SECRET,
        ISSUER,
        JWT_AUDIENCE,
        PARAMETERS,
        PRIVATE_KEY,
        PRIVATE_KEY_ALGORITHM,
        PRIVATE_KEY_ID,
        RESOURCE,
        SCOPES,
        TOKEN_URL,
    ],
);

/// A token for a JWT that represents a user.
pub(crate) const JWT_BEARER: Table = table(
    "`jwt_bearer`",
    &[
        required(key("assertion", Kind::SecretOrSession, "The JWT: `$session.credentials.NAME`")),
        AUDIENCE,
        CLIENT_AUTHENTICATION,
        CLIENT_ID,
        CLIENT_SECRET,
        ISSUER,
        JWT_AUDIENCE,
        PARAMETERS,
        PRIVATE_KEY,
        PRIVATE_KEY_ALGORITHM,
        PRIVATE_KEY_ID,
        RESOURCE,
        SCOPES,
        TOKEN_URL,
    ],
);

/// A token that is exchanged for a user's token.
pub(crate) const TOKEN_EXCHANGE: Table = table(
    "`token_exchange`",
    &[
        key(
            "actor_token",
            Kind::SecretOrSession,
            "Who acts for the user, where the server asks for it",
        ),
        text("actor_token_type", "The type of the actor's token"),
        AUDIENCE,
        CLIENT_AUTHENTICATION,
        CLIENT_ID,
        CLIENT_SECRET,
        ISSUER,
        JWT_AUDIENCE,
        PARAMETERS,
        PRIVATE_KEY,
        PRIVATE_KEY_ALGORITHM,
        PRIVATE_KEY_ID,
        text("requested_token_type", "The type of token that is asked for"),
        RESOURCE,
        SCOPES,
        required(key(
            "subject_token",
            Kind::SecretOrCaller,
            "The user's token: `$session.credentials.NAME`, or `$caller.token` for the one the caller came with",
        )),
        text(
            "subject_token_type",
            "The type of the user's token: `access_token`, `id_token`, `jwt`, `refresh_token`, `saml1`, `saml2`, or a URI",
        ),
        TOKEN_URL,
    ],
);

const ACCOUNT: Key = key(
    "account",
    Kind::Choice(&["default", "machine"]),
    "Application default credentials, or the metadata server's account",
);
const DELEGATES: Key =
    texts("delegates", "The chain of accounts that leads to the one that is stood in for");
const ENDPOINTS: Key = key(
    "endpoints",
    Kind::Table(&GOOGLE_ENDPOINTS),
    "Where Google's services answer, if not at their public addresses",
);
const IMPERSONATE: Key = text("impersonate", "The account that is stood in for");
const GOOGLE_KEY: Key = secret("key", "A key instead of an account: the text of the key's file");

/// An access token of a Google account.
pub(crate) const GOOGLE_ACCESS_TOKEN: Table = table(
    "`google_access_token`",
    &[
        ACCOUNT,
        DELEGATES,
        ENDPOINTS,
        IMPERSONATE,
        GOOGLE_KEY,
        texts("scopes", "The scopes of the token; everything in Google Cloud unless given"),
    ],
);

/// An identity token of a Google account.
pub(crate) const GOOGLE_ID_TOKEN: Table = table(
    "`google_id_token`",
    &[
        ACCOUNT,
        text(
            "audience",
            "Whom the token is for; scheme and host of the server unless given; `env:NAME` for the variable that holds it",
        ),
        DELEGATES,
        ENDPOINTS,
        IMPERSONATE,
        GOOGLE_KEY,
    ],
);

/// The account that secrets of Google Secret Manager are read with.
pub(crate) const SECRETS_GCP: Table = table(
    "`gcp`",
    &[
        ACCOUNT,
        DELEGATES,
        ENDPOINTS,
        IMPERSONATE,
        GOOGLE_KEY,
        key("tls", Kind::Table(&super::TLS), "What secures the connections to the store"),
    ],
);

/// The service whose endpoints are contacted.
pub(crate) const SERVICE_DIRECTORY: Table = table(
    "`service_directory`",
    &[
        ACCOUNT,
        DELEGATES,
        ENDPOINTS,
        IMPERSONATE,
        GOOGLE_KEY,
        required(text("service", "`projects/P/locations/L/namespaces/N/services/S`")),
    ],
);

/// The addresses of Google's services.
pub(crate) const GOOGLE_ENDPOINTS: Table = table(
    "`endpoints`",
    &[
        key("iam_credentials", Kind::Address, "The service that stands in for accounts"),
        key("metadata", Kind::Address, "The metadata server"),
        key("secret_manager", Kind::Address, "Secret Manager"),
        key("service_directory", Kind::Address, "Service Directory"),
        key("token", Kind::Address, "The only place a key may be exchanged at"),
    ],
);
