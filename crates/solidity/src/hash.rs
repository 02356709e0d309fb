//! Hashes by which metadata is found: the ones that IPFS and Swarm give to a file.

use cairn_evm::keccak256;
use sha2::{Digest, Sha256};

/// Bytes of a file that one block of IPFS holds.
const IPFS_CHUNK: usize = 256 << 10;
/// Links of one block of IPFS.
const IPFS_LINKS: usize = 174;
/// Bytes of a chunk of Swarm.
const SWARM_CHUNK: usize = 4096;
/// References that a chunk of Swarm holds.
const SWARM_REFERENCES: usize = SWARM_CHUNK / 32;

/// The multihash (sha2-256) of a file as `ipfs add` makes it: UnixFS in DAG-PB, chunks of 256 KiB,
/// a balanced tree over them.
pub(crate) fn ipfs(file: &[u8]) -> [u8; 34] {
    let mut level: Vec<Block> = file.chunks(IPFS_CHUNK).map(leaf).collect();
    if level.is_empty() {
        level.push(leaf(&[]));
    }
    while level.len() > 1 {
        level = level.chunks(IPFS_LINKS).map(node).collect();
    }
    level[0].hash
}

/// A block of IPFS.
struct Block {
    hash: [u8; 34],
    /// Bytes of the file below it.
    file_size: usize,
    /// Bytes of all blocks below it and itself.
    total_size: usize,
}

impl Block {
    fn new(encoded: &[u8], file_size: usize, below: usize) -> Block {
        let mut hash = [0; 34];
        hash[..2].copy_from_slice(&[0x12, 0x20]);
        hash[2..].copy_from_slice(&Sha256::digest(encoded));
        Block { hash, file_size, total_size: encoded.len() + below }
    }
}

fn leaf(chunk: &[u8]) -> Block {
    let mut data = vec![0x08, 0x02];
    if !chunk.is_empty() {
        field(&mut data, 0x12, chunk);
    }
    data.push(0x18);
    varint(&mut data, chunk.len());
    let mut block = Vec::new();
    field(&mut block, 0x0a, &data);
    Block::new(&block, chunk.len(), 0)
}

fn node(children: &[Block]) -> Block {
    let mut block = Vec::new();
    for child in children {
        let mut link = Vec::new();
        field(&mut link, 0x0a, &child.hash);
        field(&mut link, 0x12, &[]);
        link.push(0x18);
        varint(&mut link, child.total_size);
        field(&mut block, 0x12, &link);
    }
    let file_size = children.iter().map(|child| child.file_size).sum();
    let mut data = vec![0x08, 0x02, 0x18];
    varint(&mut data, file_size);
    for child in children {
        data.push(0x20);
        varint(&mut data, child.file_size);
    }
    field(&mut block, 0x0a, &data);
    Block::new(&block, file_size, children.iter().map(|child| child.total_size).sum())
}

fn field(out: &mut Vec<u8>, key: u8, bytes: &[u8]) {
    out.push(key);
    varint(out, bytes.len());
    out.extend_from_slice(bytes);
}

fn varint(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// The address of a file in Swarm (`bzzr1`): the hash of a binary Merkle tree over each chunk, of
/// a tree of such hashes over the chunks.
pub(crate) fn swarm(file: &[u8]) -> [u8; 32] {
    let mut level: Vec<([u8; 32], u64)> = file
        .chunks(SWARM_CHUNK)
        .map(|chunk| (swarm_chunk(chunk, chunk.len() as u64), chunk.len() as u64))
        .collect();
    if level.is_empty() {
        return swarm_chunk(&[], 0);
    }
    while level.len() > 1 {
        level = level.chunks(SWARM_REFERENCES).map(swarm_node).collect();
    }
    level[0].0
}

/// The reference to several chunks; a single one is referred to as it is.
fn swarm_node(children: &[([u8; 32], u64)]) -> ([u8; 32], u64) {
    if let [only] = children {
        return *only;
    }
    let size = children.iter().map(|(_, size)| size).sum();
    let references: Vec<u8> = children.iter().flat_map(|(hash, _)| *hash).collect();
    (swarm_chunk(&references, size), size)
}

fn swarm_chunk(content: &[u8], size: u64) -> [u8; 32] {
    let mut level = vec![0; SWARM_CHUNK];
    level[..content.len()].copy_from_slice(content);
    while level.len() > 32 {
        level = level.chunks(64).flat_map(keccak256).collect();
    }
    keccak256([&size.to_le_bytes()[..], &level].concat()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_evm::hex;

    /// Known from `ipfs add`.
    #[test]
    fn small_files_have_the_hash_that_ipfs_gives() {
        let empty = hex::encode(ipfs(b""));
        assert_eq!(empty, "1220bfccda787baba32b59c78450ac3d20b633360b43992c77289f9ed46d843561e6");
        let hello = hex::encode(ipfs(b"hello world\n"));
        assert_eq!(hello, "122046d44814b9c5af141c3aaab7c05dc5e844ead5f91f12858b021eba45768b4c0e");
    }

    #[test]
    fn large_files_are_trees() {
        let zeros = ipfs(&vec![0; IPFS_CHUNK + 1]);
        assert_ne!(zeros, ipfs(&vec![0; IPFS_CHUNK]));
        assert_eq!(zeros[..2], [0x12, 0x20]);
    }
}
