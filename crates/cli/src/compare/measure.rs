//! One program under one strategy, in a process of its own, so that time and memory are its own, too.

use std::fmt;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use threadbare_explore::Strategy;

use crate::arguments::{ComparePlan, Races};
use crate::report;

/// Compiling is not counted, but it ends some time.
const FOR_CLANG: Duration = Duration::from_secs(120);

/// A value of the parameter that is varied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Point {
    pub name: String,
    pub value: i64,
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.name, self.value)
    }
}

pub struct Task<'p> {
    pub plan: &'p ComparePlan,
    pub file: &'p Path,
    pub point: Option<Point>,
    pub strategy: Strategy,
    /// Definitions that do not vary.
    pub fixed: &'p [String],
    pub model: bool,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Measure {
    pub program: String,
    pub point: Option<Point>,
    pub strategy: String,
    /// `proved`, `violated`, `bounded`, `unknown` or `error`.
    pub verdict: String,
    /// Of the bug, if there is one.
    pub kind: String,
    pub executions: u64,
    pub blocked: u64,
    pub transitions: u64,
    pub states: Option<u64>,
    /// Of the processor.
    pub seconds: f64,
    pub peak_bytes: u64,
    /// Why it could not be checked, with the exit code.
    pub error: Option<(u8, String)>,
}

impl Measure {
    /// It came to an end by itself.
    pub fn is_whole(&self) -> bool {
        !matches!(self.verdict.as_str(), "unknown" | "error")
    }
}

fn command(task: &Task<'_>) -> std::io::Result<Command> {
    let plan = task.plan;
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("check").arg(task.file).args(["--format", "json", "--minimise", "0"]);
    command.arg("--strategy").arg(task.strategy.to_string());
    // Strategies are compared, not how well they share their work.
    command.args(["--jobs", "1"]);
    command.arg("--time-limit").arg(format!("{}ms", plan.time_limit.as_millis()));
    if let Some(limit) = plan.memory_limit {
        command.arg("--memory-limit").arg(limit.to_string());
    }
    if let Some(bound) = plan.depth_bound {
        command.arg("--depth-bound").arg(bound.to_string());
    }
    let own = task.point.as_ref().map(|Point { name, value }| format!("{name}={value}"));
    let definitions = own.iter().chain(task.fixed);
    if task.model {
        definitions.for_each(|definition| {
            command.arg("-D").arg(definition);
        });
        return Ok(command);
    }
    if plan.races == Races::Allow {
        command.args(["--races", "allow"]);
    }
    plan.invariants.iter().for_each(|name| {
        command.arg("--invariant").arg(name);
    });
    command.arg("-O").arg(plan.optimisation.to_string());
    command.arg("--").args(definitions.map(|definition| format!("-D{definition}"))).args(&plan.clang_flags);
    Ok(command)
}

pub fn measure(task: &Task<'_>) -> Measure {
    let mut result = Measure {
        program: task.file.display().to_string(),
        point: task.point.clone(),
        strategy: task.strategy.to_string(),
        verdict: "error".into(),
        ..Measure::default()
    };
    match run(task) {
        Ok(json) => read(&json, &mut result),
        Err(message) => result.error = Some((70, message)),
    }
    result
}

/// What it printed.
fn run(task: &Task<'_>) -> Result<serde_json::Value, String> {
    let cannot = |error: std::io::Error| format!("cannot start a process: {}", report::why(&error));
    let mut command = command(task).map_err(cannot)?;
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(cannot)?;
    let mut output = child.stdout.take().expect("piped");
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        output.read_to_string(&mut text).map(|_| text)
    });
    let end = Instant::now() + task.plan.time_limit * 2 + FOR_CLANG;
    let status = loop {
        match child.try_wait().map_err(cannot)? {
            Some(status) => break status,
            None if Instant::now() > end => {
                let _ = child.kill();
                let _ = child.wait();
                return Err("it did not end in time, and was stopped".into());
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let text = reader.join().ok().and_then(Result::ok).unwrap_or_default();
    serde_json::from_str(&text).map_err(|_| format!("it gave no answer ({status})"))
}

fn read(json: &serde_json::Value, result: &mut Measure) {
    let number = |name: &str| json[name].as_u64().unwrap_or(0);
    result.verdict = json["verdict"].as_str().unwrap_or("error").into();
    result.kind = json["bugs"][0]["kind"].as_str().unwrap_or("").into();
    result.executions = number("executions");
    result.blocked = number("blocked");
    result.transitions = number("transitions");
    result.states = json["states"].as_u64();
    // What else the machine does is no matter of the strategy.
    result.seconds = json["cpu_seconds"].as_f64().unwrap_or(0.0);
    result.peak_bytes = number("peak_rss_bytes");
    if result.verdict == "error" {
        result.error = Some((2, json["error"]["message"].as_str().unwrap_or("it could not be checked").into()));
    }
}
