//! MCP on standard input and output: one client, which started the process.

use std::{io, sync::Arc};

use futures_util::future::BoxFuture;
use rmcp::ServiceExt;
use tokio::io::{stdin, stdout};

use crate::{host::Host, lines::Lines, method_errors::WithMethodErrors, server::Server};

/// Serves the client that started the process, until it closes standard input.
///
/// # Errors
/// Fails if the client sends nothing that MCP knows, or if standard input or output breaks.
// The compiler builds an `async fn` again in each crate that awaits it, here with all of the library behind it. A future in a box is
// built once.
pub fn serve_stdio(host: Arc<dyn Host>) -> BoxFuture<'static, io::Result<()>> {
    Box::pin(async {
        let begun =
            Box::pin(WithMethodErrors(Server(host)).serve(Lines::new(stdin(), stdout()))).await;
        let running = begun.map_err(io::Error::other)?;
        running.waiting().await.map(drop).map_err(io::Error::other)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use async_trait::async_trait;
    use callgate_executor::{Call, Executor};
    use callgate_policy::{ApprovalRules, Approvals, Confirm};
    use callgate_tool::{Outcome, Session, Value, json as value};
    use http::request::Parts;
    use serde_json::{Value as Json, json};
    use tokio::io::{
        AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines as Read, duplex,
    };

    use super::*;
    use crate::{Caller, Question, Reply, SessionError};

    /// A server of one function that needs a person's approval.
    struct Shop(Executor);

    #[async_trait]
    impl Host for Shop {
        fn executor(&self) -> Executor {
            self.0.clone()
        }

        fn caller(&self, _: Option<&Parts>) -> Caller {
            Caller::anyone()
        }

        async fn session(
            &self,
            _: Option<&Parts>,
            _: &Caller,
            _: Value,
        ) -> Result<Session, SessionError> {
            Ok(Session::default())
        }
    }

    fn shop(count: Arc<AtomicUsize>) -> Shop {
        let rules = ApprovalRules {
            toolsets: [("shop".to_owned(), Confirm::Writes)].into_iter().collect(),
            ..ApprovalRules::default()
        };
        let buy = move |_| {
            let count = Arc::clone(&count);
            async move { value!({"n": count.fetch_add(1, Ordering::Relaxed) + 1}) }
        };
        let builder = Executor::builder().middleware(Approvals::new(rules));
        Shop(builder.function("shop", "buy", value!({"type": "object"}), buy).build().unwrap())
    }

    /// A client of the revision 2025-11-25.
    struct Client(DuplexStream, Read<BufReader<DuplexStream>>);

    impl Client {
        async fn of(host: Shop, capabilities: Json) -> Self {
            let ((input, theirs), (answers, told)) = (duplex(1 << 16), duplex(1 << 16));
            tokio::spawn(async move {
                let served =
                    WithMethodErrors(Server(Arc::new(host))).serve(Lines::new(theirs, answers));
                Box::pin(served).await.unwrap().waiting().await
            });
            let mut client = Self(input, BufReader::new(told).lines());
            let about = json!({"name": "test", "version": "1"});
            let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": about});
            client.send(&json!({"id": 0, "method": "initialize", "params": params})).await;
            client.read().await;
            client.send(&json!({"method": "notifications/initialized"})).await;
            client
                .send(&json!({"id": 1, "method": "tools/call", "params": {"name": "shop-buy"}}))
                .await;
            client
        }

        async fn send(&mut self, message: &Json) {
            let mut message = message.clone();
            message["jsonrpc"] = json!("2.0");
            self.0.write_all(format!("{message}\n").as_bytes()).await.unwrap();
        }

        async fn read(&mut self) -> Json {
            serde_json::from_str(&self.1.next_line().await.unwrap().unwrap()).unwrap()
        }
    }

    #[tokio::test]
    async fn a_client_of_an_earlier_revision_gets_an_approval_as_a_request_of_the_server() {
        let count = Arc::<AtomicUsize>::default();
        let yes = json!({"action": "accept", "content": {"ok": true}});
        for (answer, n_made) in [(json!({"action": "decline"}), 0), (yes, 1)] {
            let mut client = Client::of(shop(Arc::clone(&count)), json!({"elicitation": {}})).await;
            let asked = client.read().await;
            assert_eq!(asked["method"], "elicitation/create", "{asked}");
            assert_eq!(count.load(Ordering::Relaxed), 0);
            client.send(&json!({"id": asked["id"], "result": answer})).await;
            let ended = client.read().await;
            assert_eq!(
                (&ended["id"], count.load(Ordering::Relaxed)),
                (&json!(1), n_made),
                "{ended}"
            );
            assert_eq!(ended["result"]["isError"] == json!(true), n_made == 0, "{ended}");
        }
    }

    /// A function that asks its caller for their name.
    fn desk() -> Shop {
        let greet = |call: Call<'static>| async move {
            let schema = value!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
            let question = Question::of_person("user_name", "What is your name?", schema);
            match crate::Client::from_call(&call).ask(&question).await {
                Ok(Reply::Given(values)) => value!({"greeted": values.get("name").cloned()}).into(),
                Ok(reply) => value!({"greeted": format!("{reply:?}")}).into(),
                Err(fault) => Outcome::Failed(fault),
            }
        };
        let builder = Executor::builder();
        Shop(builder.function("shop", "buy", value!({"type": "object"}), greet).build().unwrap())
    }

    #[tokio::test]
    async fn a_tool_gets_values_from_a_client_of_an_earlier_revision() {
        for (answer, greeted) in [
            (json!({"action": "accept", "content": {"name": "Kim"}}), "Kim"),
            (json!({"action": "decline"}), "Declined"),
            (json!({"action": "cancel"}), "Cancelled"),
        ] {
            let mut client = Client::of(desk(), json!({"elicitation": {}})).await;
            let asked = client.read().await;
            assert_eq!(asked["method"], "elicitation/create", "{asked}");
            assert_eq!(asked["params"]["message"], "What is your name?", "{asked}");
            let name = &asked["params"]["requestedSchema"]["properties"]["name"];
            assert_eq!(name["type"], "string", "{asked}");
            client.send(&json!({"id": asked["id"], "result": answer})).await;
            let ended = client.read().await;
            assert_eq!(ended["result"]["structuredContent"]["greeted"], greeted, "{ended}");
        }
        let mut client = Client::of(desk(), json!({})).await;
        let ended = client.read().await;
        assert_eq!(ended["result"]["isError"], true, "nobody can be asked: {ended}");
    }

    #[tokio::test]
    async fn a_client_without_elicitation_gets_needs_approval() {
        let count = Arc::<AtomicUsize>::default();
        let mut client = Client::of(shop(Arc::clone(&count)), json!({})).await;
        let ended = client.read().await;
        let error = &ended["result"]["structuredContent"]["error"];
        assert_eq!(
            (&error["code"], count.load(Ordering::Relaxed)),
            (&json!("needs_approval"), 0),
            "{ended}"
        );
    }
}
