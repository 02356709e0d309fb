//! Distinct codes on their way from reading to working: a file for each piece of the input, with its
//! new codes by shard.
//!
//! Layout: magic, rows of the piece, number of shards, the offset of each shard and of the end (all 8
//! bytes, little endian); then records of hash (32 bytes), length (4 bytes) and code. A file stands
//! for a piece that was read: it appears last.

use crate::error::{DatasetError, at};
use crate::files::Draft;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const MAGIC: u64 = u64::from_le_bytes(*b"cairnsp1");

/// keccak-256 of a code.
pub(crate) type Hash = [u8; 32];

/// A code with its hash.
pub(crate) type Hashed = (Hash, Vec<u8>);

/// The shard of a hash, by its first bits.
pub(crate) fn shard_of(hash: &Hash, shards: u32) -> u32 {
    let first = u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]);
    ((u64::from(first) * u64::from(shards)) >> 32) as u32
}

/// Name of the file of a piece.
pub(crate) fn path_of(folder: &Path, piece: usize) -> PathBuf {
    folder.join(format!("{piece:06}.codes"))
}

/// Writes the new codes of a piece.
pub(crate) fn write(path: &Path, rows: u64, shards: u32, codes: &[Hashed]) -> Result<(), DatasetError> {
    let draft = Draft::new(path)?;
    let mut order: Vec<usize> = (0..codes.len()).collect();
    order.sort_by_key(|index| shard_of(&codes[*index].0, shards));
    let mut offsets = vec![0u64; shards as usize + 1];
    for (hash, code) in codes {
        offsets[shard_of(hash, shards) as usize + 1] += 36 + code.len() as u64;
    }
    offsets[0] = 8 * (4 + u64::from(shards));
    for shard in 0..shards as usize {
        offsets[shard + 1] += offsets[shard];
    }
    let mut writer = BufWriter::new(&draft.file);
    let numbers = [MAGIC, rows, u64::from(shards)].into_iter().chain(offsets);
    let mut put = |bytes: &[u8]| writer.write_all(bytes).map_err(at(path));
    for number in numbers {
        put(&number.to_le_bytes())?;
    }
    for index in order {
        let (hash, code) = &codes[index];
        put(hash)?;
        put(&(code.len() as u32).to_le_bytes())?;
        put(code)?;
    }
    writer.flush().map_err(at(path))?;
    drop(writer);
    draft.commit()
}

/// A piece that was read.
pub(crate) struct Piece {
    path: PathBuf,
    file: BufReader<File>,
    /// Rows of the input.
    pub(crate) rows: u64,
    offsets: Vec<u64>,
}

impl Piece {
    /// Opens the file of a piece; `None` when there is none.
    pub(crate) fn open(path: &Path) -> Result<Option<Piece>, DatasetError> {
        let Ok(file) = File::open(path) else { return Ok(None) };
        let mut file = BufReader::with_capacity(1 << 18, file);
        let mut number = || -> Result<u64, DatasetError> {
            let mut bytes = [0; 8];
            file.read_exact(&mut bytes).map_err(at(path))?;
            Ok(u64::from_le_bytes(bytes))
        };
        let (magic, rows, shards) = (number()?, number()?, number()?);
        if magic != MAGIC || shards > u64::from(u32::MAX) {
            return Err(DatasetError::Format(path.to_owned(), "no file of codes".to_owned()));
        }
        let offsets = (0..=shards).map(|_| number()).collect::<Result<_, _>>()?;
        Ok(Some(Piece { path: path.to_owned(), file, rows, offsets }))
    }

    /// Calls for each hash of the piece.
    pub(crate) fn hashes(mut self, mut each: impl FnMut(Hash)) -> Result<(), DatasetError> {
        let (mut at_byte, end) = (self.offsets[0], self.offsets[self.offsets.len() - 1]);
        while at_byte < end {
            let (hash, length) = self.head()?;
            each(hash);
            self.file.seek_relative(i64::from(length)).map_err(at(&self.path))?;
            at_byte += 36 + u64::from(length);
        }
        Ok(())
    }

    /// Calls for each code of a shard.
    pub(crate) fn codes(
        mut self,
        shard: u32,
        mut each: impl FnMut(Hashed) -> Result<(), DatasetError>,
    ) -> Result<(), DatasetError> {
        let (mut at_byte, end) = (self.offsets[shard as usize], self.offsets[shard as usize + 1]);
        self.file.seek(SeekFrom::Start(at_byte)).map_err(at(&self.path))?;
        while at_byte < end {
            let (hash, length) = self.head()?;
            let mut code = vec![0; length as usize];
            self.file.read_exact(&mut code).map_err(at(&self.path))?;
            at_byte += 36 + u64::from(length);
            each((hash, code))?;
        }
        Ok(())
    }

    fn head(&mut self) -> Result<(Hash, u32), DatasetError> {
        let (mut hash, mut length) = ([0; 32], [0; 4]);
        self.file.read_exact(&mut hash).map_err(at(&self.path))?;
        self.file.read_exact(&mut length).map_err(at(&self.path))?;
        Ok((hash, u32::from_le_bytes(length)))
    }
}
