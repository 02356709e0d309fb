//! Types of Solidity, as far as programs of the net have them, and the names that a program declares.

use crate::random::Random;

/// A type. Numbers are places in [`Names`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Uint(u32),
    Int(u32),
    FixedBytes(u32),
    Address,
    Bool,
    Enum(usize),
    /// A user-defined value type.
    Wrapped(usize),
    /// `function (uint256) external returns (uint256)`
    External,
    Bytes,
    String,
    Array(Box<Type>),
    Fixed(Box<Type>, u64),
    Struct(usize),
    /// In storage only.
    Mapping(Box<Type>, Box<Type>),
}

/// Where a value lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A variable of a value type, which may be assigned.
    Local,
    Memory,
    Calldata,
    Storage,
    /// A constant, the counter of a loop: only read.
    Constant,
    /// Only read, and not by pure functions.
    Immutable,
}

impl Place {
    /// What stands behind the type of a variable of a reference type.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Place::Memory => " memory",
            Place::Calldata => " calldata",
            Place::Storage => " storage",
            Place::Local | Place::Constant | Place::Immutable => "",
        }
    }
}

/// What a program declares on its first lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// Members of each enum.
    pub(crate) enums: Vec<usize>,
    /// What each user-defined value type is made of.
    pub(crate) wrapped: Vec<Type>,
    /// Members of each struct, named `m0`, `m1`, …
    pub(crate) structs: Vec<Vec<Type>>,
}

pub(crate) const WORD: Type = Type::Uint(256);

impl Type {
    pub(crate) fn is_value(&self) -> bool {
        use Type::*;
        matches!(self, Uint(_) | Int(_) | FixedBytes(_) | Address | Bool | Enum(_) | Wrapped(_) | External)
    }

    /// As it stands in a program, without the place.
    pub(crate) fn text(&self) -> String {
        match self {
            Type::Uint(bits) => format!("uint{bits}"),
            Type::Int(bits) => format!("int{bits}"),
            Type::FixedBytes(size) => format!("bytes{size}"),
            Type::Address => "address".into(),
            Type::Bool => "bool".into(),
            Type::Enum(index) => format!("E{index}"),
            Type::Wrapped(index) => format!("W{index}"),
            Type::External => "function (uint256) external returns (uint256)".into(),
            Type::Bytes => "bytes".into(),
            Type::String => "string".into(),
            Type::Array(element) => format!("{}[]", element.text()),
            Type::Fixed(element, length) => format!("{}[{length}]", element.text()),
            Type::Struct(index) => format!("S{index}"),
            Type::Mapping(key, value) => format!("mapping({} => {})", key.text(), value.text()),
        }
    }

    /// With the place, if it needs one.
    pub(crate) fn placed(&self, place: Place) -> String {
        if self.is_value() { self.text() } else { format!("{}{}", self.text(), place.word()) }
    }

    /// Whether functions are parts of it, by its text.
    pub(crate) fn names_functions(&self) -> bool {
        match self {
            Type::External => true,
            Type::Array(element) | Type::Fixed(element, _) => element.names_functions(),
            _ => false,
        }
    }

    /// Whether it is encoded behind an offset.
    pub(crate) fn is_dynamic(&self, names: &Names) -> bool {
        match self {
            Type::Bytes | Type::String | Type::Array(_) | Type::Mapping(..) => true,
            Type::Fixed(element, _) => element.is_dynamic(names),
            Type::Struct(index) => names.structs[*index].iter().any(|member| member.is_dynamic(names)),
            _ => false,
        }
    }

    /// Words that a memory copy has at the least: programs keep to small ones.
    pub(crate) fn words(&self, names: &Names) -> u64 {
        match self {
            Type::Fixed(element, length) => length * element.words(names),
            Type::Struct(index) => names.structs[*index].iter().map(|member| member.words(names)).sum(),
            Type::Array(element) => 1 + 2 * element.words(names),
            _ => 1,
        }
    }
}

impl Names {
    /// Enums, value types and structs of a program. Structs hold earlier ones.
    pub(crate) fn new(random: &mut Random) -> Names {
        let enums = vec![random.between(1, 4), random.between(3, 9)];
        let mut names = Names { enums, ..Names::default() };
        if random.once_in(6) {
            names.enums.push(random.between(130, 256));
        }
        names.wrapped = (0..2).map(|_| basic(random)).collect();
        // Operators of the first are declared; they compute.
        names.wrapped[0] = Type::Uint(width(random));
        for _ in 0..random.between(1, 3) {
            let mut members: Vec<Type> = Vec::new();
            for _ in 0..random.between(2, 4) {
                let deep = random.once_in(3);
                let member = if deep { names.reference(random, 1) } else { names.value(random) };
                members.push(member);
            }
            let words: u64 = members.iter().map(|member| member.words(&names)).sum();
            if words > 24 {
                members = vec![names.value(random), names.value(random), Type::Bytes];
            }
            names.structs.push(members);
        }
        names
    }

    /// A value type.
    pub(crate) fn value(&self, random: &mut Random) -> Type {
        match random.below(12) {
            0 => Type::Enum(random.below(self.enums.len())),
            1 => Type::Wrapped(random.below(self.wrapped.len())),
            2 if random.once_in(3) => Type::External,
            _ => basic(random),
        }
    }

    /// A type that lies in memory, `depth` levels deep; one that can be passed to functions.
    pub(crate) fn reference(&self, random: &mut Random, depth: usize) -> Type {
        let inner = |random: &mut Random| {
            if depth == 0 || random.once_in(2) {
                self.value(random)
            } else {
                self.reference(random, depth - 1)
            }
        };
        let found = match random.below(9) {
            0 => Type::Bytes,
            1 => Type::String,
            2..=4 => Type::Array(Box::new(inner(random))),
            5 | 6 => {
                let element = inner(random);
                Type::Fixed(Box::new(element), random.between(1, 4) as u64)
            }
            _ if self.structs.is_empty() => Type::Array(Box::new(basic(random))),
            _ => Type::Struct(random.below(self.structs.len())),
        };
        if found.words(self) > 24 { Type::Array(Box::new(self.value(random))) } else { found }
    }

    /// A type of a state variable.
    pub(crate) fn stored(&self, random: &mut Random) -> Type {
        match random.below(10) {
            0..=3 => self.value(random),
            4 | 5 => self.mapping(random, 1),
            _ => self.any_reference(random),
        }
    }

    /// A type that lies in memory; few are deep.
    pub(crate) fn any_reference(&self, random: &mut Random) -> Type {
        let depth = *random.pick(&[0, 0, 1, 1, 2]);
        self.reference(random, depth)
    }

    fn mapping(&self, random: &mut Random, depth: usize) -> Type {
        let key = match random.below(8) {
            0 => Type::String,
            1 => Type::Bytes,
            2 => Type::Enum(0),
            _ => basic(random),
        };
        let value = match random.below(5) {
            0 if depth > 0 => self.mapping(random, depth - 1),
            1 | 2 => self.reference(random, 1),
            _ => self.value(random),
        };
        Type::Mapping(Box::new(key), Box::new(value))
    }
}

/// A width in bits.
pub(crate) fn width(random: &mut Random) -> u32 {
    if random.once_in(3) {
        256
    } else {
        *random.pick(&[8, 8, 16, 24, 32, 40, 64, 96, 128, 128, 160, 200, 248])
    }
}

/// A value type that nobody declares.
pub(crate) fn basic(random: &mut Random) -> Type {
    match random.below(10) {
        0..=3 => Type::Uint(width(random)),
        4 | 5 => Type::Int(width(random)),
        6 | 7 => Type::FixedBytes(*random.pick(&[1, 2, 4, 8, 16, 20, 24, 31, 32, 32])),
        8 => Type::Address,
        _ => Type::Bool,
    }
}
