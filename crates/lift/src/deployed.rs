//! The code that creation code deploys: a module of its own.
//!
//! A piece of the code that is copied to memory and returned from there, whole, is the code of the
//! new account. It becomes a nested module where nothing between the copy and the `return` of the
//! same block can see the bytes, and nothing changes them but values put over the operands of pushes of
//! zero: these are immutables ([`crate::immutables`]). Any other piece stays the data that it is, which is
//! always right.

use crate::constants::constant;
use crate::immutables::{Filled, filled_in_part, filled_whole, immutable_name};
use crate::own_code::Piece;
use crate::{Inner, Places, is_data, lift_with_pieces};
use cairn_bytecode::{Analysis, Given, Role, analyze_given};
use cairn_evm::{Opcode, Word};
use cairn_ir::{Block, Func, Function, Inst, Module, Op, Payload, Symbol, SymbolTable, Type, Value};
use std::ops::Range;

/// Bytes of a word.
const WORD: usize = 32;

/// A code that is deployed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployed {
    /// Its offset in the creation code.
    pub start: usize,
    /// Its length.
    pub length: usize,
    /// Why it stays the data that it is; `None` when it is a nested module.
    pub kept: Option<String>,
    /// Offsets in it of pushes whose words are filled in when it is deployed, sorted.
    pub placeholders: Vec<u32>,
}

/// A copy of a piece and the `return` that gives it back.
struct Site {
    func: Func,
    copy: Inst,
    end: Inst,
    piece: usize,
    /// Immutables.
    filled: Vec<Filled>,
}

/// Pieces as long as what some `return` gives back.
pub(crate) fn returned(module: &Module, pieces: &[Piece]) -> Vec<Range<usize>> {
    let mut lengths: Vec<Word> = Vec::new();
    for func in module.funcs.values() {
        let insts = func.layout.blocks().flat_map(|block| func.layout.insts(block));
        let returns = insts.filter(|inst| func.dfg.op(*inst) == Op::Evm(Opcode::RETURN));
        lengths.extend(returns.filter_map(|inst| constant(func, *func.dfg.args(inst).get(1)?)));
    }
    lengths.sort_unstable();
    let is_returned = |piece: &&Piece| lengths.binary_search(&Word::from(piece.length)).is_ok();
    pieces.iter().filter(is_returned).map(|piece| piece.start..piece.start + piece.length).collect()
}

/// Turns the pieces that a module deploys into nested modules, if it is to.
pub(crate) fn lift_deployed(
    module: &mut Module,
    pieces: &[Piece],
    analysis: &Analysis<'_>,
    inner: Inner,
) -> Vec<Deployed> {
    let mut sites = Vec::new();
    for (id, func) in &module.funcs {
        for block in func.layout.blocks() {
            sites.extend(find_site(id, func, block, pieces, &module.symbols, analysis.code));
        }
    }
    let mut list = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        let of_piece: Vec<&Site> = sites.iter().filter(|site| site.piece == index).collect();
        let Some(first) = of_piece.first() else { continue };
        let nested = match of_piece.len() {
            _ if inner == Inner::Kept => Err("it was not to be lifted".to_owned()),
            1 => lift_piece(piece, first, analysis, list.len()),
            _ => Err("it is deployed in several places".to_owned()),
        };
        let placeholders = placeholders(first);
        let kept = nested.map(|nested| nest(module, nested, first, piece)).err();
        list.push(Deployed { start: piece.start, length: piece.length, kept, placeholders });
    }
    list
}

/// The copy that the `return` of a block gives back.
fn find_site(
    id: Func,
    func: &Function,
    block: Block,
    pieces: &[Piece],
    symbols: &SymbolTable,
    code: &[u8],
) -> Option<Site> {
    let end = func.layout.last_inst(block).filter(|inst| func.dfg.op(*inst) == Op::Evm(Opcode::RETURN))?;
    let is_copy = |inst: &Inst| func.dfg.op(*inst) == Op::DataCopy;
    let copy = func.layout.insts_rev(block).find(is_copy)?;
    let (&[to, from, length], &[start, returned]) = (func.dfg.args(copy), func.dfg.args(end)) else {
        return None;
    };
    let Payload::Symbol(name) = func.dfg.inst(func.dfg.def_inst(from)?).payload else { return None };
    let piece = pieces.iter().position(|piece| piece.name == symbols.text(name))?;
    let Piece { start: first, length: bytes, .. } = pieces[piece];
    let is_whole = |value: Value| constant(func, value) == Some(Word::from(bytes));
    let is_inside = first + bytes <= code.len();
    if !is_inside || !is_whole(length) || !is_whole(returned) || distance(func, to, start) != Some(Word::ZERO)
    {
        return None;
    }
    let filled = find_filled(func, block, (copy, end), &code[first..first + bytes])?;
    Some(Site { func: id, copy, end, piece, filled })
}

/// What is filled in between a copy of code and its end; `None` where something else sees or changes it.
fn find_filled(func: &Function, block: Block, (copy, end): (Inst, Inst), code: &[u8]) -> Option<Vec<Filled>> {
    let to = func.dfg.args(copy)[0];
    let place = |address: Value| distance(func, to, address).and_then(|at| usize::try_from(at).ok());
    let mut filled = Vec::new();
    // A word of the copy that was loaded, and is not stored yet.
    let mut loaded: Option<(Inst, usize)> = None;
    let mut next = func.layout.next_inst(copy);
    while let Some(inst) = next.filter(|inst| *inst != end) {
        let args = func.dfg.args(inst);
        match func.dfg.op(inst) {
            Op::Evm(Opcode::MSTORE) => {
                let at = place(args[0])?;
                filled.push(match loaded.take() {
                    None => filled_whole(func, code, inst, at)?,
                    Some((load, from)) if from == at => filled_in_part(func, block, code, (load, inst), at)?,
                    Some(_) => return None,
                });
            }
            Op::Evm(Opcode::MLOAD) if is_apart(func, to, code.len(), args[0]) => {}
            Op::Evm(Opcode::MLOAD) if loaded.is_none() => loaded = Some((inst, place(args[0])?)),
            op if op.effects().is_empty() => {}
            _ => return None,
        }
        next = func.layout.next_inst(inst);
    }
    loaded.is_none().then_some(filled)
}

/// True when a word at `address` certainly lies outside of the copy.
fn is_apart(func: &Function, to: Value, bytes: usize, address: Value) -> bool {
    let small = |value: Value| func.dfg.as_const(value).and_then(|word| u32::try_from(word).ok());
    let (Some(to), Some(address)) = (small(to), small(address)) else { return false };
    let (to, address) = (to as usize, address as usize);
    address + WORD <= to || to + bytes <= address
}

/// How far one address lies behind another, where that is known.
fn distance(func: &Function, from: Value, to: Value) -> Option<Word> {
    let ((base, start), (other, end)) = (address(func, from), address(func, to));
    (base == other).then(|| end.wrapping_sub(start))
}

/// An address as an unknown part and a constant.
fn address(func: &Function, value: Value) -> (Option<Value>, Word) {
    let (mut base, mut offset) = (value, Word::ZERO);
    loop {
        if let Some(word) = func.dfg.as_const(base) {
            return (None, offset.wrapping_add(word));
        }
        let sum = func.dfg.def_inst(base).filter(|inst| func.dfg.op(*inst) == Op::Evm(Opcode::ADD));
        let Some(&[a, b]) = sum.map(|inst| func.dfg.args(inst)) else { return (Some(base), offset) };
        let (rest, word) = match (func.dfg.as_const(a), func.dfg.as_const(b)) {
            (Some(word), _) => (b, word),
            (None, Some(word)) => (a, word),
            (None, None) => return (Some(base), offset),
        };
        (base, offset) = (rest, offset.wrapping_add(word));
    }
}

/// Where the pushes stand whose words a site stores.
fn placeholders(site: &Site) -> Vec<u32> {
    let mut placeholders: Vec<u32> = site.filled.iter().map(|filled| filled.offset - 1).collect();
    placeholders.sort_unstable();
    placeholders.dedup();
    placeholders
}

/// Lifts the code of a piece, or says why it has to stay what it is.
fn lift_piece(piece: &Piece, site: &Site, analysis: &Analysis<'_>, index: usize) -> Result<Module, String> {
    let code = &analysis.code[piece.start..piece.start + piece.length];
    if is_data(code) {
        return Err("it does nothing but fail or stop: its code may be data for others".to_owned());
    }
    let placeholders = placeholders(site);
    let immutables = placeholders.clone();
    let given = Given { fork: analysis.fork, role: Some(Role::Runtime), placeholders };
    let analysis = analyze_given(code, given);
    let name = if index == 0 { "deployed".to_owned() } else { format!("deployed_{index}") };
    let (lifted, pieces) =
        lift_with_pieces(&analysis, &name, Places::Unsaid).map_err(|reason| reason.to_string())?;
    if let Some(reason) = lifted.observed.hazards().first() {
        return Err((*reason).to_owned());
    }
    let holds = |piece: &Piece, push: &u32| {
        let first = *push as usize + 1;
        let width = Opcode(code[*push as usize]).push_width().unwrap_or_default();
        piece.start < first + usize::from(width) && first < piece.start + piece.length
    };
    let is_copied = |push: &u32| lifted.observed.whole_image || pieces.iter().any(|piece| holds(piece, push));
    if immutables.iter().any(is_copied) {
        return Err("it copies its own code, in which immutables stand".to_owned());
    }
    Ok(lifted.module)
}

/// Puts a nested module in the place of a piece.
fn nest(module: &mut Module, nested: Module, site: &Site, piece: &Piece) {
    let name = module.symbols.intern(&nested.name);
    let names: Vec<Symbol> =
        site.filled.iter().map(|filled| module.symbols.intern(&immutable_name(filled.offset))).collect();
    let func = &mut module.funcs[site.func];
    let size = func.dfg.make_inst(Op::DataSize, &[], Payload::Symbol(name));
    let bytes = func.dfg.append_result(size, Type::U256);
    func.layout.insert_inst_before(size, site.copy);
    let (to, from) = (func.dfg.args(site.copy)[0], func.dfg.args(site.copy)[1]);
    if let Some(offset) = func.dfg.def_inst(from) {
        func.dfg.replace_inst(offset, Op::DataOffset, &[], Payload::Symbol(name));
    }
    func.dfg.args_mut(site.copy)[2] = bytes;
    func.dfg.args_mut(site.end)[1] = bytes;
    for (filled, name) in site.filled.iter().zip(names) {
        func.dfg.replace_inst(filled.store, Op::SetImmutable, &[to, filled.value], Payload::Symbol(name));
        filled.parts.iter().for_each(|part| func.layout.remove_inst(*part));
    }
    module.modules.push(nested);
    if !is_used(module, &piece.name) {
        module.data.retain(|data| data.name != piece.name);
    }
}

/// True when some code asks for the place of the data.
fn is_used(module: &Module, name: &str) -> bool {
    module.funcs.values().any(|func| {
        let mut insts = func.layout.blocks().flat_map(|block| func.layout.insts(block));
        insts.any(|inst| match func.dfg.inst(inst).payload {
            Payload::Symbol(symbol) => module.symbols.text(symbol) == name,
            _ => false,
        })
    })
}
