//! Contents by themselves: taken out of one memory, put into another of the same program.

use super::*;
use crate::races::SavedRaces;

impl Memory {
    /// All live objects and what they hold, to be put into another memory of the same program.
    pub fn save(&self) -> SavedMemory {
        let mut objects = Vec::new();
        for id in self.used_ids() {
            let object = self.object(id);
            let (bytes, init) = if object.life == Life::Live {
                // SAFETY: the id of a live object; objects are padded to whole words.
                unsafe {
                    let entry = *self.table.add(id as usize);
                    let words = object.size.div_ceil(8) as usize;
                    (
                        std::slice::from_raw_parts(self.bytes.add(entry.base as usize), words * 8).into(),
                        std::slice::from_raw_parts(self.init.add((entry.base >> 3) as usize), words).into(),
                    )
                }
            } else {
                Default::default()
            };
            // SAFETY: as above.
            let constant =
                unsafe { (*self.table.add(id as usize)).writable == 0 && object.life == Life::Live && object.size > 0 };
            objects.push(SavedObject { id, object, constant, bytes, init });
        }
        SavedMemory {
            objects,
            arenas: self.ids.iter().map(|ids| ids.arenas.clone()).collect(),
            next_arena: self.next_arena,
            partial: self.partial.clone(),
            held: self.held.clone(),
            rest: self.rest.clone(),
            hash: self.folded_hash(),
            races: self.races.save(),
        }
    }

    /// Becomes what was saved. Marks are forgotten.
    /// Whether race detection numbers stacks in another way now.
    pub fn restore(&mut self, saved: &SavedMemory) -> bool {
        self.forget_all();
        self.ids = saved
            .arenas
            .iter()
            .map(|arenas| Ids { arenas: arenas.clone(), used: vec![0; arenas.len() * ARENA_WORDS], ..Ids::default() })
            .collect();
        if let Some(main) = self.ids.first_mut() {
            main.used[0] |= 1;
        }
        self.next_arena = saved.next_arena;
        self.empty_arenas.clear();
        self.partial = saved.partial.clone();
        self.held = saved.held.clone();
        self.rest.clone_from(&saved.rest);
        self.forget_rest();
        for SavedObject { id, object, constant, bytes, init } in &saved.objects {
            let mut object = *object;
            object.born = 0;
            self.set_object(*id, object);
            if !matches!(object.kind, ObjectKind::Global) {
                self.mark_id(object.owner, *id, Self::pages(object.size), true);
            }
            if matches!(object.life, Life::Live | Life::Left) {
                let base = self.take_block(object.size).expect("it fitted into the memory it came from");
                self.set_entries(*id, base, object.size, *constant);
                // SAFETY: the block has room for whole words.
                unsafe {
                    self.bytes.add(base as usize).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
                    self.init.add((base >> 3) as usize).copy_from_nonoverlapping(init.as_ptr(), init.len());
                }
                if !matches!(object.kind, ObjectKind::Global) {
                    self.in_use += object.size;
                }
                if object.life == Life::Left {
                    self.suspend(*id, object.size);
                }
            }
        }
        self.hash = saved.hash;
        self.races.restore(saved.races.as_deref())
    }

    /// Empties the tables and gives all blocks back.
    fn forget_all(&mut self) {
        let used: Vec<u64> = self.used_ids().collect();
        for id in used {
            let object = self.object(id);
            if matches!(object.life, Life::Live | Life::Left) {
                // SAFETY: the id of an object that has a place.
                let base = unsafe { (*self.table.add(id as usize)).base };
                self.blocks[class_of(object.size).0].push(base);
                self.kill_entries(id, object.size);
            }
            for page in 0..Self::pages(object.size) {
                // SAFETY: the id of an object.
                unsafe {
                    *self.objects.add((id + page) as usize) = Object { life: Life::Unused, size: 0, ..object };
                }
            }
        }
        self.in_use = 0;
        self.changes.clear();
        self.saves.clear();
        self.kept_ranges.clear();
        self.marks.clear();
        self.folded = 0;
        self.compact_at = COMPACT_AT;
    }
}

/// The contents of a memory by themselves.
#[derive(Clone)]
pub struct SavedMemory {
    objects: Vec<SavedObject>,
    arenas: Vec<Vec<u32>>,
    next_arena: u32,
    partial: FxHashMap<Addr, u8>,
    held: Vec<held::Held>,
    rest: Vec<reuse::Rest>,
    hash: Fingerprint,
    races: Option<Box<SavedRaces>>,
}

impl SavedMemory {
    pub fn difference(&self, other: &SavedMemory) -> Option<String> {
        let live = |memory: &SavedMemory| {
            let mut objects: Vec<_> = memory.objects.iter().filter(|o| o.object.life == Life::Live).cloned().collect();
            objects.sort_by_key(|saved| saved.id);
            objects
        };
        let (mine, others) = (live(self), live(other));
        let ids = |objects: &[SavedObject]| objects.iter().map(|saved| saved.id).collect::<Vec<_>>();
        if ids(&mine) != ids(&others) {
            return Some(format!("objects {:x?} and {:x?}", ids(&mine), ids(&others)));
        }
        for (a, b) in mine.iter().zip(&others) {
            if a.object.size != b.object.size || a.bytes != b.bytes || a.init != b.init {
                return Some(format!("object {:x}: {:?} and {:?}", a.id, a.bytes, b.bytes));
            }
        }
        if self.held != other.held {
            return Some(format!("locks {:x?} and {:x?}", self.held, other.held));
        }
        if self.partial != other.partial {
            return Some("partly initialised bytes".into());
        }
        Races::difference(self.races.as_deref(), other.races.as_deref())
    }
}

#[derive(Clone)]
struct SavedObject {
    id: u64,
    object: Object,
    constant: bool,
    bytes: Box<[u8]>,
    init: Box<[u8]>,
}
