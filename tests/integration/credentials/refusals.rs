//! Status 401 to a call without a credential: of whom it asks something depends on the operation.

use crate::prelude::*;

const SIGN_IN: &str = "
openapi: 3.1.0
info: {title: T, version: '1'}
paths:
  /login:
    post:
      operationId: login
      requestBody: {content: {application/json: {schema: {type: object, properties: {user: {type: string}, password: {type: string}}}}}}
  /codes/{code}:
    get: {operationId: redeem, security: [], parameters: [{name: code, in: path, required: true, schema: {type: string}}]}
  /now: {get: {operationId: now, security: []}}
  /orders/{no}:
    get: {operationId: order, parameters: [{name: no, in: path, required: true, schema: {type: string}}]}
  /mine: {get: {operationId: mine, security: [{key: []}]}}
components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}}
";

#[tokio::test]
async fn a_401_without_a_credential_is_corrected_by_whoever_gave_what_was_refused() {
    let service = Service::start(|_| (401, r#"{"detail": "no such user"}"#.to_owned())).await;
    let built = toolset(SIGN_IN, &format!("server: '{}'", service.origin)).unwrap();
    for (tool, arguments, code, next) in [
        (
            "login",
            json!({"body": {"user": "a", "password": "b"}}),
            FaultCode::ServiceError,
            Next::CorrectArguments,
        ),
        ("redeem", json!({"code": "7"}), FaultCode::ServiceError, Next::CorrectArguments),
        // No argument could be at fault.
        ("now", json!({}), FaultCode::AuthFailed, Next::GiveUp),
        // The description does not say that nobody has to sign in.
        ("order", json!({"no": "7"}), FaultCode::AuthFailed, Next::GiveUp),
    ] {
        let arguments = arguments.as_object().cloned().unwrap();
        let call = ToolCall::new("1", tool, arguments);
        let result = built.executor.call(&call, &Session::default()).await;
        let Outcome::Failed(fault) = result.outcome else { panic!("{tool}: {result:?}") };
        assert_eq!((fault.code, fault.next), (code, next), "{tool}: {fault:?}");
        assert_eq!((fault.status, fault.reached), (Some(401), Reached::Yes), "{tool}");
        assert_eq!(fault.body, Some(json!({"detail": "no such user"})), "{tool}");
    }
}
