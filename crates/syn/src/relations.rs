//! How events stand to each other, told from the graph: for events p and q that match many, one or two passes over the graph
//! for each process that has some of the first.

use crate::order::{Order, known};
use crate::sequence::{EventId, Sequence};

/// Events that match a description, a flag each.
pub type Matching = Vec<bool>;

/// Every event of `p` comes before every one of `q`, and there are both. None where that is so, else what speaks against it: an event
/// of `p` that need not come before an event of `q`.
pub enum Before {
    Always,
    NoFirst,
    NoSecond,
    Not(EventId, EventId),
}

pub fn before(sequence: &Sequence, order: &Order, p: &Matching, q: &Matching) -> Before {
    let events = || 0..sequence.events.len() as EventId;
    if !p.contains(&true) {
        return Before::NoFirst;
    }
    if !q.contains(&true) {
        return Before::NoSecond;
    }
    let mut passed = vec![0; sequence.events.len()];
    for (number, process) in sequence.processes.iter().enumerate() {
        let own = process.first..process.first + process.events;
        let Some(last) = own.rev().find(|&event| p[event as usize]) else { continue };
        known(sequence, order, number as u32, &mut passed);
        let index = sequence.event(last).index;
        if let Some(late) =
            events().find(|&event| q[event as usize] && (event == last || passed[event as usize] <= index))
        {
            return Before::Not(last, late);
        }
    }
    Before::Always
}

/// An event of `p` and another one of `q`, neither of which comes before the other.
pub fn parallel(sequence: &Sequence, order: &Order, p: &Matching, q: &Matching) -> Option<(EventId, EventId)> {
    let behind = order.behind();
    let (mut passed, mut ahead) = (vec![0; sequence.events.len()], vec![0; sequence.events.len()]);
    for (number, process) in sequence.processes.iter().enumerate() {
        let own: Vec<u32> = (0..process.events).filter(|&index| p[(process.first + index) as usize]).collect();
        if own.is_empty() {
            continue;
        }
        known(sequence, order, number as u32, &mut passed);
        // The first event of the process that comes behind each event, the event itself included.
        for &event in order.line.iter().rev() {
            let at = sequence.event(event);
            ahead[event as usize] = match at.process == number as u32 {
                true => at.index,
                false => behind[event as usize].iter().map(|&to| ahead[to as usize]).min().unwrap_or(process.events),
            };
        }
        for event in (0..sequence.events.len()).filter(|&event| q[event]) {
            if sequence.events[event].process == number as u32 {
                continue;
            }
            let first = own[own.partition_point(|&index| index < passed[event])..].first();
            if let Some(&index) = first.filter(|&&index| index < ahead[event]) {
                return Some((process.first + index, event as EventId));
            }
        }
    }
    None
}

/// An event of `p` that some execution has right before one of `q`: they are parallel, or nothing comes between them.
pub fn may_directly(sequence: &Sequence, order: &Order, p: &Matching, q: &Matching) -> Option<(EventId, EventId)> {
    let edge = order.edges().find(|&(from, to)| p[from as usize] && q[to as usize]);
    edge.or_else(|| parallel(sequence, order, p, q))
}

/// Whether every execution has one event right before another: everything else comes before the first, or behind the second.
pub fn always_directly(order: &Order, first: EventId, second: EventId) -> bool {
    let events = order.line.len();
    let behind = order.behind();
    let reached = |start: EventId, next: &dyn Fn(EventId) -> Vec<EventId>| {
        let (mut seen, mut open) = (vec![false; events], vec![start]);
        let mut count = 0;
        while let Some(event) = open.pop() {
            for other in next(event) {
                if !std::mem::replace(&mut seen[other as usize], true) {
                    count += 1;
                    open.push(other);
                }
            }
        }
        count
    };
    let earlier = reached(first, &|event| order.before(event).to_vec());
    let later = reached(second, &|event| behind[event as usize].clone());
    order.before(second).contains(&first) && earlier + later + 2 == events
}

/// A linearisation that does not have `first` right before `second`, where not all do.
pub fn line_apart(order: &Order, first: EventId, second: EventId) -> Vec<EventId> {
    let events = order.line.len();
    let (mut earlier, mut later) = (vec![false; events], vec![false; events]);
    for &event in order.line.iter().rev() {
        if event == first || earlier[event as usize] {
            order.before(event).iter().for_each(|&other| earlier[other as usize] = true);
        }
    }
    for &event in &order.line {
        later[event as usize] = order.before(event).iter().any(|&other| other == second || later[other as usize]);
    }
    let is_free =
        |event: EventId| ![first, second].contains(&event) && !earlier[event as usize] && !later[event as usize];
    match order.line.iter().find(|&&event| is_free(event)) {
        Some(&between) => line_by(order, &[first, between, second]),
        None => line_by(order, &[second, first]),
    }
}

/// A linearisation that comes to each of these in turn as soon as can be.
fn line_by(order: &Order, stops: &[EventId]) -> Vec<EventId> {
    let mut rank = vec![stops.len(); order.line.len()];
    for (number, &stop) in stops.iter().enumerate().rev() {
        let mut needed = vec![false; order.line.len()];
        needed[stop as usize] = true;
        for &event in order.line.iter().rev() {
            if needed[event as usize] {
                rank[event as usize] = number;
                order.before(event).iter().for_each(|&other| needed[other as usize] = true);
            }
        }
    }
    let mut line = order.line.clone();
    line.sort_by_key(|&event| rank[event as usize]);
    line
}

/// A linearisation that has `first` before `second`, where that can be: right before it, if nothing comes between them.
pub fn line_with(order: &Order, first: EventId, second: EventId) -> Vec<EventId> {
    let events = order.line.len();
    let mut needed = vec![false; events];
    for &event in order.line.iter().rev() {
        if event == first || event == second || needed[event as usize] {
            order.before(event).iter().for_each(|&other| needed[other as usize] = true);
        }
    }
    let mut later = vec![false; events];
    for &event in &order.line {
        later[event as usize] = event == first || order.before(event).iter().any(|&other| later[other as usize]);
    }
    let rank = |event: EventId| match (needed[event as usize], later[event as usize]) {
        _ if event == first => 1,
        _ if event == second => 3,
        (true, false) => 0,
        (true, true) => 2,
        (false, _) => 4,
    };
    let mut line = order.line.clone();
    if !needed[first as usize] || later[second as usize] {
        line.sort_by_key(|&event| rank(event));
    }
    line
}
