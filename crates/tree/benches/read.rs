//! Text to tree, beside what the readers take to their own values. It measures the largest descriptions of the shared
//! corpus when that is there, and a made one otherwise.

use std::hint::black_box;
use std::path::Path;
use std::{fs, io};

use callgate_tree::{Limits, read};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus/specs");

fn corpus(name: &str) -> io::Result<Vec<u8>> {
    fs::read(Path::new(CORPUS).join(name))
}

/// A description with this many operations.
fn made(n_operations: usize) -> Vec<u8> {
    let paths = (0..n_operations).map(|n| {
        format!(
            r##""/things/{n}/{{id}}": {{"get": {{"operationId": "get{n}", "description": "One thing, number {n}, with all of its parts.", "parameters": [{{"name": "id", "in": "path", "required": true, "schema": {{"type": "integer", "minimum": 1}}}}], "responses": {{"200": {{"description": "OK", "content": {{"application/json": {{"schema": {{"$ref": "#/components/schemas/Thing{n}"}}}}}}}}}}}}}}"##
        )
    });
    let paths = paths.collect::<Vec<_>>().join(",\n");
    format!("{{\"openapi\": \"3.0.3\", \"paths\": {{{paths}}}}}").into_bytes()
}

fn json(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("json");
    group.sample_size(20);
    for name in ["github/api.github.com.json", "stripe/stripe.com.json", "made"] {
        let text = corpus(name).unwrap_or_else(|_| made(5000));
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::new("node", name), &text, |bencher, text| {
            bencher.iter_with_large_drop(|| read(black_box(text), &Limits::default()));
        });
        group.bench_with_input(BenchmarkId::new("serde_json", name), &text, |bencher, text| {
            bencher.iter_with_large_drop(|| {
                serde_json::from_slice::<serde_json::Value>(black_box(text))
            });
        });
    }
}

fn yaml(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("yaml");
    group.sample_size(10);
    for name in ["asana/asana_oas.yaml", "datadog/openapi.yaml", "made"] {
        let text = corpus(name).unwrap_or_else(|_| {
            let value = serde_json::from_slice::<serde_json::Value>(&made(1000)).ok();
            serde_yaml::to_string(&value).unwrap_or_default().into_bytes()
        });
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::new("node", name), &text, |bencher, text| {
            bencher.iter_with_large_drop(|| read(black_box(text), &Limits::default()));
        });
        group.bench_with_input(BenchmarkId::new("yaml_serde", name), &text, |bencher, text| {
            bencher.iter_with_large_drop(|| {
                serde_yaml::from_slice::<serde_yaml::Value>(black_box(text))
            });
        });
    }
}

criterion_group!(benches, json, yaml);
criterion_main!(benches);
