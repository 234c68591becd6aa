//! Registers that nobody reads any more.
//!
//! What the compiler has left in a register that belongs to the caller tells the first round of a waiting loop from the others, where it
//! is set in each round before it is read. So the code of a function is looked at as a compiler would: a register is live at an instruction if
//! some way from there reads it before all of it is written. Where a function ends, they all are, since its caller may need them; and they
//! are wherever the way is not known.

use iced_x86::{Code, Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, OpAccess, Register};
use rustc_hash::FxHashMap;

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

/// The live registers behind each call of a function that begins at `start`. Nothing if its code cannot be understood.
pub fn behind_calls(code: &[u8], start: u64) -> FxHashMap<u64, Registers> {
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
            // Whoever goes where there is no instruction of the function leaves it.
            let (next, leaves) = match it.flow_control() {
                FlowControl::Next | FlowControl::Call | FlowControl::IndirectCall => ([behind, None], behind.is_none()),
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
    let calls = instructions.iter().filter(|it| is_call(it));
    calls.map(|it| (it.next_ip(), at(it.next_ip()).map_or(ALL, |behind| live[behind as usize]))).collect()
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

    fn live(code: &[u8]) -> Vec<(u64, Registers)> {
        let mut found: Vec<_> = behind_calls(code, 0x1000).into_iter().collect();
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
        // call; cmovne rbx, rax, which may leave it; pop rbx; ret.
        let code = [0xe8, 0, 0, 0, 0, 0x48, 0x0f, 0x45, 0xd8, 0xc3];
        assert_eq!(live(&code), [(0x1005, 0b1_1111)]);
    }

    #[test]
    fn of_what_cannot_be_read_nothing_is_said() {
        assert!(live(&[0xe8, 0, 0, 0, 0, 0x06]).is_empty());
        // A call behind which there is nothing.
        assert_eq!(live(&[0xe8, 0, 0, 0, 0]), [(0x1005, ALL)]);
    }
}
