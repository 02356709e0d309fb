// What the step needs is missing here, so it leaves the program alone.
// Shows S002-07.
//! run: yul-opt --steps on
{ if mload(0) { sstore(0, 1) } }
// ---- yul-opt --steps on
// { if mload(0) { sstore(0, 1) } }
