//! Arguments of external functions, by how their code reads calldata.
//!
//! Each function is run from its entry on words of which it is known where in calldata they come from
//! (`walk`, `effects`). What compilers check and clean tells types (`guess`): how many bytes there
//! must be, masks, comparisons of a word with itself cleaned, lengths that are multiplied, offsets that
//! are followed. Where that is what a known signature says, as far as it goes, the signature is right
//! (`stated`). Contract: it ends for any code, after so many instructions as `BUDGET` allows; what
//! is found is what the code looks like, and no more than that.

mod copies;
mod effects;
mod facts;
mod guess;
#[cfg(test)]
mod rule_tests;
mod stack;
mod stated;
mod types;
mod value;
mod walk;

use crate::analysis::Analysis;
use crate::jump_targets::JumpTargets;
use crate::optable::table_of;
use crate::pc_set::PcSet;
use crate::selectors::{Entry, entries};
use cairn_evm::Fork;
use value::Value;
use walk::{Buffers, Walk};

pub use types::Type;

/// Instructions for all functions of a code: some, and so many for each byte.
const BUDGET: (u32, u32) = (20_000, 32);

/// Arguments of an external function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arguments {
    /// First four bytes of the calldata.
    pub selector: u32,
    /// Their types; `None` when there are too many functions to look at this one.
    pub types: Option<Vec<Type>>,
}

impl Arguments {
    /// Types with commas between, as in a signature.
    pub fn text(&self) -> Option<String> {
        self.types.as_deref().map(types::list)
    }
}

/// The arguments of each external function, sorted by selector.
///
/// ```
/// // PUSH0 CALLDATALOAD PUSH1 e0 SHR PUSH4 … EQ PUSH1 16 JUMPI STOP; JUMPDEST PUSH1 4 CALLDATALOAD
/// // PUSH20 ff… AND PUSH1 0 SSTORE STOP
/// let mask = "ff".repeat(20);
/// let code = cairn_evm::hex::decode(format!("5f3560e01c63a9059cbb1460105700005b60043573{mask}165f5500"));
/// let found = cairn_bytecode::find_arguments(&code.expect("digits"), Default::default());
/// assert_eq!(found[0].text().as_deref(), Some("address"));
/// ```
pub fn find_arguments(code: &[u8], fork: Fork) -> Vec<Arguments> {
    let table = table_of(fork);
    let entries = entries(JumpTargets::new(code, &table));
    if entries.is_empty() {
        return Vec::new();
    }
    let targets = PcSet::jumpdests(code, &table);
    Walk::new(code, &table, &targets).arguments(&entries)
}

/// The same for code that was analysed, without what the analysis has found already.
pub fn find_arguments_of(analysis: &Analysis<'_>) -> Vec<Arguments> {
    let Analysis { code, table, blocks, entries, .. } = analysis;
    Walk::new(code, table, blocks.jumpdests()).arguments(entries)
}

impl<'a> Walk<'a> {
    fn arguments(&self, entries: &[Entry]) -> Vec<Arguments> {
        let length = u32::try_from(self.code.len()).unwrap_or(u32::MAX);
        let mut left = BUDGET.0.saturating_add(BUDGET.1.saturating_mul(length));
        let mut found: Vec<Arguments> = Vec::with_capacity(entries.len());
        let mut buffers = Buffers::new(self.code);
        for Entry { case, least_size, stack } in entries {
            let value = |word: &Option<u32>| word.map_or(Value::Unknown, Value::Small);
            let stack: Vec<Value> = stack.iter().map(value).collect();
            let types = (left > 0).then(|| {
                left -= self.run((case.entry, *least_size), &stack, left, &mut buffers);
                stated::types(case.selector, guess::types(&buffers.scene.facts))
            });
            if found.last().is_none_or(|last| last.selector != case.selector) {
                found.push(Arguments { selector: case.selector, types });
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The arguments of a function whose code begins at offset 17.
    fn of(body: &str) -> String {
        let code = cairn_evm::hex::decode(format!("5f3560e01c63aabbccdd1460105700005b{body}"));
        find_arguments(&code.expect("digits"), Fork::default())[0].text().expect("it was looked at")
    }

    #[test]
    fn an_analysis_spares_work_and_changes_nothing() {
        let code =
            cairn_evm::hex::decode("5f3560e01c63aabbccdd1460105700005b6004351515005b").expect("digits");
        let found = find_arguments(&code, Fork::default());
        assert_eq!(found.len(), 1);
        assert_eq!(find_arguments_of(&crate::analyze(&code)), found);
    }

    #[test]
    fn masks_tell_types() {
        assert_eq!(of(&format!("60043573{}165000", "ff".repeat(20))), "address");
        assert_eq!(of("60043515155000"), "bool");
        assert_eq!(of("6004355f0b5000"), "int8");
        // AND with SHL of 0xffffffff by 224
        assert_eq!(of("60043563ffffffff60e01b165000"), "bytes4");
        // SHL 96, SHR 96
        assert_eq!(of("60043560601b60601c5000"), "address");
    }

    #[test]
    fn a_word_compared_with_itself_cleaned_is_checked() {
        // CALLDATALOAD, then in another block DUP1 PUSH1 ff AND DUP2 EQ
        assert_eq!(of("6004355b8060ff1681145000"), "uint8");
        // What is only cut in another block is a word.
        assert_eq!(of("6004355b60ff165000"), "uint256");
        // SHR 160, JUMPI
        assert_eq!(of("60043560a01c60175700"), "address");
        // SHL 32, JUMPI; the same behind ISZERO
        assert_eq!(of("60043560201b60175700"), "bytes4");
        assert_eq!(of("60043560201b1560175700"), "bytes4");
        // SHL 96, ISZERO, JUMPI
        assert_eq!(of("60043560601b1560175700"), "address");
    }

    #[test]
    fn checks_may_be_joined() {
        // PUSH1 44 CALLDATASIZE LT, CALLDATALOAD(4) SHR 160, OR, CALLDATALOAD(24) SHR 8, OR, JUMPI
        assert_eq!(
            of("60443610600435 60a01c17602435 60081c17601757".replace(' ', "").as_str()),
            "address,uint8"
        );
        // Words that are put together are no checks.
        assert_eq!(of("60043560a01c60243517601757"), "uint256,uint256");
    }

    #[test]
    fn the_least_calldata_has_a_length_for_each_offset() {
        // CALLDATASIZE < 44; then what is behind the first word is copied: its offset, or its length too.
        let copied = "600435600401803590602001 5f37".replace(' ', "");
        assert_eq!(of(&format!("6044361050{copied}00")), "bytes");
        // Where the second word is read it is an argument, and so it is behind CALLDATASIZE - 4.
        assert_eq!(of(&format!("6044361050{copied}6024355000")), "bytes,uint256");
        assert_eq!(of(&format!("60406004360312 50{copied}00").replace(' ', "")), "bytes,uint256");
    }

    #[test]
    fn the_row_of_a_table_may_say_the_least_size() {
        // A row has a selector, a place and a size; one of two is copied and loaded.
        let row = "5f3560e01c 6007 81600116 600702 60AT 01 6019 39 5f51";
        // The selector is compared, then the size of the calldata with the low byte; the place is jumped to.
        let checks = "80 6018 1c 82 14 15 60NO 57 80 60ff 16 36 10 60NO 57 6008 1c 61ffff 16 56";
        let code = format!("{row}{checks} 5b5f5ffd 5b00").replace(' ', "");
        let end = code.len() / 2;
        let rows = format!("aabbccdc{:04x}44 11223345{:04x}04", end - 2, end - 2).replace(' ', "");
        let code = code.replace("NO", &format!("{:02x}", end - 6)).replace("AT", &format!("{end:02x}"));
        let code = cairn_evm::hex::decode(code + &rows).expect("digits");
        let found = find_arguments(&code, Fork::default());
        let texts: Vec<_> = found.iter().map(|one| (one.selector, one.text())).collect();
        let expected = [(0x1122_3345, ""), (0xaabb_ccdc, "uint256,uint256")];
        assert_eq!(texts, expected.map(|(selector, types)| (selector, Some(types.to_owned()))));
    }

    #[test]
    fn checked_sizes_count_arguments() {
        // SLT(CALLDATASIZE - 4, 0x40)
        assert_eq!(of("60406004360312505f00"), "uint256,uint256");
        assert_eq!(of("5f6004360312505f00"), "");
        assert_eq!(of("00"), "");
    }

    #[test]
    fn offsets_lead_to_bytes_and_arrays() {
        // DUP1 CALLDATALOAD SWAP1 PUSH1 20 ADD PUSH0 CALLDATACOPY behind 4 + CALLDATALOAD(4)
        assert_eq!(of("6004356004018035906020015f3700"), "bytes");
        // The length times 32.
        assert_eq!(of("6004356004018035602002015000"), "uint256[]");
    }

    #[test]
    fn a_way_with_a_checked_argument_alone_is_not_followed() {
        let ones = "ff".repeat(20);
        // Two words; the first is checked to be an address, and stays on the stack.
        let head = format!("60406004360312506004358073{ones}16811450602435600401");
        // A branch on something else; then an item of what is behind the second.
        let jump = |target: usize| format!("5f3561{target:04x}57");
        let items = format!("803560200250602001358073{ones}16145000");
        let target = 17 + (head.len() + jump(0).len() + items.len()) / 2;
        let long = format!("5b505b{}00", "5f50".repeat(400));
        assert_eq!(of(&format!("{head}{}{items}{long}", jump(target))), "address,address[]");
    }

    #[test]
    fn loops_over_items_are_gone_after_a_long_function() {
        // One word, whose items are counted.
        let head = "60206004360312506004356004018035602002 50".replace(' ', "");
        let item = format!("602001358073{}16145000", "ff".repeat(20));
        // A branch on something else to long code; what it falls into reads an item.
        let target = 17 + (head.len() + "5f3561000057".len() + item.len()) / 2;
        let long = format!("5b{}00", "5f50".repeat(400));
        assert_eq!(of(&format!("{head}5f3561{target:04x}57{item}{long}")), "address[]");
    }

    #[test]
    fn items_are_read_where_an_array_was_copied_to() {
        // The place; its length; the free pointer; CALLDATACOPY of the length times 32 from 32 on to 32 on.
        let copy = "6004356004018035604051816020028360200182602001 37".replace(' ', "");
        let mask = "ff".repeat(20);
        // An item by an index, its low 20 bytes.
        let item = format!("602001336020020151 73{mask} 16 5000").replace(' ', "");
        assert_eq!(of(&format!("{copy}{item}")), "address[]");
        // Of two words that are copied the second is read, then the first.
        let pair = format!("60406004360312506040516040600482376020015173{mask} 16 5000").replace(' ', "");
        assert_eq!(of(&pair), "uint256[2]");
        let pair = format!("604060043603125060405160406004823751 73{mask} 16 5000").replace(' ', "");
        assert_eq!(of(&pair), "address[2]");
        // Elsewhere in memory there is no item.
        let other = format!("{copy}604051602001336020020151 73{mask} 16 5000").replace(' ', "");
        assert_eq!(of(&other), "uint256[]");
    }

    #[test]
    fn offsets_in_an_array_count_from_its_items() {
        // The place of the items and the first, an offset; it is less than what remains behind them but 31 bytes.
        let offset = "6004356004018035506020018035601f8236030381 12 50".replace(' ', "");
        // Behind it there is a length.
        assert_eq!(of(&format!("{offset}0180355000")), "bytes[]");
        // With 63 bytes there are two words.
        let pair = offset.replace("601f", "603f");
        assert_eq!(of(&format!("{pair}0180355000")), "(uint256,uint256)[]");
    }

    #[test]
    fn what_is_only_cut_is_a_word_where_others_are_checked() {
        let cut = "60243561ffff1650";
        assert_eq!(of(&format!("{cut}00")), "uint256,uint16");
        let checked = format!("6004358073{}161450", "ff".repeat(20));
        assert_eq!(of(&format!("{checked}{cut}00")), "address,uint256");
    }

    /// The same of a program that sets Solidity's free pointer first: its code begins at offset 22.
    fn of_solidity(body: &str) -> String {
        let code = format!("60806040525f3560e01c63aabbccdd1460155700005b{}", body.replace(' ', ""));
        let code = cairn_evm::hex::decode(code).expect("digits");
        find_arguments(&code, Fork::default())[0].text().expect("it was looked at")
    }

    #[test]
    fn an_enumeration_is_below_a_number() {
        // DUP1 PUSH1 5 GT JUMPI, or the code fails
        assert_eq!(of_solidity("6004358060051160 2357 5f5ffd 5b5000"), "uint8");
        // PUSH1 4 DUP2 GT, and the code fails on a jump.
        assert_eq!(of_solidity("6004358060041060 2257 5000 5b5f5ffd"), "uint8");
        // The same of what is not below.
        assert_eq!(of_solidity("600435806005111560 2357 50005b5f5ffd"), "uint8");
        // Where it fails with data, or in another block, the function requires it.
        assert_eq!(of_solidity("6004358060051160 2457 5f3360fd 5b5000"), "uint256");
        assert_eq!(of_solidity("6004355b8060051160 2457 5f5ffd 5b5000"), "uint256");
    }

    #[test]
    fn vyper_has_no_enumerations() {
        // What is below a number is an index there.
        let body = "60043580600511601e575f5ffd5b5000";
        assert_eq!(of(body), "uint256");
        // solc leaves the free pointer out where a program needs none; its trailer says what it is.
        let trailer = "a164736f6c6343000821000a";
        assert_eq!(of(&format!("{body}fe{trailer}")), "uint8");
    }

    #[test]
    fn a_function_has_nothing_of_the_one_before() {
        // The first loads an address, the second a word.
        let dispatcher = "5f3560e01c 8063112233441461001b57 63aabbccdd1461003757 00".replace(' ', "");
        let functions = format!("5b60043573{}165000 5b6004355000", "ff".repeat(20)).replace(' ', "");
        let code = cairn_evm::hex::decode(dispatcher + &functions).expect("digits");
        let found = find_arguments(&code, Fork::default());
        let texts: Vec<_> = found.iter().map(|one| (one.selector, one.text())).collect();
        let expected = [(0x1122_3344, "address"), (0xaabb_ccdd, "uint256")];
        assert_eq!(texts, expected.map(|(selector, types)| (selector, Some(types.to_owned()))));
    }

    #[test]
    fn a_stack_that_is_full_ends_the_way() {
        assert_eq!(of(&format!("60043550{}00", "5f".repeat(1100))), "uint256");
    }

    #[test]
    fn a_loop_that_never_ends_does() {
        // JUMPDEST PUSH1 4 CALLDATALOAD POP PUSH1 17 JUMP
        assert_eq!(of("5b600435506011565b"), "uint256");
    }

    #[test]
    fn the_last_of_many_functions_has_its_arguments() {
        // PUSH0 CALLDATALOAD PUSH1 e0 SHR; DUP1 PUSH4 … EQ PUSH2 … JUMPI a function; STOP; the functions, each:
        // JUMPDEST PUSH1 36 CALLDATASIZE LT PUSH2 0 JUMPI PUSH1 4 CALLDATALOAD POP JUMPDEST STOP
        let count = 100;
        let head = 5 + 11 * count + 1;
        let case = |index: usize| format!("8063{:08x}1461{:04x}57", 0x1122_3344 + index, head + 15 * index);
        let cases: String = (0..count).map(case).collect();
        let code = cairn_evm::hex::decode(format!(
            "5f3560e01c{cases}00{}",
            "5b6024361061000057600435505b00".repeat(count)
        ));
        let found = find_arguments(&code.expect("digits"), Fork::default());
        let last = found.last().and_then(Arguments::text);
        assert_eq!((found.len(), last.as_deref()), (count, Some("uint256")));
    }
}
