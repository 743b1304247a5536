//! Tests the metrics as a scraper sees them.

use metrics::with_local_recorder;

use super::*;

#[test]
fn there_are_never_more_series_than_a_scraper_takes() {
    let builder = PrometheusBuilder::new();
    let builder = builder.set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &SECONDS);
    let recorder = builder.unwrap().build_recorder();
    let handle = recorder.handle();
    let bounded = Bounded::new(recorder, SECONDS.len() + AROUND_BUCKETS);
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
