//! Registers that nobody reads any more, and words of the stack that nobody ever reads.
//!
//! What the compiler has left in a register that belongs to the caller tells the first round of a waiting loop from the others, where it
//! is set in each round before it is read. So the code of a function is looked at as a compiler would: a register is live at an instruction if
//! some way from there reads it before all of it is written. Where a function ends, they all are, since its caller may need them; and they
//! are wherever the way is not known.
//!
//! A function that begins as usual, and never hands out where its frame is, reads of it what its instructions say. The rest was put there to
//! make room (`push rax`), or is never asked for.

use std::sync::Arc;

use iced_x86::{
    Code, Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind,
    Register,
};
use rustc_hash::FxHashMap;

/// What is known of a thread that goes on behind a call.
#[derive(Clone)]
pub struct Behind {
    pub live: Registers,
    /// The function has a frame of its own, at which rbp points: where in it, from there, words are that it never reads. Downwards.
    pub unread: Option<Arc<[i64]>>,
}

impl Behind {
    pub fn unknown() -> Behind {
        Behind { live: ALL, unread: None }
    }
}

/// A bit for each of rbx, r12, r13, r14 and r15, as `Fiber::registers` has them.
pub type Registers = u8;

pub const ALL: Registers = 0b1_1111;

fn bit(register: Register) -> Registers {
    match register.full_register() {
        Register::RBX => 1,
        Register::R12 => 2,
        Register::R13 => 4,
        Register::R14 => 8,
        Register::R15 => 16,
        _ => 0,
    }
}

/// What an instruction does to them, and where it leads.
struct Node {
    reads: Registers,
    writes: Registers,
    next: [Option<u32>; 2],
    /// It may lead elsewhere.
    leaves: bool,
}

/// What is known behind each call of a function that begins at `start`. Nothing if its code cannot be understood. `is_end` says
/// of a function that is called that it never comes back: what stands behind in the code belongs to another way.
pub fn behind_calls(code: &[u8], start: u64, is_end: impl Fn(u64) -> bool) -> FxHashMap<u64, Behind> {
    let mut decoder = Decoder::with_ip(64, code, start, DecoderOptions::NONE);
    let instructions: Vec<Instruction> = decoder.iter().collect();
    if instructions.iter().any(|it| it.code() == Code::INVALID) {
        return FxHashMap::default();
    }
    let at = |ip: u64| instructions.binary_search_by_key(&ip, Instruction::ip).ok().map(|at| at as u32);
    let mut factory = InstructionInfoFactory::new();
    let nodes: Vec<Node> = instructions
        .iter()
        .map(|it| {
            let (reads, writes) = accesses(&mut factory, it);
            let (behind, target) = (at(it.next_ip()), at(it.near_branch_target()));
            // Whoever goes where there is no instruction of the function leaves it. A call behind which there is none does not
            // come back, and whom it calls does not look.
            let (next, leaves) = match it.flow_control() {
                FlowControl::Next => ([behind, None], behind.is_none()),
                FlowControl::Call if is_end(it.near_branch_target()) => ([None, None], false),
                FlowControl::Call | FlowControl::IndirectCall => ([behind, None], false),
                FlowControl::UnconditionalBranch => ([target, None], target.is_none()),
                FlowControl::ConditionalBranch => ([behind, target], behind.is_none() || target.is_none()),
                FlowControl::Exception => ([None, None], false),
                _ => ([None, None], true),
            };
            Node { reads, writes, next, leaves }
        })
        .collect();
    let mut live = vec![0; nodes.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (at, node) in nodes.iter().enumerate().rev() {
            let behind = node.next.iter().flatten().fold(0, |all, &next| all | live[next as usize]);
            let behind = if node.leaves { ALL } else { behind };
            let now = node.reads | behind & !node.writes;
            changed |= std::mem::replace(&mut live[at], now) != now;
        }
    }
    let is_call = |it: &Instruction| matches!(it.flow_control(), FlowControl::Call | FlowControl::IndirectCall);
    let unread: Option<Arc<[i64]>> = unread_words(&instructions).map(Arc::from);
    let calls = instructions.iter().filter(|it| is_call(it));
    let behind = |it: &Instruction| {
        let live = at(it.next_ip()).map_or(ALL, |behind| live[behind as usize]);
        (it.next_ip(), Behind { live, unread: unread.clone() })
    };
    calls.map(behind).collect()
}

/// The words of the frame that no instruction reads, from rbp downwards. `None` if rbp does not point at a frame, nothing of it if
/// somebody else may read there.
fn unread_words(instructions: &[Instruction]) -> Option<Vec<i64>> {
    let [push, point, rest @ ..] = instructions else { return None };
    let has_frame = push.code() == Code::Push_r64
        && push.op0_register() == Register::RBP
        && point.mnemonic() == Mnemonic::Mov
        && (point.op0_register(), point.op1_register()) == (Register::RBP, Register::RSP);
    // Whoever gives rbp another value gives it back before the end.
    let sets_rbp = |it: &Instruction| {
        let is_first = it.op_count() > 0
            && it.op0_kind() == OpKind::Register
            && it.op0_register().full_register() == Register::RBP;
        is_first && !matches!(it.mnemonic(), Mnemonic::Pop | Mnemonic::Push | Mnemonic::Cmp | Mnemonic::Test)
    };
    if !has_frame || rest.iter().any(sets_rbp) {
        return None;
    }
    // The rest of it may lie elsewhere.
    let is_jump = |it: &Instruction| {
        matches!(it.flow_control(), FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch)
    };
    let within = push.ip()..=instructions[instructions.len() - 1].ip();
    if rest.iter().any(|it| is_jump(it) && !within.contains(&it.near_branch_target())) {
        return Some(Vec::new());
    }
    let is_push = |it: &&Instruction| it.code() == Code::Push_r64;
    let pushed: Vec<Register> = rest.iter().take_while(is_push).map(Instruction::op0_register).collect();
    let room = match rest.get(pushed.len()) {
        Some(it) if it.mnemonic() == Mnemonic::Sub && it.op0_register() == Register::RSP => it.immediate(1) as i64,
        _ => 0,
    };
    let words = pushed.len() as i64 + room / 8;
    let mut unread: Vec<bool> =
        (0..words).map(|i| pushed.get(i as usize).is_none_or(|&register| bit(register) == 0)).collect();
    let mut factory = InstructionInfoFactory::new();
    for it in &rest[pushed.len()..] {
        if !keeps_frame_to_itself(it) {
            return Some(Vec::new());
        }
        for used in factory.info(it).used_memory() {
            let is_read = !matches!(used.access(), OpAccess::Write | OpAccess::CondWrite | OpAccess::NoMemAccess);
            if used.base() != Register::RBP || !is_read {
                continue;
            }
            let (from, size) = (used.displacement() as i64, used.memory_size().size() as i64);
            if size == 0 || used.index() != Register::None {
                return Some(Vec::new());
            }
            for byte in from..from + size {
                // Word i lies at rbp - 8 (i + 1).
                let word = (-byte + 7) / 8 - 1;
                if byte < 0
                    && let Some(is_unread) = unread.get_mut(word as usize)
                {
                    *is_unread = false;
                }
            }
        }
    }
    Some((0..words).filter(|&i| unread[i as usize]).map(|i| -8 * (i + 1)).collect())
}

/// Whether an instruction neither tells where the stack is, nor reads there but by rbp.
fn keeps_frame_to_itself(it: &Instruction) -> bool {
    let is_stack = |register: Register| matches!(register.full_register(), Register::RSP | Register::RBP);
    let operands = || (0..it.op_count()).filter(|&i| it.op_kind(i) == OpKind::Register);
    match it.mnemonic() {
        // What was pushed to make room may be popped to give it back.
        Mnemonic::Pop => bit(it.op0_register()) != 0 || it.op0_register() == Register::RBP,
        Mnemonic::Push => it.op_kind(0) != OpKind::Register || !is_stack(it.op0_register()),
        Mnemonic::Add | Mnemonic::Sub if it.op0_register() == Register::RSP => it.op_kind(1) != OpKind::Register,
        Mnemonic::Lea if it.op0_register() == Register::RSP => it.memory_base() == Register::RBP,
        Mnemonic::Lea => !is_stack(it.memory_base()) && !is_stack(it.memory_index()),
        _ => {
            let is_register = operands().any(|i| is_stack(it.op_register(i)));
            !is_register && it.memory_base() != Register::RSP && !is_stack(it.memory_index())
        }
    }
}

/// Those that it reads, and those that it writes whole, whatever happens.
fn accesses(factory: &mut InstructionInfoFactory, instruction: &Instruction) -> (Registers, Registers) {
    let (mut reads, mut writes) = (0, 0);
    for used in factory.info(instruction).used_registers() {
        let register = bit(used.register());
        match used.access() {
            OpAccess::None | OpAccess::NoMemAccess | OpAccess::CondWrite => {}
            // Four bytes of a register are all of it: the others become zero.
            OpAccess::Write => writes |= if used.register().size() >= 4 { register } else { 0 },
            _ => reads |= register,
        }
    }
    (reads, writes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const END: u64 = 0x2000;

    fn live(code: &[u8]) -> Vec<(u64, Registers)> {
        let mut found: Vec<_> =
            behind_calls(code, 0x1000, |to| to == END).into_iter().map(|(at, behind)| (at, behind.live)).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn a_register_is_live_where_some_way_reads_it_before_it_is_written() {
        // call; mov rbx, r12; pop rbx; pop r12; ret: of what is popped nothing matters before, but r12 is read.
        let code = [0xe8, 0, 0, 0, 0, 0x4c, 0x89, 0xe3, 0x5b, 0x41, 0x5c, 0xc3];
        assert_eq!(live(&code), [(0x1005, 0b1_1110)]);
        // call; mov ebx, eax; call; test ebx, ebx; je back to the first call; pop rbx; ret.
        let code = [0xe8, 0, 0, 0, 0, 0x89, 0xc3, 0xe8, 0, 0, 0, 0, 0x85, 0xdb, 0x74, 0xf0, 0x5b, 0xc3];
        assert_eq!(live(&code), [(0x1005, 0b1_1110), (0x100c, 0b1_1111)]);
        // The same with mov bl, al, which leaves the rest of rbx as it was.
        let code = [0xe8, 0, 0, 0, 0, 0x88, 0xc3, 0xe8, 0, 0, 0, 0, 0x85, 0xdb, 0x74, 0xf0, 0x5b, 0xc3];
        assert_eq!(live(&code), [(0x1005, 0b1_1111), (0x100c, 0b1_1111)]);
        // call; xor ebx, ebx; jmp rax; a way that is not known.
        let code = [0xe8, 0, 0, 0, 0, 0x31, 0xdb, 0xff, 0xe0];
        assert_eq!(live(&code), [(0x1005, 0b1_1110)]);
        // call; test eax, eax; je over the rest; pop rbx; ret; a call that does not come back.
        let code = [0xe8, 0, 0, 0, 0, 0x85, 0xc0, 0x74, 2, 0x5b, 0xc3, 0xe8, 0, 0, 0, 0];
        assert_eq!(live(&code)[0], (0x1005, 0b1_1110));
        // call; test eax, eax; je over the rest; a call of what ends the program; mov rdi, rbx; pop rbx; ret, which is where je goes.
        let code = [0xe8, 0, 0, 0, 0, 0x85, 0xc0, 0x74, 8, 0xe8, 0xf2, 0x0f, 0, 0, 0x48, 0x89, 0xdf, 0x5b, 0xc3];
        assert_eq!(live(&code)[0], (0x1005, 0b1_1110));
        // The same with a call that comes back.
        let code = [0xe8, 0, 0, 0, 0, 0x85, 0xc0, 0x74, 8, 0xe8, 0xf3, 0x0f, 0, 0, 0x48, 0x89, 0xdf, 0x5b, 0xc3];
        assert_eq!(live(&code)[0], (0x1005, 0b1_1111));
        // call; cmovne rbx, rax, which may leave it; pop rbx; ret.
        let code = [0xe8, 0, 0, 0, 0, 0x48, 0x0f, 0x45, 0xd8, 0xc3];
        assert_eq!(live(&code), [(0x1005, 0b1_1111)]);
    }

    /// Behind the call of a function that pushes rbp, r14 and rax, calls, and does this.
    fn unread(body: &[u8]) -> Option<Vec<i64>> {
        let begin = [0x55, 0x48, 0x89, 0xe5, 0x41, 0x56, 0x50, 0xe8, 0, 0, 0, 0];
        let found = behind_calls(&[&begin, body].concat(), 0x1000, |_| false);
        found[&0x100c].unread.as_ref().map(|unread| unread.to_vec())
    }

    #[test]
    fn what_is_pushed_to_make_room_is_never_read() {
        let end = [0x48, 0x83, 0xc4, 8, 0x41, 0x5e, 0x5d, 0xc3];
        // add rsp, 8; pop r14; pop rbp; ret: r14 is the caller's.
        assert_eq!(unread(&end), Some(vec![-16]));
        // mov [rbp - 16], rax; never read.
        assert_eq!(unread(&[&[0x48, 0x89, 0x45, 0xf0], &end[..]].concat()), Some(vec![-16]));
        // mov al, [rbp - 9], in the word above; mov al, [rbp - 10 - 1].
        assert_eq!(unread(&[&[0x8a, 0x45, 0xf7], &end[..]].concat()), Some(vec![]));
        assert_eq!(unread(&[&[0x8a, 0x45, 0xf8], &end[..]].concat()), Some(vec![-16]));
        // add [rbp - 16], rax
        assert_eq!(unread(&[&[0x48, 0x01, 0x45, 0xf0], &end[..]].concat()), Some(vec![]));
    }

    #[test]
    fn a_frame_that_somebody_else_may_read_is_all_read() {
        // lea rdi, [rbp - 16]; mov rdi, rsp; mov rdi, rbp; mov rax, [rsp]; pop rcx; mov rax, [rbp + 8 rcx]; push rsp
        for body in [
            &[0x48, 0x8d, 0x7d, 0xf0][..],
            &[0x48, 0x89, 0xe7],
            &[0x48, 0x89, 0xef],
            &[0x48, 0x8b, 0x04, 0x24],
            &[0x59],
            &[0x48, 0x8b, 0x44, 0xcd, 0x00],
            &[0x54],
        ] {
            assert_eq!(unread(&[body, &[0x5d, 0xc3]].concat()), Some(vec![]), "{body:x?}");
        }
        // add rsp, 8; pop r14; pop rbp; jmp elsewhere
        let jumps = [0x48, 0x83, 0xc4, 8, 0x41, 0x5e, 0x5d, 0xe9, 0, 1, 0, 0];
        assert_eq!(unread(&jumps), Some(vec![]));
        // mov rbp, rax: it is no frame.
        assert_eq!(unread(&[0x48, 0x89, 0xc5, 0x5d, 0xc3]), None);
        // No frame at all: call; ret.
        assert!(behind_calls(&[0xe8, 0, 0, 0, 0, 0xc3], 0x1000, |_| false)[&0x1005].unread.is_none());
    }

    #[test]
    fn of_what_cannot_be_read_nothing_is_said() {
        assert!(live(&[0xe8, 0, 0, 0, 0, 0x06]).is_empty());
        // A call behind which there is nothing.
        assert_eq!(live(&[0xe8, 0, 0, 0, 0]), [(0x1005, ALL)]);
    }
}
