//! The one place that matches what a strategy needs with what was asked for: refuses what does not fit, and says what the
//! verdict may claim at most.

use std::time::Duration;

use threadbare_explore::{Capture, Kind, Settings, Strategy};

use crate::arguments::{Asked, CheckPlan, Symmetry};
use crate::told::{RaceDetection, Subject, is_model};

/// Where nothing else ends an execution that goes on and on.
const DEPTH_BOUND: usize = 10_000;

/// How to explore: by one engine, or also by a second one if that might be sooner done.
pub struct Choice {
    pub first: Exploration,
    pub second: Option<Exploration>,
}

pub fn plan<S: Subject>(asked: &CheckPlan, subject: &S) -> Result<Choice, String> {
    let is_given = asked.given.iter().any(|given| given == "strategy");
    if asked.abstraction_sound && by_less(asked).is_none() {
        return Err("`--abstraction-sound` is about --abstraction or --ignore: there is neither".into());
    }
    if by_less(asked).is_some() && (!is_given || asked.strategy == Asked::Auto) {
        let strategy = if asked.context_bound.is_some() { Strategy::Stateful } else { Strategy::Graph };
        return Ok(Choice { first: plan_for(asked, strategy, subject)?, second: None });
    }
    if asked.symmetry == Symmetry::On && (!is_given || asked.strategy == Asked::Auto) {
        return Ok(Choice { first: plan_for(asked, symmetric(asked), subject)?, second: None });
    }
    let named = match asked.strategy {
        Asked::Named(strategy) => Some(strategy),
        Asked::Auto if !is_given && asked.context_bound.is_some() => Some(Strategy::Dpor),
        Asked::Auto => None,
    };
    if let Some(strategy) = named {
        return Ok(Choice { first: plan_for(asked, strategy, subject)?, second: None });
    }
    let first = plan_for(asked, Strategy::Optimal, subject)?;
    // A bound is for one engine; and several bugs, which are counted by their executions.
    let only_one = asked.depth_bound.is_some() || asked.context_bound.is_some() || asked.max_bugs > 1;
    let second = if only_one { None } else { plan_for(asked, Strategy::Graph, subject).ok() };
    Ok(Choice { first, second: second.filter(|second| second.at_most.is_none()) })
}

/// The strategy that goes with threads that change places.
fn symmetric(asked: &CheckPlan) -> Strategy {
    if asked.files.iter().any(|file| is_model(file)) { Strategy::Stateful } else { Strategy::Graph }
}

/// How one engine explores.
pub struct Exploration {
    pub strategy: Strategy,
    pub settings: Settings,
    /// How many workers explore, and how long the first one goes on by itself.
    pub jobs: usize,
    pub alone_for: Duration,
    /// Why there is no proof, even if nothing is left to explore.
    pub at_most: Option<&'static str>,
    pub by_less: Option<ByLess>,
}

/// A search that is over by then needs no help.
const ALONE_FOR: Duration = Duration::from_millis(300);

/// As many workers as there are processors, where the strategy can be shared. Whoever asks for a number gets it, at once.
fn workers(asked: &CheckPlan, strategy: Strategy) -> Result<(usize, Duration), String> {
    let by_less = by_less(asked)
        .map(|_| "states that are matched by less than all of them go on as the one does that was met first");
    let cannot = strategy.cannot_share().or(by_less);
    match asked.jobs {
        Some(1) => Ok((1, Duration::ZERO)),
        Some(jobs) => match cannot {
            Some(why) => Err(format!(
                "`{strategy}` cannot be shared by {jobs} workers: {why}. --jobs 1 goes with every strategy"
            )),
            None => Ok((jobs, Duration::ZERO)),
        },
        None if cannot.is_some() => Ok((1, Duration::ZERO)),
        None => Ok((std::thread::available_parallelism().map_or(1, usize::from), ALONE_FOR)),
    }
}

/// Two paths may lead to one state and differ in what is ordered: on the one, an unlock and a lock stand between two
/// accesses, on the other they race. A search that stores states goes on along one of the two. So it looks for data races
/// only along the paths that it explores. With `--races error` everything hangs on there being none, since accesses are then
/// no scheduling points: no proof. With `--races allow` every access is one, and races mean nothing; only those with accesses
/// inside library functions, which are not interleaved, could still be missed, and that is said. `graph` takes what is
/// ordered for a part of the state where races are errors.
fn plan_for<S: Subject>(asked: &CheckPlan, strategy: Strategy, subject: &S) -> Result<Exploration, String> {
    if asked.context_bound.is_some() {
        if strategy == Strategy::Optimal && asked.strategy == Asked::Auto {
            return Err("`auto` chooses between optimal and graph, which cannot keep to --context-bound; dpor, dfs and stateful can".into());
        }
        if let Some(why) = strategy.cannot_bound_contexts() {
            return Err(format!("`{strategy}` cannot keep to --context-bound: {why}. dpor, dfs and stateful can"));
        }
    }
    let kind = strategy.kind();
    if kind != Kind::Sample {
        let option = asked.seed.map(|_| "--seed").or(asked.runs.map(|_| "--runs"));
        if let Some(option) = option {
            return Err(format!(
                "`{option}` is for strategies that go by chance: random, pct:D, pos, urw; `{strategy}` does not"
            ));
        }
    }
    if strategy != Strategy::Scale {
        let option = asked.filters.as_ref().map(|_| "--filters").or(asked.order.map(|_| "--order"));
        if let Some(option) = option {
            return Err(format!("`{option}` is for the strategy scale; `{strategy}` has none"));
        }
    }
    let by_less = by_less(asked);
    if asked.abstraction.is_some() && !asked.ignored.is_empty() {
        return Err("`--abstraction` and `--ignore` do not go together: states are matched by what the abstraction says, and by nothing \
                    else that could be left out"
            .into());
    }
    if by_less.is_some() && !strategy.can_match_by_less() {
        let option = if asked.abstraction.is_some() { "--abstraction" } else { "--ignore" };
        let why = match kind {
            Kind::EveryState => "how that goes together with what it leaves out has not been looked into",
            _ => "it stores no states that could be matched",
        };
        return Err(format!("`{strategy}` does not go with {option}: {why}. graph and stateful do"));
    }
    if asked.symmetry == Symmetry::On {
        let right = symmetric(asked);
        let against = [
            (
                strategy != right,
                strategy.to_string(),
                "what it leaves out would have to change places with threads, too",
            ),
            (asked.superstep, "--superstep".into(), "which steps it takes together hangs on the numbers of threads"),
            (asked.context_bound.is_some(), "--context-bound".into(), "a preemption is one of a certain thread"),
            (asked.depth_bound.is_some(), "--depth-bound".into(), "states that count as one may be of different depth"),
            (
                by_less.is_some(),
                "--abstraction and --ignore".into(),
                "threads that changed places may show in what is matched",
            ),
            (asked.jobs.is_some_and(|jobs| jobs > 1), "--jobs".into(), "who comes first decides whose place is whose"),
        ];
        if let Some((_, what, why)) = against.iter().find(|(is_there, ..)| *is_there) {
            return Err(format!("`--symmetry` is for the strategy {right} without bounds, not for {what}: {why}"));
        }
    }
    let capture = asked.capture.unwrap_or_default();
    if strategy != Strategy::Sdpor && asked.capture.is_some() {
        return Err(format!("`--capture` is for the strategy sdpor; `{strategy}` does not ask"));
    }
    if asked.at_limit.is_some() && (strategy != Strategy::Graph || asked.memory_limit.is_none()) {
        return Err("`--at-limit` is for the strategy graph together with --memory-limit".into());
    }
    if asked.superstep {
        match strategy {
            Strategy::Stateful if asked.context_bound.is_none() => {}
            Strategy::Stateful => {
                return Err("`--superstep` and `--context-bound` do not go together: of the executions that super steps take for \
                            the same one is kept, and that may need more preemptions than another"
                    .into());
            }
            Strategy::Scale => return Err("the super steps of `scale` are the filter ss of --filters".into()),
            _ => {
                return Err(format!(
                    "`--superstep` is for the strategy stateful; `{strategy}` leaves out steps in its own way, and what one \
                     relies on the other may leave out"
                ));
            }
        }
    }
    let filters = asked.filters.clone().unwrap_or_default();
    if let (Some(_), Some(bound)) = (asked.depth_bound, filters.depth_bound()) {
        return Err(format!("`--depth-bound` and the filter db={bound} say the same: give one of them"));
    }
    let stores = kind == Kind::EveryState;
    let by_default = Settings::default();
    let settings = Settings {
        // Stored states end what goes round and round, if a round leads to the same state, and with a bound they must be
        // kept apart by depth.
        depth_bound: asked.depth_bound.or(filters.depth_bound()).unwrap_or(if stores && capture == Capture::Exact {
            by_default.depth_bound
        } else {
            DEPTH_BOUND
        }),
        context_bound: asked.context_bound.map(|bounds| bounds.first),
        seed: asked.seed.unwrap_or(by_default.seed),
        runs: asked.runs.unwrap_or(by_default.runs),
        filters,
        order: asked.order.unwrap_or_default(),
        capture,
        superstep: asked.superstep,
        whole_states: by_less.is_none(),
        learns_for: by_default.learns_for,
    };
    let at_most = if stores { at_most(subject.race_detection(), strategy.needs().order) } else { None };
    let (jobs, alone_for) = workers(asked, strategy)?;
    Ok(Exploration { strategy, settings, jobs, alone_for, at_most, by_less })
}

/// States are known by less than all of them.
pub struct ByLess {
    /// Which of them are taken for the same.
    states: String,
    /// The user knows that they go on alike.
    is_sound: bool,
}

impl ByLess {
    /// What the verdict rests on.
    pub fn assumption(&self) -> String {
        match self.is_sound {
            true => format!("{} go on alike (--abstraction-sound)", self.states),
            false => format!("{} count as one: what the others would do was not looked at", self.states),
        }
    }

    /// Why there is no proof.
    pub fn bound(&self) -> Option<String> {
        (!self.is_sound).then(|| format!("of {} one each; the others may go on in another way", self.states))
    }
}

fn by_less(asked: &CheckPlan) -> Option<ByLess> {
    let names: Vec<String> = asked.ignored.iter().map(|name| format!("`{name}`")).collect();
    let states = match &asked.abstraction {
        Some(name) => format!("the states that were matched by the abstraction `{name}`"),
        None if !names.is_empty() => format!("the states that differ only in {}", names.join(", ")),
        None => return None,
    };
    Some(ByLess { states, is_sound: asked.abstraction_sound })
}

/// Why there is no proof where states are stored. `order`: what is ordered is a part of them.
pub fn at_most(races: RaceDetection, order: bool) -> Option<&'static str> {
    match races {
        RaceDetection::Everywhere if !order => Some(
            "data races were looked for only along the paths that were explored; another path to the same states may have one",
        ),
        RaceDetection::OfLibrary => Some(
            "whether memory goes while it is in use, and what library functions access, was looked at only along the paths \
             that were explored; another path to the same states may be different",
        ),
        _ => None,
    }
}
