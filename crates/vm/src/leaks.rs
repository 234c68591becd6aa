//! Which heap objects can still be reached from variables, stacks and registers when the process ends.

use rustc_hash::FxHashSet;

use crate::fault::CodePos;
use crate::machine::VmMachine;
use crate::memory::{Addr, Life, Object, ObjectKind};

/// Lost objects of one place in the program.
#[derive(Clone, PartialEq, Debug)]
pub struct LostObjects {
    pub allocated_at: Option<CodePos>,
    pub count: usize,
    pub bytes: u64,
}

impl VmMachine {
    /// What `--leaks` reports, by the source line of the allocation; most bytes first.
    pub fn lost_objects(&self) -> Vec<LostObjects> {
        let mut groups: Vec<LostObjects> = Vec::new();
        let line = |at: Option<CodePos>| at.map(|at| self.program.source_of(at));
        for (_, object) in self.unreachable_heap() {
            let allocated_at = CodePos::unpack(object.allocated_at);
            let known = groups
                .iter_mut()
                .find(|group| group.allocated_at == allocated_at || line(group.allocated_at) == line(allocated_at));
            match known {
                Some(group) => {
                    group.count += 1;
                    group.bytes += object.size;
                }
                None => groups.push(LostObjects { allocated_at, count: 1, bytes: object.size }),
            }
        }
        groups.sort_by_key(|group| std::cmp::Reverse(group.bytes));
        groups
    }

    pub(crate) fn unreachable_heap(&self) -> Vec<(Addr, Object)> {
        let mut reached: FxHashSet<Addr> = FxHashSet::default();
        let mut work: Vec<(Addr, u64)> = Vec::new();
        for global in &self.program.globals {
            work.push((global.address, global.size));
        }
        for tid in self.live_threads() {
            let thread = self.thread(tid);
            let objects = thread.allocas.iter().chain(&thread.thread_locals);
            work.extend(objects.filter_map(|&a| self.memory.object_at(a).map(|(start, object)| (start, object.size))));
            // Only live slots count: what a dead one still holds is not reachable by the program.
            for (depth, frame) in thread.frames.iter().enumerate() {
                let function = &self.program.functions[frame.function as usize];
                let resting = depth + 1 == thread.frames.len();
                let extra = (0..u32::from(frame.extra)).map(|i| function.slots + i);
                let live = function.live(frame.pc, resting).iter().map(|&slot| u32::from(slot));
                for slot in live.chain(extra) {
                    self.reach(thread.slots[(frame.base + slot) as usize], &mut reached, &mut work);
                }
            }
        }
        while let Some((start, size)) = work.pop() {
            for offset in (0..size.saturating_sub(7)).step_by(8) {
                if let Ok((word, _)) = self.memory.load::<8>(start + offset) {
                    self.reach(word, &mut reached, &mut work);
                }
            }
        }
        self.memory.live_heap().into_iter().filter(|(address, _)| !reached.contains(address)).collect()
    }

    fn reach(&self, word: u64, reached: &mut FxHashSet<Addr>, work: &mut Vec<(Addr, u64)>) {
        // Tags in the top 16 bits and in the lowest ones do not hide a pointer.
        if let Some((start, object)) = self.memory.object_at(word & 0xffff_ffff_ffff)
            && object.kind == ObjectKind::Heap
            && object.life == Life::Live
            && reached.insert(start)
        {
            work.push((start, object.size));
        }
    }
}
