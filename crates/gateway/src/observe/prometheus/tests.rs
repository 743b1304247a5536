//! Tests the metrics as a scraper sees them.

use std::{collections::BTreeSet, sync::Arc};

use metrics::with_local_recorder;

use super::*;

#[test]
fn the_number_of_metric_series_is_bounded() {
    let builder = PrometheusBuilder::new();
    let builder = builder.set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &SECONDS);
    let recorder = builder.unwrap().build_recorder();
    let handle = recorder.handle();
    let bounded = BoundedRecorder::new(recorder, SECONDS.len() + AROUND_BUCKETS);
    with_local_recorder(&bounded, || {
        for number in 0..5000 {
            let name = format!("made-up-{number}");
            metrics::counter!("callgate_calls_total", "toolset" => name.clone()).increment(1);
            metrics::histogram!("callgate_call_duration_seconds", "toolset" => name).record(0.2);
        }
        metrics::counter!("callgate_calls_total", "toolset" => "made-up-0").increment(1);
    });
    let text = handle.render();
    let series = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).count();
    assert!((1900..=2000).contains(&series), "{series}");
    assert!(text.contains("callgate_calls_total{toolset=\"made-up-0\"} 2"), "{text}");
    assert!(
        text.contains("callgate_call_duration_seconds_bucket{toolset=\"made-up-0\",le=\"0.25\"} 1")
    );
}

#[test]
fn a_principal_sees_only_the_metrics_of_its_toolsets() {
    let text = "# TYPE callgate_calls_total counter\ncallgate_calls_total{toolset=\"pets\",outcome=\"ok\"} 1\n\
                callgate_calls_total{toolset=\"pay\",outcome=\"ok\"} 2\ncallgate_sessions 7\n";
    let own = Some(Arc::new(BTreeSet::from(["pets".to_owned()])));
    let principal = Caller { toolsets: own.clone(), ..Caller::default() };
    let expected = "callgate_calls_total{toolset=\"pets\",outcome=\"ok\"} 1\n";
    assert_eq!(metrics_visible_to(&principal, text.to_owned()), expected);
    for caller in [Caller::default(), Caller { toolsets: own, is_admin: true, ..Caller::default() }]
    {
        assert_eq!(metrics_visible_to(&caller, text.to_owned()), text);
    }
}
