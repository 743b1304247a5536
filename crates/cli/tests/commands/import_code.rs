//! The code interpreter of an exported agent.

use crate::prelude::*;

use serde_json::json;

use super::import::imported;

#[test]
fn the_code_interpreter_of_an_agent_becomes_a_toolset_with_recorded_answers() {
    let name = "projects/p/locations/l/agents/a/tools/df-code-interpreter-tool";
    let playbook = format!(r#"{{"displayName": "p", "referencedTools": ["{name}"]}}"#);
    let tool_use = |input: &str, output: &str| {
        format!(
            r#"{{"displayName": "sum", "actions": [{{"toolUse": {{"tool": "{name}",
            "action": "generate_and_execute", {input}, {output}}}}}]}}"#
        )
    };
    let value = r#"{"output_files": [{"name": "", "contents": ""}, {"name": "a.txt", "contents": "YQ=="}],
        "execution_result": "8", "execution_error": "", "generated_code": "4 + 4"}"#;
    let listed = tool_use(
        r#""inputParameters": [{"name": "generate_and_execute input", "value": "4 + 4"}]"#,
        &format!(
            r#""outputParameters": [{{"name": "generate_and_execute output", "value": {value}}}]"#
        ),
    );
    let named = tool_use(
        r#""inputActionParameters": {"generate_and_execute input": "4 + 4"}"#,
        &format!(r#""outputActionParameters": {value}"#),
    );
    let own = r#"{"name": "df-code-interpreter-tool", "toolType": "BUILTIN_TOOL"}"#;
    let tool = ("tools/df-code-interpreter-tool/df-code-interpreter-tool.json", own);
    let (by_playbook, example) = ("playbooks/p/p.json", "playbooks/p/examples/sum.json");
    for files in [
        vec![(by_playbook, &*playbook), (example, &*listed)],
        vec![(example, &*named)],
        vec![tool, (example, &*listed)],
    ] {
        let (folder, ended) = imported(&[&[("agent.json", "{}")][..], &files].concat());
        ended.exits(0).prints("1 toolsets and 1 calls of examples").says("`engine: python`");
        let out = folder.path().join("out");
        let (_, cases) = fs::read_dir(&out)
            .unwrap()
            .map(|entry| (0, entry.unwrap().path().join("cases/sum")))
            .find(|(_, cases)| cases.is_dir())
            .unwrap();
        let json = |name: &str| {
            let text = fs::read_to_string(cases.join(name)).unwrap();
            serde_json::from_str::<serde_json::Value>(&text).unwrap()
        };
        let call = json!({"tool": "generate_and_execute", "arguments": {"input": "4 + 4"}});
        assert_eq!(json("call.json"), call);
        let files = json!([{"name": "a.txt", "contents": "YQ=="}]);
        assert_eq!(json("result.json")["response"]["output_files"], files);
        assert_eq!(json("result.json")["response"]["execution_result"], "8");
        let configuration = fs::read_to_string(out.join("callgate.yaml")).unwrap();
        assert!(configuration.contains("code_interpreter: {}"), "{configuration}");
        callgate(&["test", out.to_str().unwrap()]).exits(0);
        let run = ["call", out.to_str().unwrap(), "generate_and_execute", "input=4 + 4"];
        callgate(&run).exits(0).prints(r#""execution_result": "8""#);
    }
}
