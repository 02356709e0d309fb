//! Arrays as Solidity has them: allocated with a length word, each access checked.

use super::Generator;

/// `#n` is an array of words of calldata.
const MAKE: &str = "let #n := new_array([3|5|1|0|7|and(v0, 7)|and(v1, 3)])
for { let i := 0 } lt(i, mload(#n)) { i := add(i, 1) } { [mstore(at(#n, i), [#x|calldataload(shl(5, i))|and(calldataload(shl(5, i)), 7)|mul(i, #w)|i])|let p := add(add(#n, 32), shl(5, i)) mstore(p, [calldataload(shl(5, i))|#x])] }
";

const WORK: [&str; 13] = [
    "for { let i := 0 } lt(i, mload(#n)) { i := add(i, 1) } { for { let j := [0|0|i|add(i, 1)] } lt(j, sub([checked_sub(mload(#n), i)|sub(mload(#n), i)|mload(#n)], [1|1|0])) { j := add(j, 1) } { #F let x := mload(at(#n, j)) let y := mload(at(#n, [inc(j)|add(j, 1)])) if [gt(x, y)|lt(x, y)|iszero(lt(x, y))|sgt(x, y)] { mstore(at(#n, j), y) mstore(at(#n, add(j, 1)), x) } r := mix(r, lt(j, mload(#n))) } }",
    "let s := 0 for { let i := [0|1] } lt(i, mload(#n)) { i := inc(i) } { s := [checked_add|checked_add|checked_sub|checked_mul](s, mload(at(#n, i))) [mstore(at(#n, i), s)|] } r := mix(r, s)",
    "for { let i := 1 } lt(i, mload(#n)) { i := add(i, 1) } { mstore(at(#n, i), [checked_add|add|checked_sub](mload(at(#n, [sub(i, 1)|checked_sub(i, 1)])), mload(at(#n, i)))) }",
    "let low := 0 let high := mload(#n) for { } lt(low, high) { } { #F let mid := [shr(1, add(low, high))|div(checked_add(low, high), 2)] let x := mload(at(#n, mid)) switch [lt(x, v2)|gt(x, v2)|iszero(gt(x, v2))] case 0 { high := [mid|mid|sub(mid, 1)] } default { low := [add(mid, 1)|inc(mid)|mid] } r := mix(r, lt(mid, mload(#n))) } r := mix(r, low) r := mix(r, lt(low, mload(#n)))",
    "let head := [0|and(v2, 7)] let used := 0 for { let i := 0 } lt(i, [9|and(v3, 15)]) { i := add(i, 1) } { #F if iszero(mload(#n)) { panic(18) } mstore(at(#n, head), [i|#x]) head := [mod(add(head, 1), mload(#n))|add(head, 1) if eq(head, mload(#n)) { head := 0 }|addmod(head, 1, mload(#n))] if lt(used, mload(#n)) { used := inc(used) } } r := mix(r, mix(head, used)) r := mix(r, lt(head, mload(#n)))",
    "let i := 0 let j := mload(#n) for { } lt(i, j) { i := add(i, 1) } { #F j := [sub(j, 1)|checked_sub(j, 1)] let x := mload(at(#n, i)) mstore(at(#n, i), mload(at(#n, j))) mstore(at(#n, j), x) } r := mix(r, sub(j, i))",
    "let best := 0 for { let i := 0 } lt(i, mload(#n)) { i := add(i, 1) } { let x := mload(at(#n, i)) if [gt(x, best)|lt(x, best)|sgt(x, best)] { best := x } r := mix(r, lt(best, x)) } r := mix(r, best)",
    "let k := 0 for { let i := 0 } lt(i, mload(#n)) { i := add(i, 1) } { let x := mload(at(#n, i)) if [lt(x, v2)|and(x, 1)] { continue } mstore(at(#n, k), x) k := [add(k, 1)|inc(k)] } if [1|lt(k, mload(#n))] { mstore(#n, k) } r := mix(r, keccak256(add(#n, 32), shl(5, k)))",
    "for { let i := 0 } lt(i, mload(#n)) { i := add(i, 1) } { #F if [eq(mload(at(#n, i)), v2)|eq(i, 2)] { mstore(#n, sub(mload(#n), 1)) if lt(i, mload(#n)) { mstore(at(#n, i), mload(at(#n, mload(#n)))) } [continue|break|] } r := mix(r, mload(#n)) }",
    "let rows := new_array([2|3|and(v1, 3)]) for { let i := 0 } lt(i, mload(rows)) { i := add(i, 1) } { let row := new_array([3|mload(#n)|i]) mstore(at(rows, i), row) for { let j := 0 } lt(j, mload(row)) { j := add(j, 1) } { mstore(at(row, j), [mul(i, j)|checked_mul(i, v0)|checked_add(i, j)|#x]) } } for { let i := 0 } lt(i, mload(rows)) { i := add(i, 1) } { for { let j := 0 } lt(j, mload(mload(at(rows, i)))) { j := add(j, 1) } { r := [mix(r, mload(at(mload(at(rows, i)), j)))|checked_add(r, mload(at(mload(at(rows, [i|j])), [j|i])))] } }",
    "let i := [mload(#n)|and(v2, 7)] for { } i { } { #F i := [sub(i, 1)|checked_sub(i, [1|1|2])] r := mix(r, mload(at(#n, i))) }",
    "for { let i := [0|v2] } 1 { i := [add(i, 1)|add(i, [1|v3])|inc(i)] } { #F if [iszero(lt(i, mload(#n)))|eq(i, mload(#n))] { break } r := mix(r, mload(at(#n, i))) }",
    "if lt(v2, mload(#n)) { r := mix(r, mload(at(#n, v2))) if [v2|lt(v3, v2)] { r := mix(r, mload(at(#n, [sub(v2, 1)|v3|sub(v2, v3)]))) } [mstore(#n, [v2|sub(mload(#n), 1)])|] r := mix(r, mload(at(#n, [v2|v3]))) }",
];

impl Generator<'_> {
    pub(super) fn array(&mut self) -> String {
        let mut work = String::new();
        for _ in 0..self.random.between(1, 2) {
            work += &format!("{{ {} }}\n", self.random.pick(&WORK));
        }
        let end = "for { let i := 0 } lt(i, mload(#n)) { i := add(i, 1) } { r := mix(r, mload(at(#n, i))) }";
        self.fill(&format!("{{ {MAKE}{work}{end} }}"))
    }
}
