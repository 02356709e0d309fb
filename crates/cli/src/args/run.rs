//! The command line of `cairn run`: options before the first call hold for all calls, options after a
//! call for that call.

use crate::args::{CodegenArgs, ResultFormat};
use alloy_primitives::{Address, B256, U256};
use cairn_exec::account;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Example:
  cairn run counter.eir --runtime --call 'increment()(uint256)' --call 'count()(uint256)'
      calls one after the other; state stays
  cairn run token.yul --abi token.json --call transfer 0x…01 5 --from 3 --call balanceOf 0x…01
      names from an ABI; the first call is from the fourth account
  cairn run vault.yul --call 'deposit()' --value 1ether --call 'take()' --block timestamp=2000000000
      wei sent along; the block of the second call and those after it
  cairn run c.yul --runtime --storage 0=5 --call 'f(int256)' -7 --trace
      storage set before; each step of the call on standard error

Options before the first call hold for all calls, options after a call for that call.
Exit codes: 0 all calls succeed, 1 one reverts or halts or the input is faulty, 2 wrong usage";

/// `cairn run`
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RunArgs {
    /// Code generation
    #[command(flatten)]
    pub(crate) codegen: CodegenArgs,
    /// The calls
    #[command(flatten)]
    pub(crate) calls: Calls,
    /// Bytes appended to the creation code, in hex
    #[arg(long, value_name = "HEX")]
    pub(crate) constructor_args: Option<String>,
    /// The input is runtime code: do not deploy
    #[arg(long)]
    pub(crate) runtime: bool,
    /// Storage of the contract before the first call
    #[arg(long, value_name = "KEY=VALUE", value_delimiter = ',', value_parser = parse_slot)]
    pub(crate) storage: Vec<(U256, U256)>,
    /// ABI in JSON: functions by name, and how events, errors and results are decoded
    #[arg(long, value_name = "FILE")]
    pub(crate) abi: Option<PathBuf>,
    /// An event to decode, such as `Moved(address indexed who, uint256 amount)`
    #[arg(long, value_name = "SIGNATURE")]
    pub(crate) event: Vec<String>,
    /// An error to decode, such as `Insufficient(uint256)`
    #[arg(long, value_name = "SIGNATURE")]
    pub(crate) error: Vec<String>,
    /// Print each step on standard error: depth, pc, opcode, gas left, cost, stack
    #[arg(long)]
    pub(crate) trace: bool,
    /// Print gas by opcode on standard error
    #[arg(long)]
    pub(crate) gas_report: bool,
    /// How to print results
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ResultFormat,
}

/// What a call does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// A signature or name, and arguments in text.
    Function(String, Vec<String>),
    /// Calldata in hex.
    Data(String),
}

/// What surrounds a call, where it was said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) from: Option<Address>,
    pub(crate) value: Option<U256>,
    pub(crate) is_static: bool,
    pub(crate) block: Vec<BlockFact>,
}

/// A fact of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockFact {
    Number(u64),
    Timestamp(u64),
    Coinbase(Address),
    GasLimit(u64),
    BaseFee(u64),
    PrevRandao(B256),
}

/// A call with its setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallArgs {
    pub(crate) what: What,
    pub(crate) setting: Setting,
}

/// All calls in order, and the setting of them all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Calls {
    pub(crate) setting: Setting,
    pub(crate) list: Vec<CallArgs>,
    /// Arguments that no signature takes.
    pub(crate) stray: Vec<String>,
}

/// Something of the command line at its place.
enum Part {
    Call(What),
    Argument(String),
    From(Address),
    Value(U256),
    Static,
    Block(BlockFact),
}

impl Args for Calls {
    fn augment_args(command: Command) -> Command {
        let option = |name: &'static str, value: &'static str| {
            Arg::new(name).long(name).value_name(value).action(ArgAction::Append)
        };
        command
            .arg(
                Arg::new("args")
                    .value_name("ARGS")
                    .num_args(0..)
                    .allow_negative_numbers(true)
                    .help("Arguments of the call before them; after `--` they may begin with a hyphen"),
            )
            .arg(option("call", "SIGNATURE").help(
                "Function to call: `f(uint256,bytes)`, `f(uint256)(uint256)` with result types, or a name \
                 of the ABI; repeatable, its arguments follow it",
            ))
            .arg(option("calldata", "HEX").help("Raw calldata in hex; a call like `--call`"))
            .arg(
                option("from", "ADDRESS")
                    .value_parser(parse_sender)
                    .help("Who calls: an address, or 0 to 9 for an account with funds"),
            )
            .arg(
                option("value", "WEI")
                    .value_parser(parse_wei)
                    .help("Wei sent with the call, also as 5gwei or 1ether"),
            )
            .arg(
                Arg::new("static")
                    .long("static")
                    // A flag whose place is known: options without values have none.
                    .num_args(0..=1)
                    .require_equals(true)
                    .hide_possible_values(true)
                    .action(ArgAction::Append)
                    .default_missing_value("true")
                    .value_parser(["true"])
                    .value_name("true")
                    .help("Call in a static frame, where a change of the state halts"),
            )
            .arg(
                option("block", "FACT=VALUE")
                    .value_delimiter(',')
                    .value_parser(parse_fact)
                    .help("Block of this call, and from where later ones go on: number, timestamp, coinbase, gaslimit, basefee, prevrandao"),
            )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Calls {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut parts: Vec<(usize, Part)> = Vec::new();
        add(&mut parts, matches, "call", |text: &String| {
            Part::Call(What::Function(text.clone(), Vec::new()))
        });
        add(&mut parts, matches, "args", |text: &String| Part::Argument(text.clone()));
        add(&mut parts, matches, "calldata", |data: &String| Part::Call(What::Data(data.clone())));
        add(&mut parts, matches, "from", |from| Part::From(*from));
        add(&mut parts, matches, "value", |value| Part::Value(*value));
        add(&mut parts, matches, "static", |_: &String| Part::Static);
        add(&mut parts, matches, "block", |fact| Part::Block(*fact));
        parts.sort_by_key(|(at, _)| *at);
        Ok(in_order(parts.into_iter().map(|(_, part)| part)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn add<T: Clone + Send + Sync + 'static>(
    parts: &mut Vec<(usize, Part)>,
    matches: &ArgMatches,
    name: &str,
    part: impl Fn(&T) -> Part,
) {
    let values = matches.get_many::<T>(name).into_iter().flatten();
    let indices = matches.indices_of(name).into_iter().flatten();
    parts.extend(indices.zip(values.map(part)));
}

fn in_order(parts: impl Iterator<Item = Part>) -> Calls {
    let mut calls = Calls::default();
    for part in parts {
        let last = calls.list.last_mut();
        let (what, setting) = match last {
            Some(call) => (Some(&mut call.what), &mut call.setting),
            None => (None, &mut calls.setting),
        };
        match part {
            // What stands before the first call is its.
            Part::Call(What::Function(text, _)) => {
                let what = What::Function(text, std::mem::take(&mut calls.stray));
                calls.list.push(CallArgs { what, setting: Setting::default() });
            }
            Part::Call(what) => calls.list.push(CallArgs { what, setting: Setting::default() }),
            Part::Argument(text) => match what {
                Some(What::Function(_, arguments)) => arguments.push(text),
                Some(What::Data(_)) | None => calls.stray.push(text),
            },
            Part::From(from) => setting.from = Some(from),
            Part::Value(value) => setting.value = Some(value),
            Part::Static => setting.is_static = true,
            Part::Block(fact) => setting.block.push(fact),
        }
    }
    calls
}

fn parse_slot(text: &str) -> Result<(U256, U256), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE")?;
    Ok((parse_word(key)?, parse_word(value)?))
}

fn parse_word(text: &str) -> Result<U256, String> {
    text.trim().parse().map_err(|_| format!("`{text}` is not a number of 256 bits"))
}

fn parse_sender(text: &str) -> Result<Address, String> {
    match text.parse::<u64>() {
        Ok(index) if index < 10 => Ok(account(index)),
        _ => text.parse().map_err(|_| format!("`{text}` is neither an address nor an account from 0 to 9")),
    }
}

/// A number of wei, also with a unit.
fn parse_wei(text: &str) -> Result<U256, String> {
    let units = [("gwei", 9_u64), ("ether", 18), ("wei", 0)];
    let unit = units.iter().find_map(|(unit, digits)| Some((text.strip_suffix(unit)?, *digits)));
    let (number, digits) = unit.unwrap_or((text, 0));
    let wei = parse_word(number)?.checked_mul(U256::from(10).pow(U256::from(digits)));
    wei.ok_or_else(|| format!("`{text}` is more than 256 bits of wei"))
}

fn parse_fact(text: &str) -> Result<BlockFact, String> {
    let (name, value) = text.split_once('=').ok_or("expected FACT=VALUE, such as number=5")?;
    let number = || {
        let word = parse_word(value)?;
        u64::try_from(word).map_err(|_| format!("`{value}` is not a number of 64 bits"))
    };
    Ok(match name.trim() {
        "number" => BlockFact::Number(number()?),
        "timestamp" => BlockFact::Timestamp(number()?),
        "coinbase" => BlockFact::Coinbase(value.parse().map_err(|_| format!("`{value}` is no address"))?),
        "gaslimit" => BlockFact::GasLimit(number()?),
        "basefee" => BlockFact::BaseFee(number()?),
        "prevrandao" => BlockFact::PrevRandao(B256::from(parse_word(value)?)),
        other => {
            return Err(format!(
                "`{other}` is none of number, timestamp, coinbase, gaslimit, basefee, prevrandao"
            ));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Calls {
        let command = Calls::augment_args(Command::new("run")).no_binary_name(true);
        let matches = command.try_get_matches_from(line.split_whitespace()).expect("it can be read");
        Calls::from_arg_matches(&matches).expect("it is in order")
    }

    #[test]
    fn options_belong_to_the_call_before_them() {
        let calls = parse(
            "--value 1gwei --call f(int256,bool) -5 true --from 3 --calldata 0x01 --value 2 --call g() --static",
        );
        assert_eq!(calls.setting.value, Some(U256::from(1_000_000_000)));
        let arguments = vec!["-5".to_owned(), "true".to_owned()];
        assert_eq!(calls.list[0].what, What::Function("f(int256,bool)".to_owned(), arguments));
        assert_eq!((calls.list[0].setting.from, calls.list[0].setting.value), (Some(account(3)), None));
        assert_eq!(calls.list[1].what, What::Data("0x01".to_owned()));
        assert_eq!(calls.list[1].setting.value, Some(U256::from(2)));
        assert_eq!(calls.list[2].setting, Setting { is_static: true, ..Setting::default() });
    }

    #[test]
    fn facts_of_blocks_are_read() {
        let calls = parse("--call f() --block number=5,timestamp=0x10 --call g() --block basefee=9");
        assert_eq!(calls.list[0].setting.block, [BlockFact::Number(5), BlockFact::Timestamp(16)]);
        assert_eq!(calls.list[1].setting.block, [BlockFact::BaseFee(9)]);
        assert!(parse_fact("colour=3").unwrap_err().contains("`colour`"));
        assert!(parse_fact("number=x").unwrap_err().contains("`x`"));
    }
}
