//! When two states are the same: a hash of all that the rest of an execution can hang on. It is sound, but tells more states
//! apart than the virtual machine does: memory counts as it is, also values that nobody will look at any more, and addresses
//! of the heap are never given out twice.

use smallvec::SmallVec;
use threadbare_core::{Fingerprint, Hash128, Tid};

use crate::dead;
use crate::image;
use crate::run::{Run, Status, Thread};
use crate::world::{Fiber, Frame};

impl Run {
    pub fn fingerprint(&self) -> Fingerprint {
        let mut hash = Hash128::new(0x57a7e);
        let words = self.program.argument_words();
        for (at, size) in self.program.image.variables().chain(words) {
            self.hash_memory(&mut hash, at, size);
        }
        for number in 0..self.threads.len() {
            if self.threads[number].exists {
                self.hash_thread(&mut hash, number);
            }
        }
        hash.word(self.clock);
        // SAFETY: nobody runs.
        hash.word(unsafe { (*self.program.world).input_taken });
        let reads = self.held.reads();
        let reads = reads.map(|(lock, tid, times)| Fingerprint::of(lock, u64::from(tid.0) << 32 | u64::from(times)));
        let thread = |number: usize| self.threads.get(number).filter(|thread| thread.exists);
        let lives = |number: usize| thread(number).is_some_and(|thread| thread.status == Status::Ready);
        let can_be_joined = |thread: &Thread| thread.status == Status::Ended && !thread.joined && !thread.detached;
        let order = self.races.fingerprint(lives, |number| thread(number).is_some_and(can_be_joined));
        reads.fold(hash.finish() ^ order, |all, read| all ^ read)
    }

    fn hash_memory(&self, hash: &mut Hash128, at: u64, size: u64) {
        // SAFETY: memory of the program that is in use, and nobody runs.
        hash.bytes(unsafe { std::slice::from_raw_parts(at as *const u8, size as usize) });
    }

    fn hash_thread(&self, hash: &mut Hash128, number: usize) {
        let thread = &self.threads[number];
        let Thread { fiber, status, joined, detached, waiting, woken, generation, .. } = thread;
        let Thread { woken_alone, spurious, clock_jumps, cancel_pending, children, hidden, result, .. } = thread;
        let flags = [*joined, *detached, *woken, *woken_alone, *cancel_pending, *hidden];
        let flags = flags.iter().fold(0, |all, &flag| all << 1 | u64::from(flag));
        for word in [number as u64, *status as u64, flags, *waiting, u64::from(*generation), u64::from(*children)] {
            hash.word(word);
        }
        hash.word(u64::from(*spurious) << 8 | u64::from(*clock_jumps));
        hash.word(fiber.heap);
        let lives = *status == Status::Ready;
        for block in self.blocks(number) {
            let open = if block.is_thread_local() { lives } else { !block.is_freed() };
            hash.word(block.address << 1 | u64::from(open));
            if open {
                self.hash_memory(hash, block.address, block.size);
            } else {
                hash.word(block.again());
            }
        }
        if !lives {
            hash.word(if *joined { 0 } else { *result });
            return;
        }
        let frames = fiber.live_frames().map(|frame| (frame.base, frame.size));
        for word in [fiber.operation, fiber.pc, fiber.frame, fiber.sp, fiber.cancel_disabled, fiber.frames, fiber.live]
        {
            hash.word(word);
        }
        fiber.arguments.iter().chain(&self.live_registers(fiber)).for_each(|&word| hash.word(word));
        // Of the floor's own frames nothing comes back to the program.
        let from = if (fiber.sp..fiber.stack_high).contains(&fiber.frame) { fiber.frame } else { fiber.sp };
        for (at, size) in frames.chain([(from, fiber.stack_high - from)]) {
            hash.word(at);
            self.hash_memory(hash, at, size);
        }
    }

    /// The registers of a thread, but for those that it will not read.
    fn live_registers(&self, fiber: &Fiber) -> [u64; 5] {
        let stack = fiber.sp..fiber.stack_high - 8;
        // SAFETY: a word of a stack that is in use.
        let came_from = |frame: u64| unsafe { *((frame + 8) as *const u64) };
        let is_known = stack.contains(&fiber.frame) && came_from(fiber.frame) == fiber.pc;
        let live = if is_known { self.program.behind_call(fiber.pc).live } else { dead::ALL };
        std::array::from_fn(|i| if live >> i & 1 == 1 { fiber.registers[i] } else { 0 })
    }

    /// Where words of its stack are that nobody reads, from below.
    fn unread_words(&self, fiber: &Fiber) -> SmallVec<[u64; 16]> {
        let mut unread = SmallVec::new();
        let stack = fiber.sp..fiber.stack_high - 8;
        // A frame holds its caller's, and behind that where the caller goes on.
        let mut frame = fiber.frame;
        while stack.contains(&frame) && frame.is_multiple_of(8) {
            // SAFETY: words of a stack that is in use.
            let (above, pc) = unsafe { (*(frame as *const u64), *((frame + 8) as *const u64)) };
            let behind = if self.program.image.contains(pc) { self.program.behind_call(pc).unread } else { None };
            let Some(offsets) = behind.filter(|_| above > frame && stack.contains(&above)) else { break };
            let words = offsets.iter().rev().map(|&offset| above.wrapping_add_signed(offset));
            unread.extend(words.filter(|&at| at > frame + 8));
            frame = above;
        }
        unread
    }

    /// The registers of a thread that exists, and its stack above the floor.
    pub fn local_fingerprint(&self, who: Tid) -> Fingerprint {
        let thread = &self.threads[who.index()];
        let mut hash = Hash128::new(0x10ca1);
        hash.word(thread.fiber.operation);

        let stack = thread.fiber.sp..thread.fiber.stack_high;
        let from = if stack.contains(&thread.fiber.frame) { thread.fiber.frame & !7 } else { stack.start };
        // A call gets another place for its variables every time: which call it is of matters, not where that place is. Where one was
        // that is gone, nobody may ask.
        let fiber = &thread.fiber;
        let frames = image::frames_of(who.index());
        let name = |word: u64| {
            let live = || fiber.live_frames().enumerate();
            let within = |(_, frame): &(usize, &Frame)| (frame.base..frame.base + frame.size).contains(&word);
            match (frames.0..frames.1).contains(&word).then(|| live().find(within)) {
                Some(Some((i, frame))) => (i as u64) << 32 | (word - frame.base) | 1 << 63,
                Some(None) => 1 << 62,
                None => word,
            }
        };
        self.live_registers(fiber).iter().for_each(|&register| hash.word(name(register)));
        let mut unread = self.unread_words(fiber).into_iter().peekable();
        let of_frames = fiber.live_frames().flat_map(|frame| (frame.base..frame.base + frame.size - 8).step_by(8));
        for at in (from..fiber.stack_high).step_by(8).chain(of_frames) {
            // SAFETY: a stack, or frames, of a thread that exists, in whole words.
            let word = unsafe { *(at as *const u64) };
            let is_shared = !self.shared_locals.is_empty() && self.shared_locals.contains(&(at / 8));
            let is_unread = unread.next_if_eq(&at).is_some();
            hash.word(if is_shared || is_unread { 0 } else { name(word) });
        }
        hash.finish()
    }
}
