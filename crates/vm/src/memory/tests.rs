//! The memory by itself, without a program.

use threadbare_core::Random;

use super::range::LONG;
use super::*;

fn memory() -> Memory {
    Memory::new(1 << 30, true).expect("a region")
}

fn heap(memory: &mut Memory, size: u64) -> Addr {
    memory.allocate(Tid::MAIN, ObjectKind::Heap, size, 0, 0, true).expect("room")
}

fn stack(memory: &mut Memory, size: u64) -> Addr {
    memory.allocate(Tid::MAIN, ObjectKind::Stack, size, 0, 0, false).expect("room")
}

fn back(memory: &mut Memory, mark: u32) {
    memory.rewind(mark, |_, _, _| unreachable!("nothing outside was logged"));
}

#[test]
fn accesses_end_where_objects_end() {
    let mut m = memory();
    let p = heap(&mut m, 10);
    assert!(m.store::<8>(p, 1).is_ok());
    assert!(m.store::<2>(p + 8, 1).is_ok());
    assert!(m.store::<4>(p + 8, 1).is_err());
    assert!(m.load::<1>(p + 10).is_err());
    assert!(m.load::<1>(p.wrapping_sub(1)).is_err());
    assert!(m.load::<1>(0).is_err());
    assert!(m.load::<8>(u64::MAX - 3).is_err());
    m.release(p, 0);
    assert!(m.load::<1>(p).is_err());
    assert_eq!(m.object_at(p + 3).map(|(start, object)| (start, object.life)), Some((p, Life::Freed)));
}

#[test]
fn blocks_are_left_and_entered_again() {
    let mut m = memory();
    let p = stack(&mut m, 24);
    m.store::<8>(p + 8, 7).expect("in bounds");
    let mark = m.mark();
    let before = m.fingerprint();
    m.leave_block(p, 0);
    assert!(m.load::<8>(p + 8).is_err() && m.store::<1>(p, 1).is_err());
    assert_eq!(m.object_at(p).map(|(_, object)| object.life), Some(Life::Left));
    let left = m.fingerprint();
    assert_eq!(left, Some(m.fingerprint_from_scratch()));
    assert_ne!(left, before);
    m.enter_block(p);
    assert_eq!(m.load::<8>(p + 8), Ok((0, u64::MAX)), "a new variable");
    m.store::<8>(p, 9).expect("in bounds");
    assert_eq!(m.fingerprint(), Some(m.fingerprint_from_scratch()));
    m.leave_block(p, 0);
    assert_eq!(m.fingerprint(), left);
    // Saved while it is left, it can be entered in the copy.
    let mut copy = memory();
    copy.restore(&m.save());
    assert!(copy.load::<1>(p).is_err());
    copy.enter_block(p);
    assert_eq!(copy.load::<8>(p), Ok((0, u64::MAX)));
    // It goes with its frame, left as it is, and all comes back.
    m.release(p, 0);
    assert_eq!(m.object_at(p).map(|(_, object)| object.life), Some(Life::Freed));
    back(&mut m, mark);
    assert_eq!(m.load::<8>(p + 8), Ok((7, 0)));
    assert_eq!(m.fingerprint(), before);
    assert_eq!(before, Some(m.fingerprint_from_scratch()));
}

#[test]
fn a_block_made_and_left_since_the_mark_is_forgotten() {
    let mut m = memory();
    let mark = m.mark();
    let before = m.fingerprint();
    let p = stack(&mut m, 16);
    m.store::<8>(p, 1).expect("in bounds");
    m.leave_block(p, 0);
    m.enter_block(p);
    m.leave_block(p, 0);
    m.release(p, 0);
    let again = stack(&mut m, 16);
    assert_eq!(again, p, "nobody can hold the old address");
    m.leave_block(again, 0);
    back(&mut m, mark);
    assert_eq!(m.fingerprint(), before);
    assert_eq!(m.in_use(), 0);
}

#[test]
fn objects_larger_than_a_page_of_ids_are_one_piece() {
    let mut m = memory();
    let size = 40 << 20;
    let p = heap(&mut m, size);
    let next = heap(&mut m, 8);
    for at in [0, (16 << 20) - 4, 16 << 20, (32 << 20) - 1, size - 8] {
        m.store::<8>(p + at, at + 1).expect("inside");
        assert_eq!(m.load::<8>(p + at), Ok((at + 1, 0)));
    }
    assert!(m.store::<8>(p + size - 7, 0).is_err());
    assert!(m.load::<1>(p + size).is_err());
    assert_eq!(m.object_at(p + size - 1).map(|(start, _)| start), Some(p));
    assert!(next > p + size || next < p);
    m.release(p, 0);
    assert!(m.load::<1>(p + (20 << 20)).is_err());
}

#[test]
fn constants_can_be_read_only() {
    let mut m = memory();
    let p = m.define_global(0, 16, false, ObjectKind::Global).expect("room");
    m.store::<8>(p, 7).expect("still writable");
    m.make_constant(p);
    assert_eq!(m.load::<8>(p), Ok((7, 0)));
    assert!(m.store::<1>(p, 0).is_err());
    assert!(m.is_constant(p + 15));
}

#[test]
fn undefined_bits_stay_with_their_bytes() {
    let mut m = memory();
    let p = heap(&mut m, 16);
    assert_eq!(m.load::<4>(p), Ok((0, 0xffff_ffff)));
    m.store::<1>(p + 1, 5).expect("inside");
    assert_eq!(m.load::<4>(p), Ok((0x500, 0xffff_00ff)));
    // Three bits of a byte, as a bit-field store leaves them.
    m.store_undefined::<1>(p + 2, 3, 0xf8).expect("inside");
    assert_eq!(m.load::<4>(p), Ok((0x3_0500, 0xfff8_00ff)));
    let q = heap(&mut m, 16);
    m.copy(q + 3, p, 4).expect("both inside");
    assert_eq!(m.load::<4>(q + 3), Ok((0x3_0500, 0xfff8_00ff)));
    m.store::<4>(q + 3, 9).expect("inside");
    assert_eq!(m.load::<4>(q + 3), Ok((9, 0)));
    m.store_undefined::<1>(q + 5, 0, 0xff).expect("inside");
    assert_eq!(m.load::<1>(q + 5), Ok((0, 0xff)));
}

#[test]
fn copies_may_overlap() {
    for (to, from) in [(0, 3), (3, 0), (0, 8), (8, 0), (1, 9), (5, 5)] {
        let mut m = memory();
        let p = heap(&mut m, 64);
        let bytes: Vec<u8> = (0..64).collect();
        m.write_bytes(p, &bytes).expect("inside");
        m.copy(p + to, p + from, 40).expect("inside");
        let mut expected = bytes.clone();
        expected.copy_within(from as usize..from as usize + 40, to as usize);
        assert_eq!(m.bytes(p, 64).expect("inside"), expected, "{from} to {to}");
    }
}

#[test]
fn rewinding_revives_and_forgets() {
    let mut m = memory();
    let old = heap(&mut m, 24);
    m.store::<8>(old + 8, 42).expect("inside");
    let mark = m.mark();
    let hash = m.fingerprint();
    for _ in 0..3 {
        let young = heap(&mut m, 24);
        m.store::<8>(young, 1).expect("inside");
        m.store::<8>(old + 8, 43).expect("inside");
        m.release(old, 0);
        let frame = stack(&mut m, 100);
        m.store::<4>(frame + 96, 5).expect("inside");
        m.release(frame, 0);
        let again = stack(&mut m, 16);
        assert_eq!(again, frame, "the id of a stack object that did not escape is used again");
        m.store::<8>(again + 8, 9).expect("inside");
        back(&mut m, mark);
        assert_eq!(m.fingerprint(), hash);
        assert_eq!(m.load::<8>(old + 8), Ok((42, 0)));
        assert_eq!(m.load::<8>(old), Ok((0, !0)));
        assert!(m.load::<1>(young).is_err() && m.load::<1>(frame).is_err());
        assert_eq!(heap(&mut m, 24), young, "ids come out the same after going back");
        back(&mut m, mark);
    }
}

#[test]
fn a_long_log_is_compacted_and_still_leads_back() {
    let mut m = memory();
    let p = heap(&mut m, 4096);
    m.fill(p, 3, 4096).expect("inside");
    let mark = m.mark();
    let hash = m.fingerprint();
    for i in 0..400_000u64 {
        m.store::<8>(p + i * 8 % 4096, i).expect("inside");
        if i % 1000 == 0 {
            let frame = stack(&mut m, 64);
            m.store::<8>(frame + 8, i).expect("inside");
            m.release(frame, 0);
        }
    }
    assert!(m.log_length() < 200_000, "{} entries", m.log_length());
    back(&mut m, mark);
    assert_eq!(m.fingerprint(), hash);
    assert!(m.bytes(p, 4096).expect("inside").iter().all(|&byte| byte == 3));
}

#[test]
fn without_a_mark_the_log_does_not_grow() {
    let mut m = memory();
    let p = heap(&mut m, 64);
    for i in 0..1_000_000 {
        m.store::<8>(p, i).expect("inside");
    }
    assert!(m.log_length() <= COMPACT_AT);
}

#[test]
fn limits_are_kept() {
    let mut m = Memory::new(1 << 20, false).expect("a region");
    let p = m.allocate(Tid::MAIN, ObjectKind::Heap, 1 << 19, 0, 0, true).expect("half of it");
    let more = m.allocate(Tid::MAIN, ObjectKind::Heap, 1 << 20, 0, 0, true);
    assert_eq!(more, Err(AllocError::MemoryLimit));
    m.release(p, 0);
    assert!(m.allocate(Tid::MAIN, ObjectKind::Heap, 1 << 20, 0, 0, true).is_ok());
}

#[test]
fn threads_number_their_objects_apart() {
    let mut m = memory();
    let first = |m: &mut Memory, tid| m.allocate(Tid(tid), ObjectKind::Heap, 8, 0, 0, true).expect("room");
    let mark = m.mark();
    let ab = (first(&mut m, 1), first(&mut m, 2));
    back(&mut m, mark);
    let (b, a) = (first(&mut m, 2), first(&mut m, 1));
    assert_eq!(ab, (a, b));
}

/// What a memory holds at an object, byte by byte: the value, and the undefined bits.
fn contents(memory: &Memory, object: Addr, size: u64) -> Vec<(u64, u64)> {
    (0..size).map(|i| memory.load::<1>(object + i).expect("inside")).collect()
}

#[test]
fn long_writes_are_what_short_ones_are() {
    let size = 3 * LONG;
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let mut m = memory();
        let old = heap(&mut m, size);
        m.fill(old + 5, 1, size / 2).expect("inside");
        m.store_undefined::<1>(old + 9, 3, 0xf8).expect("inside");
        let at_mark = contents(&m, old, size);
        let mark = m.mark();
        let hash = m.fingerprint();
        let objects = [old, heap(&mut m, size)];
        let mut expected = [at_mark.clone(), contents(&m, objects[1], size)];
        for round in 0..30 {
            let (a, b) = (random.below(2), random.below(2));
            let length = random.below(size as usize - 16);
            let offset = |random: &mut Random| random.below(size as usize - length);
            let (to, from) = (offset(&mut random), offset(&mut random));
            // The same alignment, which is what long copies are for, more often than by chance.
            let from = if random.once_in(2) { from } else { (from & !7 | to & 7).min(size as usize - length) };
            if random.once_in(2) {
                let byte = random.below(256) as u8;
                m.fill(objects[a] + to as u64, byte, length as u64).expect("inside");
                expected[a][to..to + length].fill((byte.into(), 0));
            } else {
                m.copy(objects[a] + to as u64, objects[b] + from as u64, length as u64).expect("inside");
                let source = expected[b][from..from + length].to_vec();
                expected[a][to..to + length].copy_from_slice(&source);
            }
            for i in 0..2 {
                let found = contents(&m, objects[i], size);
                // What a byte holds that is undefined as a whole says nothing.
                let same = |(a, b): (&(u64, u64), &(u64, u64))| a.1 == b.1 && (a.0 ^ b.0) & !a.1 == 0;
                assert!(found.iter().zip(&expected[i]).all(same), "seed {seed}, round {round}");
            }
            assert_eq!(m.fingerprint(), Some(m.fingerprint_from_scratch()), "seed {seed}, round {round}");
            if random.once_in(8) {
                m.mark();
            }
        }
        back(&mut m, mark);
        assert_eq!(contents(&m, old, size), at_mark, "seed {seed}");
        assert_eq!(m.fingerprint(), hash, "seed {seed}");
    }
}

#[test]
fn what_a_long_write_keeps_is_no_more_than_memory_is() {
    let mut m = Memory::new(1 << 30, false).expect("a region");
    let size = 1 << 24;
    let old = heap(&mut m, size);
    m.mark();
    for byte in 0..20 {
        m.fill(old, byte, size).expect("inside");
        let young = heap(&mut m, size);
        m.fill(young, byte, size).expect("inside");
    }
    assert!(m.log_length() < 100, "{} entries", m.log_length());
    assert!(m.saves.len() as u64 * 8 <= size + size / 4, "{} words", m.saves.len());
}

#[test]
fn words_of_young_objects_are_not_kept_for_a_mark() {
    let mut m = memory();
    let old = heap(&mut m, 64);
    let mark = m.mark();
    let hash = m.fingerprint();
    let size = 1 << 22;
    let young = heap(&mut m, size);
    for offset in (0..size).step_by(8) {
        m.store::<8>(young + offset, offset).expect("inside");
        m.store::<8>(old, offset).expect("inside");
    }
    assert!(m.log_length() < 4 * COMPACT_AT, "{} entries", m.log_length());
    assert_eq!(m.fingerprint(), Some(m.fingerprint_from_scratch()));
    back(&mut m, mark);
    assert_eq!(m.fingerprint(), hash);
    assert_eq!(m.load::<8>(old), Ok((0, !0)));
}

#[test]
fn held_locks_are_found_by_their_object() {
    let mut m = memory();
    let (p, q) = (heap(&mut m, 64), heap(&mut m, 64));
    m.set_owner(p + 24, 1);
    let mark = m.mark();
    assert_eq!((m.held_in(p), m.held_in(q)), (Some(p + 24), None));
    m.set_owner(q, 1);
    m.set_owner(p + 24, 0);
    m.set_owner(p + 24, 0);
    assert_eq!((m.held_in(p), m.held_in(q)), (None, Some(q)));
    let saved = m.save();
    back(&mut m, mark);
    assert_eq!((m.held_in(p), m.held_in(q)), (Some(p + 24), None));
    m.restore(&saved);
    assert_eq!((m.held_in(p), m.held_in(q)), (None, Some(q)));
}

#[test]
fn who_reads_is_part_of_the_state() {
    let mut m = memory();
    let lock = heap(&mut m, 56);
    m.set_times_read(lock, 1, 1);
    m.set_times_read(lock, 2, 1);
    let (mark, both) = (m.mark(), m.fingerprint());
    m.set_times_read(lock, 2, 0);
    m.set_times_read(lock, 1, 2);
    assert_eq!((m.times_read(lock, 1), m.times_read(lock, 2), m.held_in(lock)), (2, 0, Some(lock)));
    assert_ne!(m.fingerprint(), both);
    assert_eq!(m.fingerprint(), Some(m.fingerprint_from_scratch()));
    m.set_free(lock);
    assert_eq!((m.times_read(lock, 1), m.held_in(lock)), (0, None));
    back(&mut m, mark);
    assert_eq!((m.times_read(lock, 1), m.times_read(lock, 2)), (1, 1));
    assert_eq!(m.fingerprint(), both);
}

/// Allocates, frees, keeps and forgets addresses by chance, and uses ids again: no address that somebody keeps is given out, and
/// the same steps from the same mark give the same ids.
#[test]
fn ids_are_used_again_once_nobody_knows_them() {
    fn walk(m: &mut Memory, kind: ObjectKind, cells: Addr, seed: u64) -> Vec<Addr> {
        let mut random = Random::new(seed);
        let (mut live, mut given): (Vec<Addr>, Vec<Addr>) = (Vec::new(), Vec::new());
        let mut kept = [0; 8];
        let mut register = 0;
        for _ in 0..200 {
            let cell = random.below(8);
            match random.below(5) {
                0 | 1 => {
                    let size = 8 * (1 + random.below(2) as u64);
                    let address = m.allocate(Tid::MAIN, kind, size, 0, 0, true).expect("room");
                    assert!(!kept.contains(&address) && register != address, "{address:x} is kept");
                    live.push(address);
                    given.push(address);
                }
                2 if !live.is_empty() => {
                    let address = live.swap_remove(random.below(live.len()));
                    m.release(address, 0);
                    if m.many_rest() {
                        m.use_again(&[register]);
                    }
                }
                3 if !live.is_empty() => {
                    kept[cell] = random.pick(&live);
                    // Neither aligned nor without bits of its own.
                    m.store::<8>(cells + 9 * cell as u64 + 1, kept[cell] | 1 << 60).expect("in bounds");
                }
                4 if random.once_in(3) => register = live.last().copied().unwrap_or(0),
                _ => {
                    kept[cell] = 0;
                    m.store::<8>(cells + 9 * cell as u64 + 1, 0).expect("in bounds");
                }
            }
        }
        for address in live {
            m.release(address, 0);
        }
        if m.many_rest() {
            m.use_again(&[register]);
        }
        given
    }
    for kind in [ObjectKind::Heap, ObjectKind::Stack] {
        let mut again = 0;
        for seed in 0..200 {
            let mut m = memory();
            let cells = heap(&mut m, 80);
            m.define(cells, 80);
            walk(&mut m, kind, cells, seed);
            let (mark, before) = (m.mark(), m.fingerprint());
            let first = walk(&mut m, kind, cells, seed + 1000);
            let after = m.fingerprint();
            assert_eq!(after, Some(m.fingerprint_from_scratch()));
            back(&mut m, mark);
            assert_eq!(m.fingerprint(), before);
            let saved = m.save();
            assert_eq!(
                (walk(&mut m, kind, cells, seed + 1000), m.fingerprint()),
                (first.clone(), after),
                "seed {seed}"
            );
            let mut other = memory();
            other.restore(&saved);
            assert_eq!(walk(&mut other, kind, cells, seed + 1000), first, "seed {seed}");
            let different: std::collections::BTreeSet<_> = first.iter().collect();
            again += first.len() - different.len();
        }
        assert!(again > 5000, "{again} ids were used again");
    }
}
