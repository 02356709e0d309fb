//! Products of several words.

use super::Words;
use super::division::{Arrays, load_array};
use crate::context::PassContext;
use crate::emit::Emit;
use crate::passes::legalize_operations::full_product;
use crate::passes::legalize_types::state::Walk;
use crate::runtime::Routine;
use cairn_ir::Value;

/// Operands of more words are multiplied by the runtime.
pub(crate) const MAX_INLINE_WORDS: usize = 3;

/// The low `n_words` words of `a · b`.
pub(super) fn multiply(
    emit: &mut Emit<'_>,
    a: &[Value],
    b: &[Value],
    n_words: usize,
    walk: &mut Walk,
    cx: &mut PassContext<'_>,
) -> Words {
    let (a, b) = (significant(emit, a), significant(emit, b));
    if a.len().min(b.len()) > MAX_INLINE_WORDS {
        return call(emit, a, b, n_words, walk, cx);
    }
    let zero = emit.number(0);
    let mut sum: Words = smallvec::smallvec![zero; n_words];
    for (i, a) in a.iter().enumerate() {
        let mut carry = None;
        for (j, b) in b.iter().enumerate().take_while(|(j, _)| i + j < n_words) {
            let wanted = if i + j + 1 == n_words { Wanted::Low } else { Wanted::Both };
            let old = (i > 0).then_some(sum[i + j]);
            (sum[i + j], carry) = accumulate(emit, [*a, *b], [carry, old], wanted);
        }
        if let (Some(carry), Some(place)) = (carry, sum.get_mut(i + b.len())) {
            *place = carry;
        }
    }
    sum
}

/// Which words of a product are needed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Low,
    Both,
}

/// `a · b` plus what else belongs to its low word: that word, and the carry into the next.
fn accumulate(
    emit: &mut Emit<'_>,
    [a, b]: [Value; 2],
    others: [Option<Value>; 2],
    wanted: Wanted,
) -> (Value, Option<Value>) {
    let (mut high, low) = match wanted {
        Wanted::Low => (None, emit.mul(a, b)),
        Wanted::Both => {
            let (high, low) = full_product(emit, a, b);
            (Some(high), low)
        }
    };
    let mut word = low;

    for other in others.into_iter().flatten() {
        word = emit.add(word, other);
        if let Some(above) = high {
            let wrapped = emit.lt(word, other);
            high = Some(emit.add(above, wrapped));
        }
    }
    (word, high)
}

/// The words without those at the top that are known to be zero.
fn significant<'a>(emit: &mut Emit<'_>, words: &'a [Value]) -> &'a [Value] {
    let mut end = words.len();
    while end > 1 && !super::can_be_set(emit, &words[end - 1..end]) {
        end -= 1;
    }
    &words[..end]
}

fn call(
    emit: &mut Emit<'_>,
    a: &[Value],
    b: &[Value],
    n_words: usize,
    walk: &mut Walk,
    cx: &mut PassContext<'_>,
) -> Words {
    let arrays = Arrays::new(emit, &[a, b], n_words, walk);
    let [n_a, n_b, n] = [a.len(), b.len(), n_words].map(|count| emit.number(count as u64));
    let args = [arrays.inputs[0], n_a, arrays.inputs[1], n_b, arrays.scratch, n];
    cx.runtime.call(emit, Routine::WideMul, &args);
    load_array(emit, arrays.scratch, n_words)
}

/// `base ^ exponent`, of as many words.
pub(super) fn power(
    emit: &mut Emit<'_>,
    base: &[Value],
    exponent: &[Value],
    walk: &mut Walk,
    cx: &mut PassContext<'_>,
) -> Words {
    let n_words = base.len();
    let arrays = Arrays::new(emit, &[base, exponent], n_words, walk);
    let out = Arrays::new(emit, &[], n_words, walk).scratch;
    let count = emit.number(n_words as u64);
    let args = [arrays.inputs[0], arrays.inputs[1], out, arrays.scratch, count];
    cx.runtime.call(emit, Routine::WideExp, &args);
    load_array(emit, out, n_words)
}
