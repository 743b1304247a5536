//! The ways to a call, or to the result of one: what comes before the change, and what leads to the call or the result after it.

use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::{
    surroundings::{CANARY, LENGTH, until},
    world::{Asked, World},
};

values! {
    /// A way.
    Way {
        Approval,
        ApprovalOfAnother,
        Call,
        /// The tool of MCP that calls the others.
        CallTool,
        /// The client's answer in `:run`.
        ClientAnswerOfRun,
        ClientAnswerOfTurn,
        DetectIntent,
        Dialect,
        Execute,
        Handle,
        /// A call of a turn behind one that waits for an approval.
        HeldCall,
        KeyOfCall,
        KeyOfExecute,
        KeyOfRequest,
        KeyOfRun,
        KeyOfTurn,
        Mcp,
        /// The list of calls that wait.
        Page,
        /// A part of a result.
        PageOfResult,
        Run,
        /// A turn that waits for its model.
        RunningTurn,
        /// A turn that waits for its model, which read a result before.
        RunningTurnWithResult,
        Search,
        SentHandle,
        Stream,
        /// A call behind another one of its request.
        WaitingCall,
    }
}

/// What leads on after the change.
pub(super) enum Begun {
    Nothing,
    Text(String),
    Request(JoinHandle<String>),
}

impl Way {
    /// The number of ways that lead through an agent.
    pub(super) const N_WITH_AGENT: usize = 5;

    pub(super) fn has_agent(self) -> bool {
        matches!(
            self,
            Self::ClientAnswerOfTurn
                | Self::HeldCall
                | Self::KeyOfTurn
                | Self::RunningTurn
                | Self::RunningTurnWithResult
        )
    }

    /// True for a request that runs while something changes.
    pub(super) fn runs(self) -> bool {
        matches!(self, Self::RunningTurn | Self::RunningTurnWithResult | Self::WaitingCall)
    }

    /// The session of the way, and the key of its request.
    fn name(self) -> String {
        format!("{self:?}")
    }

    /// The path and the body of a request that lists the pets.
    fn list(self) -> (String, Value) {
        let (name, call) = (self.name(), json!({"id": "1", "tool": "pets-list", "args": {}}));
        let mcp = |params: Value| ("/mcp".to_owned(), request_of_mcp(&params));
        match self {
            Self::CallTool => {
                let target = json!({"name": "pets-list", "args": {}});
                mcp(json!({"name": "call_read_tool", "arguments": target}))
            }
            Self::DetectIntent => {
                let path =
                    format!("/v3/projects/p/locations/l/agents/a/sessions/{name}:detectIntent");
                let action = json!({"tool": "pets", "action": "pets-list", "inputParameters": {}});
                (path, json!({"queryResult": {"responseMessages": [{"toolCall": action}]}}))
            }
            Self::Dialect => {
                let function = json!({"name": "pets-list", "arguments": "{}"});
                let call = json!({"id": "1", "type": "function", "function": function});
                let message = json!({"role": "assistant", "tool_calls": [call]});
                ("/v1/dialects/openai/calls".to_owned(), json!({"message": message}))
            }
            Self::Execute | Self::KeyOfExecute => {
                let path = "/v1/projects/p/locations/l/apps/a:executeTool".to_owned();
                (path, json!({"tool": "pets-list", "args": {}}))
            }
            Self::KeyOfCall => {
                let call = json!({"tool": "pets-list", "args": {}, "idempotencyKey": name});
                ("/v1/calls".to_owned(), json!({"calls": [call]}))
            }
            Self::KeyOfRun | Self::Run => {
                let body = json!({"inputs": [{"toolCalls": {"toolCalls": [call]}}]});
                (format!("/v1/sessions/{name}:run"), body)
            }
            Self::KeyOfTurn => (TURNS.to_owned(), turn_of(&name, "Key.")),
            Self::Mcp => mcp(json!({"name": "pets-list", "arguments": {}})),
            _ => ("/v1/calls".to_owned(), json!({"calls": [call]})),
        }
    }
}

impl World<'_> {
    /// Does what comes before the change.
    pub(super) async fn ask(&self, way: Way) -> Begun {
        let name = way.name();
        let text = match way {
            Way::Approval | Way::ApprovalOfAnother | Way::Page => {
                // Equal calls share an approval.
                let call = json!({"tool": "pets-add", "args": {}});
                let body = json!({"session": {"id": name}, "calls": [call]});
                let asked = Asked { path: "/v1/calls", headers: &[], body: &body };
                let id = id(&self.before(asked).await, "approval_");
                if way == Way::ApprovalOfAnother {
                    let path = format!("/v1/approvals/{id}");
                    self.approver(&path, &json!({"decision": "approve"})).await;
                }
                id
            }
            Way::ClientAnswerOfRun => {
                let call = |tool: &str| json!({"id": tool, "tool": tool, "args": {}});
                let calls = [call("pets-list"), call("pets-ask")];
                let body = json!({"inputs": [{"toolCalls": {"toolCalls": calls}}]});
                let path = format!("/v1/sessions/{name}:run");
                self.before(Asked { path: &path, headers: &[], body: &body }).await
            }
            Way::ClientAnswerOfTurn | Way::HeldCall => {
                let words = if way == Way::HeldCall { "Add." } else { "Ask." };
                self.before(Asked { path: TURNS, headers: &[], body: &turn_of(&name, words) }).await
            }
            Way::Handle | Way::PageOfResult | Way::SentHandle => {
                let body = json!({"calls": [{"tool": "pets-load", "args": {}}]});
                let asked = Asked { path: "/v1/calls", headers: &[], body: &body };
                id(&self.before(asked).await, "result:")
            }
            Way::KeyOfCall
            | Way::KeyOfExecute
            | Way::KeyOfRequest
            | Way::KeyOfRun
            | Way::KeyOfTurn => {
                let (path, body) = way.list();
                let text =
                    self.before(Asked { path: &path, headers: &key(&name), body: &body }).await;
                assert!(text.contains(CANARY), "{way:?}: {text}");
                text
            }
            _ if way.runs() => return Begun::Request(self.ask_running(way).await),
            _ => return Begun::Nothing,
        };
        Begun::Text(text)
    }

    /// Begins a request that runs while something changes.
    async fn ask_running(&self, way: Way) -> JoinHandle<String> {
        let seen = &self.surroundings.seen;
        if way == Way::WaitingCall {
            let calls = [json!({"tool": "pets-slow"}), json!({"tool": "pets-list"})];
            let body = json!({"mode": "sequential", "calls": calls});
            let n_lines = seen.lines().len();
            let request = self.begin(Asked { path: "/v1/calls", headers: &[], body: &body });
            until("the service is asked", || seen.lines().len() > n_lines).await;
            return request;
        }
        let is_first = way == Way::RunningTurn;
        let (words, n_requests) = if is_first { ("Wait.", 1) } else { ("Read.", 2) };
        let n_asked = seen.model_requests().len();
        let body = turn_of(&way.name(), words);
        let request = self.begin(Asked { path: TURNS, headers: &[], body: &body });
        until("the model is asked", || seen.model_requests().len() == n_asked + n_requests).await;
        request
    }

    /// Makes the call, or reads the result. Returns what the caller and the model saw then.
    pub(super) async fn make(&self, way: Way, begun: Begun) -> String {
        let n_asked = self.surroundings.seen.model_requests().len();
        let mut text = match begun {
            Begun::Nothing => self.fresh(way).await,
            Begun::Request(request) => {
                let seen = &self.surroundings.seen;
                match way {
                    Way::RunningTurn => seen.reply.add_permits(1),
                    Way::RunningTurnWithResult => seen.second_reply.add_permits(1),
                    _ => seen.slow.add_permits(1),
                }
                request.await.unwrap()
            }
            Begun::Text(before) => self.go_on(way, &before).await,
        };
        text.extend(self.surroundings.seen.model_requests().into_iter().skip(n_asked));
        text
    }

    /// The answer to a request that nothing came before.
    async fn fresh(&self, way: Way) -> String {
        if way == Way::Search {
            let body = json!({"query": "list the pets"});
            let asked = Asked { path: "/v1/tools:search", headers: &[], body: &body };
            return self.after(asked).await.replace("pets-list", CANARY);
        }
        let (path, body) = way.list();
        let headers: &[_] = match way {
            Way::CallTool | Way::Mcp => &MCP,
            Way::Stream => &[("accept", "text/event-stream")],
            _ => &[],
        };
        self.after(Asked { path: &path, headers, body: &body }).await
    }

    /// The answer to a request that goes on with what came before.
    async fn go_on(&self, way: Way, before: &str) -> String {
        let name = way.name();
        let session = json!({"id": name});
        let post = async |path: &str, headers: &[(&str, &str)], body: &Value| {
            self.after(Asked { path, headers, body }).await
        };
        match way {
            Way::Approval | Way::ApprovalOfAnother => {
                let word = if way == Way::Approval { "approve" } else { "run" };
                post(&format!("/v1/approvals/{before}"), &[], &json!({"decision": word})).await
            }
            Way::ClientAnswerOfRun => {
                let run: Value = serde_json::from_str(before).unwrap();
                let mut call = run["outputs"][0]["toolCalls"]["toolCalls"][0].clone();
                call.as_object_mut().unwrap().remove("args");
                call["response"] = json!({"said": "the client"});
                let body = json!({"inputs": [{"toolResponses": {"toolResponses": [call]}}]});
                post(&format!("/v1/sessions/{name}:run"), &[], &body).await
            }
            Way::ClientAnswerOfTurn => {
                let result = json!({"id": "c0-1", "output": {"said": CANARY}});
                post(TURNS, &[], &json!({"session": session, "toolResults": [result]})).await
            }
            Way::Handle => post(&format!("/v1/results/{before}"), &[], &Value::Null).await,
            Way::HeldCall => {
                let approval = json!({"id": "c0-2", "decision": "approve"});
                post(TURNS, &[], &json!({"session": session, "approvals": [approval]})).await
            }
            Way::Page => {
                let text = post("/v1/approvals", &[], &Value::Null).await;
                text.replace("pets-add", CANARY)
            }
            Way::PageOfResult => {
                let arguments = json!({"handle": before, "offset": LENGTH});
                let params = json!({"name": "read_result", "arguments": arguments});
                post("/mcp", &MCP, &request_of_mcp(&params)).await
            }
            Way::SentHandle => {
                let args = json!({"body": {"handle": before}});
                let body = json!({"calls": [{"tool": "free-send", "args": args}]});
                post("/v1/calls", &[], &body).await
            }
            _ => {
                let (path, body) = way.list();
                post(&path, &key(&name), &body).await
            }
        }
    }
}

fn key(name: &str) -> [(&str, &str); 1] {
    // The key of a call stands in the call.
    if name == "KeyOfCall" { [("accept", "*/*")] } else { [("idempotency-key", name)] }
}

fn turn_of(session: &str, words: &str) -> Value {
    json!({"session": {"id": session}, "input": words})
}

fn request_of_mcp(params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
}

/// The id that begins so in a text.
fn id(text: &str, beginning: &str) -> String {
    let at = text.find(beginning).unwrap_or_else(|| panic!("no {beginning} in {text}"));
    text.get(at..).unwrap_or_default().chars().take_while(|letter| *letter != '"').collect()
}

const TURNS: &str = "/v1/agents/keeper/turns";
const MCP: [(&str, &str); 2] =
    [("accept", "application/json, text/event-stream"), ("mcp-protocol-version", "2025-11-25")];
