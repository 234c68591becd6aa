//! Straight ways out of blocks, in the text of IR of level 0.
//!
//! Where control leaves a block with variables (`break`, `return` …), clang notes where it goes in `cleanup.dest.slot`,
//! jumps to the code that marks the end of the variables, and from there by a switch. Where that code does nothing else,
//! the marks are copied to the place where control comes from, and it goes on directly: what the switch will say is known
//! there. Nothing else changes; without it, every variable that lives on would take the long way as well.

use rustc_hash::FxHashMap;

const NOTE: &str = ", ptr %cleanup.dest.slot";

/// A block that only ends variables and goes on.
struct Passage<'t> {
    /// Its marks.
    ends: Vec<&'t str>,
    next: Next<'t>,
}

enum Next<'t> {
    Always(&'t str),
    /// By what was noted: the cases, and where all else goes.
    Noted(FxHashMap<&'t str, &'t str>, &'t str),
}

pub fn straighten(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    while at < lines.len() {
        let mut end = at + 1;
        if lines[at].starts_with("define ") {
            end = at + lines[at..].iter().position(|line| *line == "}").map_or(lines.len() - at, |length| length + 1);
        }
        let body = &lines[at..end];
        if body.iter().any(|line| line.starts_with("  %cleanup.dest.slot = alloca ")) {
            straighten_function(body, &mut result);
        } else {
            for line in body {
                result.push_str(line);
                result.push('\n');
            }
        }
        at = end;
    }
    result
}

fn straighten_function(body: &[&str], result: &mut String) {
    let passages = passages(body);
    for (i, line) in body.iter().enumerate() {
        let noted = body[i.saturating_sub(1)].strip_prefix("  store i32 ").and_then(|rest| rest.split_once(NOTE));
        if let (Some((value, _)), Some((first, rest))) = (noted, jump(line)) {
            let (mut target, mut ends) = (first, Vec::<&str>::new());
            // More of them than that would be a circle.
            for _ in 0..passages.len() {
                let Some(passage) = passages.get(target) else { break };
                let next = match &passage.next {
                    Next::Always(next) => next,
                    Next::Noted(cases, other) => cases.get(value).unwrap_or(other),
                };
                ends.extend(&passage.ends);
                target = next;
            }
            ends.into_iter().for_each(|end| *result += &format!("{end}\n"));
            *result += &format!("  br label %{target}{rest}\n");
        } else {
            result.push_str(line);
            result.push('\n');
        }
    }
}

/// The target of an unconditional jump, and what follows it.
fn jump(line: &str) -> Option<(&str, &str)> {
    let target = line.strip_prefix("  br label %")?;
    Some(target.split_at(target.find(',').unwrap_or(target.len())))
}

fn label(line: &str) -> Option<&str> {
    let name = line.split(" ;").next()?.trim_end().strip_suffix(':')?;
    (!name.starts_with(' ')).then_some(name)
}

/// The passages of a function by their labels. One that leads to a block with phis, which name it, is none.
fn passages<'t>(body: &[&'t str]) -> FxHashMap<&'t str, Passage<'t>> {
    let mut found = FxHashMap::default();
    let mut with_phis = Vec::new();
    for (i, line) in body.iter().enumerate() {
        let Some(name) = label(line) else { continue };
        if body.get(i + 1).is_some_and(|first| first.contains(" = phi ")) {
            with_phis.push(name);
        }
        found.extend(passage(&body[i + 1..]).map(|passage| (name, passage)));
    }
    found.retain(|_, passage| match &passage.next {
        Next::Always(next) => !with_phis.contains(next),
        Next::Noted(cases, other) => !with_phis.contains(other) && !cases.values().any(|next| with_phis.contains(next)),
    });
    found
}

fn passage<'t>(block: &[&'t str]) -> Option<Passage<'t>> {
    let mut ends = Vec::new();
    let mut lines = block.iter().copied();
    let mut line = lines.next()?;
    while line.starts_with("  call void @llvm.lifetime.end.p0(") {
        ends.push(line);
        line = lines.next()?;
    }
    if let Some((next, _)) = jump(line) {
        return Some(Passage { ends, next: Next::Always(next) });
    }
    let (dest, load) = line.strip_prefix("  %")?.split_once(" = load i32")?;
    let (value, other) = lines.next()?.strip_prefix("  switch i32 %")?.split_once(", label %")?;
    if !load.starts_with(NOTE) || value != dest {
        return None;
    }
    let other = other.split_once(" [")?.0;
    let mut cases = FxHashMap::default();
    for line in lines {
        let Some((value, next)) = line.strip_prefix("    i32 ").and_then(|case| case.split_once(", label %")) else {
            break;
        };
        cases.insert(value, next);
    }
    Some(Passage { ends, next: Next::Noted(cases, other) })
}

#[cfg(test)]
mod tests {
    use super::straighten;

    #[test]
    fn ways_out_are_straight() {
        let text = "define void @f() {
entry:
  %cleanup.dest.slot = alloca i32, align 4
  store i32 2, ptr %cleanup.dest.slot, align 4
  br label %cleanup, !dbg !7

cleanup:                                          ; preds = %entry
  call void @llvm.lifetime.end.p0(i64 4, ptr %x) #4, !dbg !8
  %cleanup.dest = load i32, ptr %cleanup.dest.slot, align 4
  switch i32 %cleanup.dest, label %cleanup5 [
    i32 0, label %cleanup.cont
  ]

cleanup.cont:                                     ; preds = %cleanup
  br label %end

cleanup5:                                         ; preds = %cleanup
  call void @llvm.lifetime.end.p0(i64 4, ptr %y) #4, !dbg !9
  %cleanup.dest6 = load i32, ptr %cleanup.dest.slot, align 4
  switch i32 %cleanup.dest6, label %unreachable [
    i32 2, label %for.end
    i32 3, label %end
  ]

for.end:
  ret void
}
";
        let straight = straighten(text);
        let expected = "align 4
  call void @llvm.lifetime.end.p0(i64 4, ptr %x) #4, !dbg !8
  call void @llvm.lifetime.end.p0(i64 4, ptr %y) #4, !dbg !9
  br label %for.end, !dbg !7
";
        assert!(straight.contains(expected), "{straight}");
        assert_eq!(straight.lines().count(), text.lines().count() + 2, "all else stays");
    }

    #[test]
    fn phis_know_where_control_comes_from() {
        let text = "define void @f() {
entry:
  %cleanup.dest.slot = alloca i32, align 4
  store i32 0, ptr %cleanup.dest.slot, align 4
  br label %cleanup

cleanup:
  br label %end

end:
  %r = phi i32 [ 1, %cleanup ]
  ret void
}
";
        assert_eq!(straighten(text), text);
    }
}
