// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

/// Statements that only give a word another name, or jump, beside some that compute.
contract Words {
    struct Pair {
        uint256 first;
        uint256 second;
    }

    enum Kind {
        None,
        Some
    }

    uint256 public kept;
    Pair private pair;
    mapping(uint256 => uint256) private numbers;
    uint256[] private list;
    address private owner;

    function declared(uint256 a) external pure returns (uint256) {
        uint256 b = a;
        uint256 c = b;
        return c;
    }

    function assigned(uint256 a) external pure returns (uint256 r) {
        uint256 b;
        b = a;
        r = b;
        (b) = r;
        r = (b);
    }

    function swapped(uint256 a, uint256 b) external pure returns (uint256 c, uint256 d) {
        (a, b) = (b, a);
        (uint256 e, uint256 f) = (a, b);
        (c, ) = (e, f);
        (, d) = (e, f);
    }

    function constants() external pure returns (uint256 r) {
        uint256 a = 181;
        bool b = true;
        bytes32 c = "word";
        bytes32 d = c;
        Kind kind = Kind.Some;
        Kind same = kind;
        if (b) r = a + uint256(d) % 2 + uint256(same);
    }

    function defaults() external pure returns (uint256 r) {
        uint256 a;
        bool b;
        string memory c;
        if (!b) r = a + bytes(c).length;
        delete a;
    }

    function references(uint256 n) external returns (uint256) {
        Pair memory one = Pair(n, n);
        Pair memory two = one;
        uint256[] memory array = new uint256[](2);
        uint256[] memory other = array;
        Pair storage place = pair;
        Pair storage again = place;
        again.second = n;
        uint256[] storage items = list;
        items.push(n);
        mapping(uint256 => uint256) storage map = numbers;
        map[n] = 1;
        other[0] = n;
        two.first = 4;
        return one.first + array[0];
    }

    function converted(address a) external returns (uint256) {
        address b = a;
        address payable c = payable(b);
        owner = c;
        uint160 d = uint160(b);
        uint256 e = d;
        Words f = Words(b);
        Words g = f;
        return e + uint160(address(g));
    }

    function sliced(bytes calldata data) external pure returns (uint256) {
        bytes calldata same = data;
        uint256 length = same.length;
        return length;
    }

    function pointers(uint256 a) external returns (uint256 r) {
        function(uint256) external returns (uint256) f = this.twice;
        function(uint256) external returns (uint256) g = f;
        r = g(a);
    }

    function twice(uint256 a) external pure returns (uint256) {
        return a * 2;
    }

    function nested(uint256 a) external pure returns (uint256 r) {
        unchecked {
            uint256 b = a;
            r = b;
        }
        {
            uint256 c = r;
            {
                uint256 d = c;
                r = d;
            }
        }
    }

    function chosen(bool b, uint256 x, uint256 y) external pure returns (uint256) {
        uint256 v = b ? x : y;
        bool w = b && v > 1;
        bool z = w || b;
        return z ? v : 0;
    }

    function branches(uint256 a) external pure returns (bool b, uint256 c) {
        b = a > 3;
        if (b) {
            c = a;
        } else {
            c = 2;
        }
        if (a == 0) return (b, a);
        else if (a == 1) c = a;
    }

    function loops(uint256 n) external pure returns (uint256 t) {
        for (uint256 i = 0; i < n; i++) {
            uint256 j = i;
            if (j == 3) {
                continue;
            }
            if (j == 5) {
                break;
            }
            t += j;
        }
        uint256 k = n;
        while (true) {
            if (k == 0) break;
            k--;
            t++;
        }
        do {
            t++;
        } while (t < 20);
        for (uint256 m; m < n; ) {
            uint256 last = m;
            t = last;
            unchecked {
                ++m;
            }
        }
    }

    function tried(uint256 a) external returns (uint256 r) {
        try this.checked(a) returns (uint256 q) {
            uint256 s = q;
            r = s;
        } catch Error(string memory why) {
            string memory same = why;
            r = bytes(same).length;
        } catch Panic(uint256 code) {
            r = code;
        } catch (bytes memory data) {
            bytes memory same = data;
            r = same.length;
        }
    }

    error Odd(uint256 a);

    function checked(uint256 a) external pure returns (uint256) {
        require(a != 1, "one");
        assert(a != 2);
        if (a == 3) revert Odd(a);
        return a;
    }

    function assembled(uint256 a) external view returns (uint256 r) {
        assembly {
            let x := a
            let y
            y := x
            r := y
            if eq(a, 5) { r := 9 }
            for { let i := 0 } lt(i, 3) { i := add(i, 1) } {
                let j := i
                r := j
            }
            function f(p) -> z {
                let q := p
                z := q
            }
            r := f(r)
            let c := caller()
            r := c
        }
    }

    /// solc writes short blocks on one line.
    function brief(uint256 a) external returns (uint256 r) {
        assembly { r := a }
        assembly { if a { r := 2 } }
        assembly { sstore(9, a) }
        assembly { { pop(a) } }
        assembly ("memory-safe") { mstore(0, a) }
    }

    function stored(uint256 a) external returns (uint256) {
        uint256 b;
        b = kept = a;
        uint256 c = kept;
        kept = c;
        return b;
    }
}
