//! Opcodes in words: signs between operands, accesses, masks as types.

use super::{Stands, Words, is_truth};
use crate::listing::bits::type_of_mask;
use crate::listing::say::Say;
use crate::tree::At;
use cairn_evm::{Opcode, Word};

impl Words<'_> {
    pub(super) fn opcode(&mut self, opcode: Opcode, args: &[Say], at: At, stands: Stands) -> String {
        if let Some(text) = self.special(opcode, args, at, stands) {
            return text;
        }
        if let ([a, b], Some(sign)) = (args, sign_of(opcode)) {
            let is_shift = matches!(opcode, Opcode::SHL | Opcode::SHR | Opcode::SAR);
            let is_turned = opcode.is_commutative() && a.as_number().is_some();
            let (a, b) = if is_shift || is_turned { (b, a) } else { (a, b) };
            return self.infix(sign, a, b, stands);
        }
        format!("{}({})", opcode.lower_name(self.fork), self.list(args))
    }

    /// What has words of its own.
    fn special(&mut self, opcode: Opcode, args: &[Say], at: At, stands: Stands) -> Option<String> {
        Some(match (opcode, args) {
            (Opcode::DIV | Opcode::SHR, [a, b]) if is_selector(a, b) => "selector".to_owned(),
            (Opcode::AND, [a, b]) => return self.cut(a, b),
            (Opcode::SIGNEXTEND, [bytes, say]) => {
                let bytes = bytes.as_number().and_then(|word| u64::try_from(word).ok());
                let bytes = bytes.filter(|bytes| *bytes < 31)?;
                format!("int{}({})", (bytes + 1) * 8, self.text(say))
            }
            (Opcode::SHR, [shift, say]) => {
                let shift = shift.as_number()?;
                return self.field(shift.try_into().ok(), say);
            }
            (Opcode::DIV, [say, divisor]) => {
                let power = divisor.as_number().filter(|word| word.count_ones() == 1)?;
                let shift = Some(power.trailing_zeros()).filter(|shift| *shift >= 8)?;
                return self.field(Some(shift as u64), say);
            }
            (Opcode::ISZERO, [say]) => self.negation(say, stands),
            (Opcode::NOT, [say]) => format!("~{}", self.atom(say)),
            (Opcode::SLOAD, [place]) => self.access("", place, at),
            (Opcode::TLOAD, [place]) => self.access("transient ", place, at),
            (Opcode::MLOAD, [place]) => format!("memory[{}]", self.text(place)),
            (Opcode::CALLDATALOAD, [place]) => self.argument(place),
            (_, []) => opcode.lower_name(self.fork).to_owned(),
            _ => return None,
        })
    }

    /// What a mask leaves, as a conversion to the type that the mask is of.
    fn cut(&mut self, a: &Say, b: &Say) -> Option<String> {
        let cut = |mask: &Say| mask.as_number().and_then(type_of_mask);
        let (name, say) = cut(a).map(|name| (name, b)).or(cut(b).map(|name| (name, a)))?;
        let text = self.text(say);
        let is_cut = text.strip_prefix(&name).is_some_and(|rest| {
            // The same cut around all of it.
            rest.starts_with('(') && rest.find(')') == Some(rest.len() - 1)
        });
        let stays = is_cut || self.has_type(say, &text, &name);
        Some(if stays { text } else { format!("{name}({text})") })
    }

    /// `iszero`: the opposite test, or a comparison with zero.
    fn negation(&mut self, say: &Say, stands: Stands) -> String {
        if let Some((opcode, [a, b])) = say.as_evm()
            && let Some(sign) = negated(opcode)
        {
            return self.infix(sign, a, b, stands);
        }
        if let Some([inner]) = say.args_of(Opcode::ISZERO) {
            let text = self.atom(inner);
            return self.around(format!("{text} != 0"), stands);
        }
        let text = self.atom(say);
        if is_truth(say) { format!("!{text}") } else { self.around(format!("{text} == 0"), stands) }
    }

    /// A word of call data: an argument, or where one of no fixed size begins.
    fn argument(&mut self, place: &Say) -> String {
        let Some(number) = place.as_number().and_then(crate::names::argument) else {
            return format!("calldata[{}]", self.text(place));
        };
        let ty = usize::try_from(number).ok().and_then(|number| self.types.get(number));
        let is_elsewhere =
            ty.is_some_and(|ty| ty.ends_with("[]") || matches!(ty.as_str(), "bytes" | "string"));
        if is_elsewhere { format!("arg{number}.offset") } else { format!("arg{number}") }
    }
}

/// True for the first four bytes of calldata: a division or a shift, with both operands.
fn is_selector(a: &Say, b: &Say) -> bool {
    let is_first = |say: &Say| {
        say.args_of(Opcode::CALLDATALOAD).is_some_and(|args| args[0].as_number() == Some(Word::ZERO))
    };
    (is_first(a) && b.as_number() == Some(Word::from(1) << 224))
        || (is_first(b) && a.as_number() == Some(Word::from(224)))
}

pub(super) fn negated(opcode: Opcode) -> Option<&'static str> {
    Some(match opcode {
        Opcode::EQ => "!=",
        Opcode::SUB | Opcode::XOR => "==",
        Opcode::LT => ">=",
        Opcode::GT => "<=",
        Opcode::SLT => ">=s",
        Opcode::SGT => "<=s",
        _ => return None,
    })
}

fn sign_of(opcode: Opcode) -> Option<&'static str> {
    Some(match opcode {
        Opcode::ADD => "+",
        Opcode::SUB => "-",
        Opcode::MUL => "*",
        Opcode::DIV => "/",
        Opcode::SDIV => "/s",
        Opcode::MOD => "%",
        Opcode::SMOD => "%s",
        Opcode::EXP => "**",
        Opcode::LT => "<",
        Opcode::GT => ">",
        Opcode::SLT => "<s",
        Opcode::SGT => ">s",
        Opcode::EQ => "==",
        Opcode::AND => "&",
        Opcode::OR => "|",
        Opcode::XOR => "^",
        Opcode::SHL => "<<",
        Opcode::SHR => ">>",
        Opcode::SAR => ">>s",
        _ => return None,
    })
}
