//! A hash table for search results.

/// A hash table with `PLACES` places, a power of two. Each key has one place, and a new entry
/// replaces the old one in its place.
///
/// It takes only as much memory as its entries need: up to half of the places, a smaller table
/// stores entries, possibly beside their places, with the same results. Each entry has the step of
/// the game that it belongs to; the table may forget entries of steps that are over.
#[derive(Clone, Debug)]
pub(crate) struct Table<T, const PLACES: usize> {
    slots: Vec<Option<Slot<T>>>,
    taken: usize,
    /// Entries of earlier steps are no longer needed.
    step: u32,
}

#[derive(Clone, Copy, Debug)]
struct Slot<T> {
    key: u64,
    step: u32,
    entry: T,
}

/// The number of slots of an empty table.
const FEWEST: usize = 1 << 8;

impl<T: Copy, const PLACES: usize> Table<T, PLACES> {
    pub(crate) fn new() -> Table<T, PLACES> {
        Table {
            slots: vec![None; FEWEST.min(PLACES)],
            taken: 0,
            step: 0,
        }
    }

    /// Allows the table to forget entries of steps before this one.
    pub(crate) fn begin(&mut self, step: u32) {
        self.step = step;
    }

    #[inline]
    pub(crate) fn get(&self, key: u64) -> Option<T> {
        let slot = self.slots[self.slot_of(key)].as_ref();
        slot.filter(|slot| slot.key == key).map(|slot| slot.entry)
    }

    /// Stores an entry for a step of the game.
    #[inline]
    pub(crate) fn put(&mut self, key: u64, step: u32, entry: T) {
        let at = self.slot_of(key);
        let slot = &mut self.slots[at];
        self.taken += usize::from(slot.is_none());
        *slot = Some(Slot { key, step, entry });
        if 2 * self.taken > self.slots.len() && self.slots.len() < PLACES {
            self.make_room();
        }
    }

    /// Returns the slot of a key's place, or a free slot for it.
    #[inline]
    fn slot_of(&self, key: u64) -> usize {
        let place = key as usize % PLACES;
        let mask = self.slots.len() - 1;
        let mut at = place & mask;
        while let Some(slot) = &self.slots[at]
            && slot.key as usize % PLACES != place
        {
            at = (at + 1) & mask;
        }
        at
    }

    /// Forgets entries of earlier steps, and grows if that is not enough.
    #[cold]
    fn make_room(&mut self) {
        let kept: Vec<Slot<T>> = self
            .slots
            .iter()
            .flatten()
            .filter(|slot| slot.step >= self.step)
            .copied()
            .collect();
        let slots = if 4 * kept.len() > self.slots.len() {
            2 * self.slots.len()
        } else {
            self.slots.len()
        };
        self.taken = kept.len();
        self.slots = vec![None; slots];
        for slot in kept {
            let at = self.slot_of(slot.key);
            self.slots[at] = Some(slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Behaves like one entry in each place.
        #[test]
        fn it_behaves_like_a_table_of_all_places(
            accesses in prop::collection::vec((any::<u64>(), 0u64..3, any::<bool>()), 0..4000),
        ) {
            const PLACES: usize = 1 << 10;
            let mut all: Vec<Option<(u64, u32, usize)>> = vec![None; PLACES];
            let mut table: Table<usize, PLACES> = Table::new();
            let mut keys: Vec<u64> = Vec::new();
            for (index, &(random, kind, put)) in accesses.iter().enumerate() {
                let step = index as u32 / 100;
                table.begin(step);
                // A new key, an earlier key, or another key in an earlier key's place.
                let before = keys
                    .get(random as usize % keys.len().max(1))
                    .copied()
                    .unwrap_or(random);
                let key = [
                    random,
                    before,
                    before ^ (random / PLACES as u64 * PLACES as u64),
                ][kind as usize];
                keys.push(key);
                let place = &mut all[key as usize % PLACES];
                if put {
                    let step = step + random as u32 % 4;
                    *place = Some((key, step, index));
                    table.put(key, step, index);
                }
                let found = place
                    .filter(|(known, its, _)| *known == key && *its >= step)
                    .map(|(.., entry)| entry);
                // The table may forget entries of earlier steps.
                if place.is_none_or(|(_, its, _)| its >= step) {
                    prop_assert_eq!(table.get(key), found);
                }
                prop_assert!(table.slots.len() <= PLACES);
            }
        }
    }

    #[test]
    fn old_steps_take_no_memory() {
        let mut table: Table<u32, { 1 << 16 }> = Table::new();
        for step in 0..1000 {
            table.begin(step);
            for index in 0..60u64 {
                table.put(
                    (u64::from(step) * 60 + index).wrapping_mul(0x9e37_79b9_7f4a_7c15),
                    step,
                    step,
                );
            }
        }
        assert_eq!(table.slots.len(), FEWEST);
    }
}
