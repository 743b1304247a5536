//! `reload`, `log` and `telemetry` as values.

use crate::prelude::*;

use callgate_config::{LogFormat, LogLevel};

const TOOLSETS: &str = "toolsets: {pets: {openapi: pets.yaml}}";

#[test]
fn settings_of_reload_log_and_telemetry_are_read() {
    let text = format!(
        "reload: {{watch: false, interval: 30s}}
log: {{format: json, level: warn, modules: {{callgate_gateway: debug}}}}
telemetry: {{otlp: 'http://127.0.0.1:4318', headers: {{authorization: 'env:OTLP'}}, service: pets}}
{TOOLSETS}"
    );
    let config = Config::from_text(text, "").unwrap();
    assert!(!config.reload.watch);
    assert_eq!(config.reload.interval, Duration::from_secs(30));
    assert_eq!((config.log.format, config.log.level), (LogFormat::Json, LogLevel::Warn));
    assert_eq!(config.log.modules["callgate_gateway"].as_str(), "debug");
    assert_eq!(config.telemetry.otlp.unwrap().as_str(), "http://127.0.0.1:4318/");
    assert_eq!(config.telemetry.headers["authorization"].to_string(), "env:OTLP");
    assert_eq!(config.telemetry.service.as_deref(), Some("pets"));
}

#[test]
fn watching_files_and_logging_are_on_by_default() {
    let config = Config::from_text(TOOLSETS, "").unwrap();
    assert!(config.reload.watch);
    assert_eq!(config.log.level, LogLevel::Info);
    assert!(config.telemetry.otlp.is_none());
}

#[test]
fn a_wrong_value_of_a_setting_is_reported_at_its_position() {
    for (line, pointer) in [
        ("log: {level: loud}", "/log/level"),
        ("log: {format: xml}", "/log/format"),
        ("log: {modules: {a: loud}}", "/log/modules/a"),
        ("log: {modules: []}", "/log/modules"),
        ("reload: {watch: 1}", "/reload/watch"),
        ("telemetry: {otlp: '127.0.0.1:4318'}", "/telemetry/otlp"),
        ("telemetry: {headers: {authorization: 'Bearer x'}}", "/telemetry/headers/authorization"),
        ("telemetry: {headers: 1}", "/telemetry/headers"),
    ] {
        let error = Config::from_text(format!("{line}\n{TOOLSETS}"), "").unwrap_err();
        assert_eq!(error.findings()[0].pointer, pointer, "{error}");
    }
}
