//! Rows of numbers, all of one width, each once: a row has a number, and a number a row.

pub struct Table {
    width: usize,
    rows: Vec<u32>,
    /// Open addressing: the number of a row, plus one; a power of two of places.
    places: Vec<u32>,
    count: usize,
}

impl Table {
    pub fn new(width: usize) -> Table {
        Table { width, rows: Vec::new(), places: vec![0; 64], count: 0 }
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn bytes(&self) -> usize {
        (self.rows.len() + self.places.len()) * size_of::<u32>()
    }

    pub fn row(&self, number: u32) -> &[u32] {
        &self.rows[number as usize * self.width..(number as usize + 1) * self.width]
    }

    /// The number of a row, which is put in if it is new.
    pub fn number(&mut self, row: &[u32]) -> u32 {
        if self.count * 2 >= self.places.len() {
            self.grow();
        }
        let mask = self.places.len() - 1;
        let mut at = hash(row) as usize & mask;
        while self.places[at] != 0 {
            let number = self.places[at] - 1;
            if self.row(number) == row {
                return number;
            }
            at = (at + 1) & mask;
        }
        self.rows.extend_from_slice(row);
        self.count += 1;
        self.places[at] = self.count as u32;
        self.count as u32 - 1
    }

    fn grow(&mut self) {
        let mask = self.places.len() * 2 - 1;
        let mut places = vec![0; mask + 1];
        for number in 0..self.count as u32 {
            let mut at = hash(self.row(number)) as usize & mask;
            while places[at] != 0 {
                at = (at + 1) & mask;
            }
            places[at] = number + 1;
        }
        self.places = places;
    }
}

fn hash(row: &[u32]) -> u64 {
    let mixed = row
        .iter()
        .fold(0u64, |hash, &word| (hash.rotate_left(5) ^ u64::from(word)).wrapping_mul(0x517c_c1b7_2722_0a95));
    mixed ^ (mixed >> 32)
}
