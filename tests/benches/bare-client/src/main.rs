//! `callgate-bare-client URL CALLS PARALLEL`: makes CALLS requests, PARALLEL at a time, reads each answer up to a bound
//! and parses it, then prints the nanoseconds it took. Does nothing else callgate does.

use std::{error::Error, time::Instant};

/// The same bound as callgate's.
const BOUND: usize = 1 << 20;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().ok_or("usage: callgate-bare-client URL CALLS PARALLEL");
    let (url, calls, parallel) = (next()?, next()?.parse::<usize>()?, next()?.parse::<usize>()?);
    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .build()?;
    for _ in 0..parallel * 20 {
        call(&client, &url).await?;
    }
    let started = Instant::now();
    let workers = (0..parallel).map(|_| {
        let (client, url) = (client.clone(), url.clone());
        tokio::spawn(async move {
            for _ in 0..calls / parallel {
                if call(&client, &url).await.is_err() {
                    return false;
                }
            }
            true
        })
    });
    for worker in workers.collect::<Vec<_>>() {
        if !worker.await? {
            return Err("a call failed".into());
        }
    }
    println!("{}", started.elapsed().as_nanos());
    Ok(())
}

async fn call(client: &reqwest::Client, url: &str) -> Result<serde_json::Value, Box<dyn Error>> {
    let request = client.get(url).header("accept", "application/json");
    let mut response = request.timeout(std::time::Duration::from_secs(30)).send().await?;
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > BOUND {
            return Err("too large".into());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(serde_json::from_slice(&body)?)
}
