//! Session inputs where no value can be filled in.

use crate::prelude::*;

#[test]
fn a_session_input_that_cannot_be_filled_in_is_a_finding_and_refused_if_strict() {
    for keyword in ["contains", "contentSchema", "not", "propertyNames"] {
        let text = format!(
            "
paths:
  /a:
    post:
      operationId: send
      summary: Sends
      requestBody: {{content: {{application/json: {{schema: {{type: object, properties: {{a: {{
        {keyword}: {{type: object, properties: {{user: {{type: string, x-agent-input-parameter: userId}}}}}}}}}}}}}}}}}}
      responses: {{'200': {{description: ok}}}}
"
        );
        for (session_inputs, expected) in [
            (SessionInputs::default(), OperationStatus::Degraded),
            (SessionInputs::Strict, OperationStatus::Refused),
        ] {
            let options = LoadOptions { session_inputs, ..LoadOptions::default() };
            let loaded = loaded(&text, &options);
            let told = |code: &str| {
                loaded.report.diagnostics.iter().any(|known| known.code.as_str() == code)
            };
            assert!(told("session-input-lost"), "{keyword}: {:?}", loaded.report.diagnostics);
            assert_eq!(loaded.report.operations[0].status, expected, "{keyword}");
        }
    }
}
