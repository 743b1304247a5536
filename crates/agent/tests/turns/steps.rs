//! The steps of a trace for requests to models, by the conventions of OpenTelemetry.

use std::{
    fmt,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use callgate_dialect::Dialect;
use tracing::{
    Dispatch, Event, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
    subscriber::DefaultGuard,
};

use crate::{
    fake::{DIALECTS, Said, Step},
    shop::{Talk, unasked},
};

/// Notes the fields of the steps that are requests to models.
#[derive(Clone, Debug, Default)]
struct Steps(Arc<Mutex<Vec<(u64, String)>>>, Arc<AtomicU64>);

struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0 += &format!("{field}={value:?} ");
    }

    /// OpenTelemetry has signed numbers alone: the others become texts.
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0 += &format!("{field}={:?} ", value.to_string());
    }
}

impl Steps {
    /// Notes what this thread does. While it is the only one of the program, a thread without any could have the interest in a
    /// step fixed as none for all, so a second one is there.
    fn subscribe(&self) -> DefaultGuard {
        static SECOND: OnceLock<Dispatch> = OnceLock::new();
        SECOND.get_or_init(|| Dispatch::new(Self::default()));
        tracing::subscriber::set_default(self.clone())
    }
}

impl Subscriber for Steps {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let id = self.1.fetch_add(1, Ordering::Relaxed) + 1;
        let mut fields = Fields(String::new());
        span.record(&mut fields);
        if span.metadata().name() == "chat" {
            self.0.lock().unwrap().push((id, fields.0));
        }
        Id::from_u64(id)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        let mut fields = Fields(String::new());
        values.record(&mut fields);
        let mut steps = self.0.lock().unwrap();
        if let Some((_, step)) = steps.iter_mut().find(|(step, _)| *step == id.into_u64()) {
            *step += &fields.0;
        }
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[tokio::test(start_paused = true)]
async fn each_attempt_at_a_model_is_a_step_with_its_tokens_or_its_error() {
    for dialect in DIALECTS {
        let steps = Steps::default();
        let _guard = steps.subscribe();
        let replies = [Step::Status(503, None, "{}"), Step::Says(Said::text("Hello."))];
        Talk::new(dialect, replies, unasked()).say("Go.").await;
        let steps = steps.0.lock().unwrap();
        assert_eq!(steps.len(), 2, "{steps:?}");
        let provider = match dialect {
            Dialect::Anthropic => "anthropic",
            Dialect::Bedrock => "aws.bedrock",
            Dialect::Gemini => "gcp.gemini",
            _ => "openai",
        };
        for (_, step) in &*steps {
            assert!(step.contains(&format!("gen_ai.provider.name={provider:?}")), "{step}");
            assert!(step.contains("gen_ai.operation.name=\"chat\""), "{step}");
            assert!(step.contains("otel.kind=\"client\""), "{step}");
            let (_, port) = step.split_once("server.port=").unwrap();
            assert!(port.starts_with(|first: char| first.is_ascii_digit()), "{step}");
        }
        assert!(steps[0].1.contains("error.type=\"unavailable\""), "{steps:?}");
        assert!(steps[0].1.contains("otel.status_code=\"ERROR\""), "{steps:?}");
        let (_, tokens) = steps[1].1.split_once("gen_ai.usage.output_tokens=").unwrap();
        assert!(tokens.starts_with(|first: char| first.is_ascii_digit()), "{steps:?}");
        assert!(!steps[1].1.contains("error.type"), "{steps:?}");
        assert!(!steps[1].1.contains("otel.status_code"), "{steps:?}");
    }
}
