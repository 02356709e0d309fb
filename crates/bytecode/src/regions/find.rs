//! Finds the regions of a code: each finder claims bytes that nobody has claimed before it.

use super::unreached::unreached_code;
use super::{MAX_DEPTH, Region, RegionKind};
use crate::analysis::Analysis;
use crate::analyze::{Given, analyze_given};
use crate::find_role::lengths_without_arguments;
use crate::metadata::{Metadata, find_metadata};
use crate::role::Role;
use cairn_evm::{Fork, Opcode};
use std::ops::Range;

/// What the bytes of a code are; see the head of the module.
///
/// ```
/// use cairn_bytecode::{analyze, regions::find_regions};
/// // PUSH0 PUSH0 REVERT INVALID, and a trailer: {"solc": 0.8.20}
/// let code = [&[0x5f, 0x5f, 0xfd, 0xfe, 0xa1, 0x64][..], b"solc", &[0x43, 0, 8, 20, 0, 10]].concat();
/// let regions = find_regions(&analyze(&code));
/// let found: Vec<_> = regions.iter().map(|one| (one.kind.name(), one.bytes.clone())).collect();
/// assert_eq!(found, [("code", 0..4), ("metadata", 4..16)]);
/// ```
pub fn find_regions(analysis: &Analysis<'_>) -> Vec<Region> {
    regions_within(analysis, 0, MAX_DEPTH)
}

/// The regions of a code that begins at `base` of the outermost one.
fn regions_within(analysis: &Analysis<'_>, base: u32, depth: u32) -> Vec<Region> {
    let mut map = Map::new(analysis.code.len());
    claim_code(&mut map, analysis);
    let end = end_of_program(analysis);
    map.claim_rest(end..analysis.code.len(), RegionKind::Arguments);
    let pieces = copied_pieces(analysis, end);
    let find = Inner { analysis, base, depth };
    // Bytes that may be looked at: pieces overlap where code copies the same in many ways.
    let mut left = MAX_LOOKS * analysis.code.len();
    for piece in &pieces {
        let Some(rest) = left.checked_sub(piece.len()) else { break };
        left = rest;
        find.claim_contract(&mut map, piece.clone());
    }
    // In creation code the last trailer is mostly that of the code that it deploys.
    let trailer = named_trailer(&analysis.code[..end]).filter(|_| !analysis.role.is_open());
    if let Some(metadata) = trailer {
        map.claim(end - metadata.length as usize..end, RegionKind::Metadata(metadata));
    }
    find.claim_trailers(&mut map, end);
    // Pieces are in order: what lies before the end of those before is claimed.
    let mut next = 0;
    for piece in pieces {
        map.claim_rest(piece.start.max(next)..piece.end.max(next), RegionKind::Data);
        next = next.max(piece.end);
    }
    for gap in map.gaps(end) {
        let data = unreached_code(analysis, gap.clone());
        map.claim_rest(gap.start..data, RegionKind::Unreached);
        map.claim_rest(data..gap.end, RegionKind::Data);
    }
    map.regions(base)
}

/// Times that the bytes of a code are looked at for contracts, on one level.
const MAX_LOOKS: usize = 4;
/// Bytes of a trailer within a code.
const MAX_TRAILER: usize = 1024;

/// Nobody's bytes, then code's; other claims have numbers in their order.
const FREE: u32 = 0;
const CODE: u32 = 1;

/// Who claims which byte.
struct Map {
    claims: Vec<u32>,
    kinds: Vec<RegionKind>,
}

impl Map {
    fn new(length: usize) -> Map {
        Map { claims: vec![FREE; length], kinds: vec![RegionKind::Data, RegionKind::Code] }
    }

    fn is_free(&self, bytes: Range<usize>) -> bool {
        self.claims[bytes].iter().all(|claim| *claim == FREE)
    }

    /// Claims bytes, if all of them are free.
    fn claim(&mut self, bytes: Range<usize>, kind: RegionKind) {
        if self.is_free(bytes.clone()) {
            self.claim_rest(bytes, kind);
        }
    }

    /// Claims those of the bytes that are free.
    fn claim_rest(&mut self, bytes: Range<usize>, kind: RegionKind) {
        let number = self.kinds.len() as u32;
        self.kinds.push(kind);
        self.claims[bytes].iter_mut().filter(|claim| **claim == FREE).for_each(|claim| *claim = number);
    }

    /// Stretches of free bytes before `end`.
    fn gaps(&self, end: usize) -> Vec<Range<usize>> {
        runs(&self.claims[..end]).filter(|bytes| self.claims[bytes.start] == FREE).collect()
    }

    fn regions(&self, base: u32) -> Vec<Region> {
        let mut regions: Vec<Region> = Vec::new();
        for bytes in runs(&self.claims) {
            let kind = &self.kinds[self.claims[bytes.start] as usize];
            let bytes = base + bytes.start as u32..base + bytes.end as u32;
            match regions.last_mut() {
                Some(last) if last.kind == *kind && *kind == RegionKind::Data => last.bytes.end = bytes.end,
                _ => regions.push(Region { bytes, kind: kind.clone() }),
            }
        }
        regions
    }
}

/// Stretches of equal claims.
fn runs(claims: &[u32]) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    claims.chunk_by(|a, b| a == b).map(move |run| {
        start += run.len();
        start - run.len()..start
    })
}

/// Claims what control reaches, and the `INVALID` behind it that nothing falls into.
fn claim_code(map: &mut Map, analysis: &Analysis<'_>) {
    for (id, block) in (0..).zip(analysis.blocks.list()) {
        if analysis.is_reached(id) {
            map.claims[block.start as usize..block.end as usize].fill(CODE);
        }
    }
    for at in 1..analysis.code.len() {
        let is_mark = analysis.code[at] == Opcode::INVALID.0 && map.claims[at - 1] == CODE;
        if is_mark && map.claims[at] == FREE {
            map.claims[at] = CODE;
        }
    }
}

/// Where the program ends, and arguments of a constructor begin.
fn end_of_program(analysis: &Analysis<'_>) -> usize {
    let length = analysis.code.len();
    if !analysis.role.is_open() {
        return length;
    }
    let is_behind_trailer = |at: &u32| named_trailer(&analysis.code[..*at as usize]).is_some();
    let copied = analysis.copies().iter().map(|copy| copy.range.start).filter(is_behind_trailer);
    let told = lengths_without_arguments(&analysis.subject(), &analysis.outcome.reached);
    let reached = (0..).zip(analysis.blocks.list()).filter(|(id, _)| analysis.is_reached(*id));
    let last = reached.map(|(_, block)| block.end).max().unwrap_or_default();
    let ends = told.into_iter().chain(copied).filter(|end| *end >= last && (*end as usize) < length);
    ends.min().map_or(length, |end| end as usize)
}

/// Pieces of the code that it copies, before `end`: the first, and of those the longest, before others.
fn copied_pieces(analysis: &Analysis<'_>, end: usize) -> Vec<Range<usize>> {
    let pieces = analysis.copies().iter().map(|copy| copy.range.start as usize..copy.range.end as usize);
    let mut pieces: Vec<Range<usize>> = pieces.map(|piece| piece.start..piece.end.min(end)).collect();
    pieces.retain(|piece| piece.start < piece.end);
    pieces.sort_unstable_by_key(|piece| (piece.start, std::cmp::Reverse(piece.end)));
    pieces.dedup();
    pieces
}

/// The trailer that code ends with, if it says anything.
fn named_trailer(code: &[u8]) -> Option<Metadata> {
    find_metadata(code).filter(|metadata| metadata.compiler.is_some() || !metadata.hashes.is_empty())
}

/// Looks for contracts and trailers in a code that begins at `base` of the outermost one.
struct Inner<'a> {
    analysis: &'a Analysis<'a>,
    base: u32,
    depth: u32,
}

impl Inner<'_> {
    /// Claims bytes if they are a contract.
    fn claim_contract(&self, map: &mut Map, bytes: Range<usize>) {
        if map.is_free(bytes.clone())
            && let Some(contract) = self.contract(bytes.clone())
        {
            map.claim_rest(bytes, contract);
        }
    }

    fn contract(&self, bytes: Range<usize>) -> Option<RegionKind> {
        let base = self.base + bytes.start as u32;
        let found = contract_of(&self.analysis.code[bytes], self.analysis.fork, base, self.depth)?;
        Some(match found {
            // What creation code holds is what it deploys, unless it deploys something in turn.
            RegionKind::Contract { role: Role::Either, regions } if self.analysis.role == Role::Creation => {
                RegionKind::Contract { role: Role::Runtime, regions }
            }
            found => found,
        })
    }

    /// Claims trailers, and contracts that end with one although nothing copies them.
    fn claim_trailers(&self, map: &mut Map, end: usize) {
        let code = self.analysis.code;
        for gap in map.gaps(end) {
            let mut start = gap.start;
            for at in gap.start + 2..=gap.end {
                let length = usize::from(u16::from_be_bytes([code[at - 2], code[at - 1]]));
                if length > MAX_TRAILER {
                    continue;
                }
                let Some(metadata) = named_trailer(&code[..at]) else { continue };
                let trailer = at.saturating_sub(metadata.length as usize);
                if trailer < start {
                    continue;
                }
                match self.contract(start..at).filter(|_| trailer > start) {
                    Some(contract) => map.claim(start..at, contract),
                    None => map.claim(trailer..at, RegionKind::Metadata(metadata)),
                }
                start = at;
            }
        }
    }
}

/// The contract that bytes at `base` are, if they run as one.
fn contract_of(bytes: &[u8], fork: Fork, base: u32, depth: u32) -> Option<RegionKind> {
    let depth = depth.checked_sub(1)?;
    let analysis = analyze_given(bytes, Given { fork, ..Given::default() });
    if analysis.is_coarse() || !analysis.underflows().is_empty() || !comes_to_an_end(&analysis) {
        return None;
    }
    let regions = regions_within(&analysis, base, depth);
    let runs = |region: &&Region| match region.kind {
        RegionKind::Code | RegionKind::Contract { .. } | RegionKind::Metadata(_) => true,
        // On the last level contracts are not told from data.
        RegionKind::Data => depth == 0,
        RegionKind::Unreached | RegionKind::Arguments => false,
    };
    let running: usize = regions.iter().filter(runs).map(|region| region.bytes.len()).sum();
    (2 * running >= bytes.len()).then_some(RegionKind::Contract { role: analysis.role, regions })
}

/// True when some way through the code ends with a result.
fn comes_to_an_end(analysis: &Analysis<'_>) -> bool {
    let reached = (0..).zip(analysis.blocks.list()).filter(|(id, _)| analysis.is_reached(*id));
    let mut lasts = reached.map(|(_, block)| Opcode(analysis.code[block.last_pc as usize]));
    lasts.any(|last| last == Opcode::RETURN || last == Opcode::REVERT)
}
