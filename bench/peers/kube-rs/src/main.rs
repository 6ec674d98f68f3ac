// SPDX-License-Identifier: Apache-2.0

//! What `kube-bench sync` measures, of kube-rs: the same options and lines of JSON.
//!
//!     kube-rs-bench sync --server URL [--json] [--events N]
//!
//! kube-rs reads JSON alone: `--json` changes nothing.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, future, process};

use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Api, Client, Config};
use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use serde_json::json;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

struct Options {
    server: String,
    events: u64,
}

fn options_of(mut words: impl Iterator<Item = String>) -> Result<Options> {
    if words.next().as_deref() != Some("sync") {
        return Err("expected sync".into());
    }
    let mut options = Options {
        server: String::new(),
        events: 0,
    };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("expected a value after {word}"));
        match word.as_str() {
            "--json" => {}
            "--server" => options.server = value()?,
            "--events" => options.events = value()?.parse()?,
            _ => return Err(format!("unknown option '{word}'").into()),
        }
    }
    Ok(options)
}

/// Returns a number of /proc/self/status, in megabytes.
fn megabytes(field: &str) -> Result<f64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    let kib = line
        .and_then(|rest| rest.split_whitespace().next())
        .ok_or_else(|| format!("expected {field} in /proc/self/status"))?;
    Ok(kib.parse::<f64>()? * 1024.0 / 1e6)
}

fn seconds(time: TimeVal) -> f64 {
    time.num_microseconds() as f64 / 1e6
}

fn kernel_seconds(usage: &Usage) -> f64 {
    seconds(usage.system_time())
}

fn processor_seconds(usage: &Usage) -> f64 {
    seconds(usage.user_time()) + kernel_seconds(usage)
}

fn page_faults(usage: &Usage) -> i64 {
    usage.minor_page_faults() + usage.major_page_faults()
}

/// Measures one phase of this process.
struct Phase {
    process_began: Instant,
    began: Instant,
    usage: Usage,
}

impl Phase {
    fn begin(process_began: Instant) -> Result<Phase> {
        fs::write("/proc/self/clear_refs", "5")?;
        Ok(Phase {
            process_began,
            began: Instant::now(),
            usage: getrusage(UsageWho::RUSAGE_SELF)?,
        })
    }

    /// Prints what the phase took. The memory is that of 2.5 seconds later.
    async fn end(self, name: &str, objects: usize, events: u64) -> Result<()> {
        let wall = self.began.elapsed().as_secs_f64();
        let after = getrusage(UsageWho::RUSAGE_SELF)?;
        let peak = megabytes("VmHWM")?;
        tokio::time::sleep(Duration::from_millis(2500)).await;
        let line = json!({
            "bench": "sync", "client": "kube-rs", "phase": name,
            "began_s": (self.began - self.process_began).as_secs_f64(), "wall_s": wall,
            "cpu_s": processor_seconds(&after) - processor_seconds(&self.usage),
            "kernel_s": kernel_seconds(&after) - kernel_seconds(&self.usage),
            "page_faults": page_faults(&after) - page_faults(&self.usage),
            "rss_mb": megabytes("VmRSS")?, "peak_mb": peak,
            "objects": objects, "events": events,
        });
        println!("{line}");
        Ok(())
    }
}

/// Runs a reflector of pods from its start until its store has all, and in a storm of events.
async fn sync(options: Options, process_began: Instant) -> Result<()> {
    let client = Client::try_from(Config::new(options.server.parse()?))?;
    let told = Arc::new(AtomicU64::new(0));
    let (pods, writer) = reflector::store::<Pod>();
    // The watcher's default: a list in pages of 500, then a watch.
    let stream = reflector(
        writer,
        watcher(Api::<Pod>::all(client.clone()), watcher::Config::default()),
    );
    let count = {
        let told = told.clone();
        move |pod: watcher::Result<Pod>| {
            if let Err(error) = pod {
                eprintln!("kube-rs-bench: {error}");
                process::exit(1);
            }
            told.fetch_add(1, Ordering::Relaxed);
            future::ready(())
        }
    };
    let phase = Phase::begin(process_began)?;
    tokio::spawn(stream.default_backoff().applied_objects().for_each(count));
    // Each pod is counted before the store has all.
    pods.wait_until_ready().await?;
    let objects = pods.len();
    phase.end("sync", objects, 0).await?;
    if options.events > 0 {
        let phase = Phase::begin(process_began)?;
        let all = told.load(Ordering::Relaxed) + options.events;
        let storm = http::Request::get(format!("/storm?events={}&a_second=0", options.events))
            .body(Vec::new())?;
        client.request_text(storm).await?;
        while told.load(Ordering::Relaxed) < all {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        phase.end("storm", objects, options.events).await?;
    }
    Ok(())
}

#[tokio::main]
async fn main() {
    let process_began = Instant::now();
    let result = match options_of(env::args().skip(1)) {
        Ok(options) => sync(options, process_began).await,
        Err(error) => Err(error),
    };
    if let Err(error) = result {
        eprintln!("kube-rs-bench: {error}");
        process::exit(1);
    }
}
