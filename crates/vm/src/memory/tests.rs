//! The memory by itself, without a program.

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
