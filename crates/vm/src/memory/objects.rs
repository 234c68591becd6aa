//! The life of objects: ids, places in the region, birth and end.

use std::sync::PoisonError;

use super::*;

impl Memory {
    /// The object that an address belongs to, dead or alive, with the start of the object.
    pub fn object_at(&self, address: Addr) -> Option<(Addr, Object)> {
        let mut id = address >> OFFSET_BITS;
        if id == 0 || id >= IDS {
            return None;
        }
        loop {
            let object = self.object(id);
            if object.life == Life::Unused && object.size == 0 {
                return None;
            }
            // A continuation page says how many pages lie before it.
            if object.kind == ObjectKind::None {
                id -= object.size;
                continue;
            }
            return Some((id << OFFSET_BITS, object));
        }
    }

    /// Whether the address is one of a heap object that has been freed.
    #[inline]
    pub fn is_stale(&self, address: Addr) -> bool {
        let id = address >> OFFSET_BITS;
        id != 0 && id < IDS && {
            let object = self.object(id);
            object.life == Life::Freed && object.kind == ObjectKind::Heap
        }
    }

    /// Which of the heap objects of its owner it is, from 1: ids go up, and every thread has its own.
    pub fn heap_number(&self, start: Addr) -> usize {
        let id = start >> OFFSET_BITS;
        let owner = self.object(id).owner;
        let arenas = self.ids.get(owner.index()).map_or(&[][..], |ids| &ids.arenas);
        let first = |arena: u32| u64::from(arena) << ARENA_BITS;
        let own = arenas.iter().flat_map(|&arena| first(arena)..first(arena) + u64::from(ARENA_IDS));
        let is_heap = |&other: &u64| self.object(other).kind == ObjectKind::Heap && self.object(other).owner == owner;
        own.take_while(|&other| other != id).filter(is_heap).count() + 1
    }

    pub(super) fn object(&self, id: u64) -> Object {
        // SAFETY: callers pass ids < IDS; all-zero bytes are a valid Object.
        unsafe { *self.objects.add(id as usize) }
    }

    pub(super) fn pages(size: u64) -> u64 {
        // One past the end must still lie in the object's own range.
        size / PAGE + 1
    }

    pub(super) fn set_entries(&mut self, id: u64, base: u64, size: u64, constant: bool) {
        for page in 0..Self::pages(size) {
            let rest = u32::try_from(size - page * PAGE).expect("objects are smaller than 4 GiB");
            let entry = Entry { base: base + page * PAGE, length: rest, writable: if constant { 0 } else { rest } };
            // SAFETY: an id range that was handed out lies within the table.
            unsafe { *self.table.add((id + page) as usize) = entry };
        }
    }

    pub(super) fn kill_entries(&mut self, id: u64, size: u64) {
        for page in 0..Self::pages(size) {
            // SAFETY: as above.
            unsafe {
                let entry = self.table.add((id + page) as usize);
                (*entry).length = 0;
                (*entry).writable = 0;
            }
        }
    }

    pub(super) fn set_object(&mut self, id: u64, object: Object) {
        // SAFETY: an id range that was handed out lies within the table.
        unsafe {
            *self.objects.add(id as usize) = object;
            for page in 1..Self::pages(object.size) {
                *self.objects.add((id + page) as usize) =
                    Object { size: page, kind: ObjectKind::None, life: Life::Live, ..object };
            }
        }
    }

    /// A fresh, uninitialised object.
    pub fn allocate(
        &mut self,
        owner: Tid,
        kind: ObjectKind,
        size: u64,
        detail: u32,
        at: u64,
        quarantine: bool,
    ) -> Result<Addr, AllocError> {
        if size >= LARGEST || self.in_use + size > self.limit {
            return Err(AllocError::MemoryLimit);
        }
        let spare = if quarantine { self.take_spare(owner, kind, size) } else { None };
        let (id, was_spare) = match spare {
            Some((id, saved)) => (id, saved + 1),
            None => (self.take_id(owner, Self::pages(size))?, 0),
        };
        let base = self.take_block(size)?;
        self.set_entries(id, base, size, false);
        let object = Object {
            size,
            allocated_at: at,
            freed_at: 0,
            detail,
            born: self.marks.len() as u32,
            owner,
            kind,
            life: Life::Live,
            quarantine,
        };
        self.set_object(id, object);
        self.races.object_made(id, size, Self::pages(size), quarantine && !object.is_own_block());
        self.in_use += size;
        if self.hashing {
            self.hash ^= Self::existence(id, &object);
        }
        self.log(Change { place: id | ALLOC << TAG_SHIFT, old: was_spare, new: Self::pages(size) });
        if self.zeroing {
            self.define(id << OFFSET_BITS, size);
        }
        Ok(id << OFFSET_BITS)
    }

    /// A variable of static storage: an id by its number. Not taken back, not limited.
    pub fn define_global(
        &mut self,
        index: u32,
        size: u64,
        constant: bool,
        kind: ObjectKind,
    ) -> Result<Addr, AllocError> {
        debug_assert!(self.marks.is_empty());
        if size >= LARGEST {
            return Err(AllocError::MemoryLimit);
        }
        let id = u64::from((FIRST_GLOBAL_ARENA << ARENA_BITS) + index);
        if id + Self::pages(size) > u64::from(FIRST_CODE_ARENA << ARENA_BITS) {
            return Err(AllocError::TooManyObjects);
        }
        let base = self.take_block(size)?;
        self.globals += if constant { 0 } else { size };
        self.set_entries(id, base, size, constant);
        self.set_object(
            id,
            Object {
                size,
                allocated_at: 0,
                freed_at: 0,
                detail: index,
                born: 0,
                owner: Tid::MAIN,
                kind,
                life: Life::Live,
                quarantine: true,
            },
        );
        Ok(id << OFFSET_BITS)
    }

    /// Says what a variable is that the program does not name.
    pub fn set_detail(&mut self, address: Addr, detail: u32) {
        // SAFETY: the id of an object.
        unsafe { (*self.objects.add((address >> OFFSET_BITS) as usize)).detail = detail };
    }

    /// A variable that is not to be written from here on.
    pub fn make_constant(&mut self, address: Addr) {
        let id = address >> OFFSET_BITS;
        for page in 0..Self::pages(self.object(id).size) {
            // SAFETY: the id of an object.
            unsafe { (*self.table.add((id + page) as usize)).writable = 0 };
        }
    }

    pub fn is_constant(&self, address: Addr) -> bool {
        self.locate(address, 1).is_some() && self.locate_writable(address, 1).is_none()
    }

    /// The first id that global number `index` of that size leaves free.
    pub fn next_global(index: u32, size: u64) -> u32 {
        index + Self::pages(size) as u32
    }

    pub fn global_address(index: u32) -> Addr {
        u64::from((FIRST_GLOBAL_ARENA << ARENA_BITS) + index) << OFFSET_BITS
    }

    /// Ends the life of the object that starts at `address`.
    pub fn release(&mut self, address: Addr, at: u64) {
        let id = address >> OFFSET_BITS;
        if self.object(id).life == Life::Left {
            self.enter_block(address);
        }
        let object = self.object(id);
        debug_assert!(object.life == Life::Live && address & OFFSET_MASK == 0);
        // SAFETY: the id of a live object.
        let base = unsafe { (*self.table.add(id as usize)).base };
        self.forget_partial(address, object.size);
        if self.hashing {
            self.fold();
            self.hash ^= Self::existence(id, &object) ^ self.content_hash(id, base, object.size);
        }
        if object.born == self.marks.len() as u32 {
            // Nobody can go back to a point at which it lived: its place is free at once, and nothing need be kept.
            self.blocks[class_of(object.size).0].push(base);
        } else {
            let saved = self.saves.len() as u64;
            self.saves.extend([
                base,
                object.size,
                object.allocated_at,
                u64::from(object.detail) | u64::from(object.born) << 32,
                u64::from(object.owner.0) | (object.kind as u64) << 16 | u64::from(object.quarantine) << 24,
            ]);
            self.log(Change { place: id | FREE << TAG_SHIFT, old: saved, new: 0 });
        }
        self.kill_entries(id, object.size);
        // SAFETY: the id of an object.
        unsafe {
            (*self.objects.add(id as usize)).life = Life::Freed;
            (*self.objects.add(id as usize)).freed_at = at;
        }
        self.in_use -= object.size;
        if !object.quarantine {
            self.give_id(object.owner, id, Self::pages(object.size));
        }
        if Self::is_laid_to_rest(&object) {
            self.lay_to_rest(object);
        }
    }

    /// The object goes: so does what is noted of its bytes.
    pub(super) fn forget_partial(&mut self, address: Addr, size: u64) {
        if !self.partial.is_empty() {
            let gone: Vec<Addr> =
                self.partial.keys().copied().filter(|a| (address..address + size).contains(a)).collect();
            gone.into_iter().for_each(|a| self.set_partial(a, 0));
        }
    }

    pub(super) fn undo_release(&mut self, id: u64, saved: usize) {
        let [base, size, allocated_at, detail_born, rest] = self.saves[saved..saved + 5] else {
            unreachable!("five words are saved")
        };
        let kind = ObjectKind::of((rest >> 16) as u8);
        let object = Object {
            size,
            allocated_at,
            freed_at: 0,
            detail: detail_born as u32,
            born: (detail_born >> 32) as u32,
            owner: Tid(rest as u16),
            kind,
            life: Life::Live,
            quarantine: rest >> 24 & 1 == 1,
        };
        self.set_entries(id, base, size, false);
        self.set_object(id, object);
        // Another object may have had its id in the meantime.
        self.races.object_back(id, size, Self::pages(size));
        self.in_use += size;
        if !object.quarantine {
            self.mark_id(object.owner, id, Self::pages(size), true);
        }
        if Self::is_laid_to_rest(&object) {
            self.raise(object);
        }
    }

    pub(super) fn undo_allocate(&mut self, id: u64, was_spare: u64) {
        let object = self.object(id);
        if matches!(object.life, Life::Live | Life::Left) {
            // SAFETY: the id of an object that has a place.
            let base = unsafe { (*self.table.add(id as usize)).base };
            self.blocks[class_of(object.size).0].push(base);
            self.kill_entries(id, object.size);
            self.in_use -= object.size;
        } else if Self::is_laid_to_rest(&object) {
            self.raise(object);
        }
        if was_spare != 0 {
            return self.undo_take_spare(id, was_spare as usize - 1);
        }
        let unused = Object { life: Life::Unused, size: 0, ..object };
        // SAFETY: the id of an object.
        unsafe {
            for page in 0..Self::pages(object.size) {
                *self.objects.add((id + page) as usize) = unused;
            }
        }
        self.mark_id(object.owner, id, Self::pages(object.size), false);
    }

    /// The ids of all objects that have one, dead ones that rest included.
    pub(super) fn used_ids(&self) -> impl Iterator<Item = u64> + '_ {
        let used = self.ids.iter().flat_map(|ids| {
            let words = ids.used.iter().enumerate().filter(|(_, bits)| **bits != 0);
            words
                .flat_map(|(i, &bits)| (0..64).filter(move |slot| bits >> slot & 1 == 1).map(move |slot| 64 * i + slot))
                .map(|slot| ids.id_of(slot))
        });
        let globals = u64::from(FIRST_GLOBAL_ARENA << ARENA_BITS)..u64::from(FIRST_CODE_ARENA << ARENA_BITS);
        let globals = globals.take_while(|&id| self.object(id).life != Life::Unused);
        used.chain(globals).filter(|&id| self.object(id).kind != ObjectKind::None)
    }

    pub(super) fn take_block(&mut self, size: u64) -> Result<u64, AllocError> {
        let (class, rounded) = class_of(size);
        if let Some(base) = self.blocks[class].pop() {
            // SAFETY: a block of this class has `rounded` bytes within the region, 16-aligned.
            unsafe {
                self.bytes.add(base as usize).write_bytes(0, size.next_multiple_of(8) as usize);
                self.init.add((base >> 3) as usize).write_bytes(0, size.div_ceil(8) as usize);
            }
            return Ok(base);
        }
        let base = self.fresh;
        if base + rounded > self.region() {
            return Err(AllocError::MemoryLimit);
        }
        self.fresh += rounded;
        Ok(base)
    }

    fn take_id(&mut self, owner: Tid, pages: u64) -> Result<u64, AllocError> {
        while self.ids.len() <= owner.index() {
            let mut ids = Ids::default();
            if own_arenas(Tid(self.ids.len() as u16)) == 1 {
                ids.add(self.ids.len() as u32);
            }
            if self.ids.is_empty() {
                ids.used[0] = 1; // null
            }
            self.ids.push(ids);
        }
        if pages > u64::from(ARENA_IDS) {
            return Err(AllocError::MemoryLimit);
        }
        loop {
            let ids = &mut self.ids[owner.index()];
            let found = if pages == 1 { ids.take_one() } else { ids.take_many(pages) };
            if let Some(slot) = found {
                return Ok(ids.id_of(slot));
            }
            let enough = ids.recycle_from.max(RESTING_ARENAS);
            if self.marks.is_empty() && ids.arenas.len() >= enough && self.recycle(owner) {
                continue;
            }
            match self.take_arena(owner) {
                Ok(arena) => self.ids[owner.index()].add(arena),
                Err(_) if self.marks.is_empty() && self.recycle(owner) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// One more arena for a thread.
    fn take_arena(&mut self, owner: Tid) -> Result<u32, AllocError> {
        let arena = match &self.common_arenas {
            Some(common) => common.nth(owner, self.ids[owner.index()].arenas.len() - own_arenas(owner)),
            None => self.next_arena,
        };
        if arena < FIRST_GLOBAL_ARENA {
            self.next_arena = self.next_arena.max(arena + 1);
            return Ok(arena);
        }
        if self.empty_arenas.is_empty() && self.marks.is_empty() && self.common_arenas.is_none() {
            self.collect_empty_arenas();
        }
        self.empty_arenas.pop().ok_or(AllocError::TooManyObjects)
    }

    /// A program that makes thread after thread has used up all arenas: those of which nothing is alive may be used again, at
    /// the same price as `recycle`.
    #[cold]
    fn collect_empty_arenas(&mut self) {
        self.rest.clear();
        let mut all = std::mem::take(&mut self.ids);
        for ids in &mut all {
            let old = std::mem::take(ids);
            for (i, &arena) in old.arenas.iter().enumerate() {
                let used = &old.used[i * ARENA_WORDS..(i + 1) * ARENA_WORDS];
                let is_gone = |slot: usize| {
                    let address = (u64::from(arena << ARENA_BITS) + slot as u64) << OFFSET_BITS;
                    self.object_at(address).is_some_and(|(_, object)| object.life == Life::Freed)
                };
                if (0..ARENA_IDS as usize).all(|slot| used[slot / 64] >> (slot % 64) & 1 == 0 || is_gone(slot)) {
                    self.empty_arenas.push(arena);
                } else {
                    ids.arenas.push(arena);
                    ids.used.extend_from_slice(used);
                }
            }
        }
        self.ids = all;
    }

    /// Machines that have these give the same ids to the same objects.
    pub fn common_arenas(&mut self) -> CommonArenas {
        let more = self.ids.iter().enumerate();
        let more = more.map(|(i, ids)| ids.arenas.iter().skip(own_arenas(Tid(i as u16))).copied().collect()).collect();
        let next = self.next_arena;
        self.common_arenas.get_or_insert_with(|| CommonArenas(Arc::new(Mutex::new((more, next))))).clone()
    }

    pub fn agree_on(&mut self, arenas: CommonArenas) {
        self.common_arenas = Some(arenas);
    }

    /// A program that runs on and on has freed very many objects: their ids may be used again, the price being that a
    /// pointer that has dangled for that long is no longer recognised. Not while somebody may go back.
    #[cold]
    fn recycle(&mut self, owner: Tid) -> bool {
        let ids = &self.ids[owner.index()];
        let resting: Vec<u64> = (0..ids.used.len() * 64)
            .filter(|&slot| ids.used[slot / 64] >> (slot % 64) & 1 == 1)
            .map(|slot| ids.id_of(slot))
            .filter(|&id| self.object(id).life == Life::Freed && !self.is_spare(id))
            .collect();
        for &id in &resting {
            if Self::is_laid_to_rest(&self.object(id)) {
                self.raise(self.object(id));
            }
            let pages = Self::pages(self.object(id).size);
            self.mark_id(owner, id, pages, false);
        }
        // Where most live on, it is not worth while to look at all of them for every new arena.
        let ids = &mut self.ids[owner.index()];
        let few = resting.len() < ids.used.len() * 64 / 4;
        ids.recycle_from = if few { ids.arenas.len() * 3 / 2 } else { 0 };
        !resting.is_empty()
    }

    fn give_id(&mut self, owner: Tid, id: u64, pages: u64) {
        self.mark_id(owner, id, pages, false);
    }

    pub(super) fn mark_id(&mut self, owner: Tid, id: u64, pages: u64, used: bool) {
        let ids = &mut self.ids[owner.index()];
        for id in id..id + pages {
            let slot = ids.slot_of(id);
            if used {
                ids.used[slot / 64] |= 1 << (slot % 64);
            } else {
                ids.used[slot / 64] &= !(1 << (slot % 64));
                ids.hint = ids.hint.min(slot / 64);
            }
        }
    }

    /// The live heap objects, for the search for leaks.
    pub fn live_heap(&self) -> Vec<(Addr, Object)> {
        let mut found = Vec::new();
        for ids in &self.ids {
            for (word, &bits) in ids.used.iter().enumerate() {
                let mut bits = bits;
                while bits != 0 {
                    let slot = word * 64 + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    let id = ids.id_of(slot);
                    let object = self.object(id);
                    if object.life == Life::Live && object.kind == ObjectKind::Heap {
                        found.push((id << OFFSET_BITS, object));
                    }
                }
            }
        }
        found
    }
}

impl CommonArenas {
    /// The n-th one of a thread besides its first.
    fn nth(&self, owner: Tid, n: usize) -> u32 {
        let (more, next) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if more.len() <= owner.index() {
            more.resize(owner.index() + 1, Vec::new());
        }
        let more = &mut more[owner.index()];
        while more.len() <= n {
            more.push(*next);
            *next += 1;
        }
        more[n]
    }
}

/// The first threads have an arena each from the start.
fn own_arenas(owner: Tid) -> usize {
    usize::from(owner.index() < THREAD_ARENAS as usize)
}

impl Ids {
    fn add(&mut self, arena: u32) {
        self.arenas.push(arena);
        self.used.extend([0; ARENA_WORDS]);
    }

    fn id_of(&self, slot: usize) -> u64 {
        u64::from(self.arenas[slot >> ARENA_BITS] << ARENA_BITS) + (slot as u64 & u64::from(ARENA_IDS - 1))
    }

    fn slot_of(&self, id: u64) -> usize {
        let arena = (id >> ARENA_BITS) as u32;
        let index = self.arenas.iter().position(|&a| a == arena).expect("an id of this thread");
        (index << ARENA_BITS) + (id as usize & (ARENA_IDS as usize - 1))
    }

    fn take_one(&mut self) -> Option<usize> {
        while self.hint < self.used.len() {
            let free = !self.used[self.hint];
            if free != 0 {
                let bit = free.trailing_zeros() as usize;
                self.used[self.hint] |= 1 << bit;
                return Some(self.hint * 64 + bit);
            }
            self.hint += 1;
        }
        None
    }

    /// Consecutive ids within one arena.
    fn take_many(&mut self, pages: u64) -> Option<usize> {
        let pages = pages as usize;
        let free = |used: &[u64], slot: usize| used[slot / 64] >> (slot % 64) & 1 == 0;
        for arena in 0..self.arenas.len() {
            let (start, end) = (arena << ARENA_BITS, (arena + 1) << ARENA_BITS);
            let mut run = 0;
            for slot in start..end {
                run = if free(&self.used, slot) { run + 1 } else { 0 };
                if run == pages {
                    for slot in slot + 1 - pages..=slot {
                        self.used[slot / 64] |= 1 << (slot % 64);
                    }
                    return Some(slot + 1 - pages);
                }
            }
        }
        None
    }
}
