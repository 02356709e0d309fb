// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

import {Alike} from "../src/Alike.sol";
import {Assembly} from "../src/Assembly.sol";
import {Bodies} from "../src/Bodies.sol";
import {Create} from "../src/Create.sol";
import {Direct} from "../src/Direct.sol";
import {Fail} from "../src/Fail.sol";
import {FailDeep} from "../src/FailDeep.sol";
import {Free} from "../src/Free.sol";
import {Inherit} from "../src/Inherit.sol";
import {ModifiersOverridden} from "../src/Modifiers.sol";
import {Odd} from "../src/Odd.sol";
import {Outside} from "../src/Outside.sol";
import {Places} from "../src/Places.sol";
import {Pointers} from "../src/Pointers.sol";
import {PointersMore} from "../src/PointersMore.sol";
import {PointersPlaces} from "../src/PointersPlaces.sol";

// The tests stand beside the functions that they call.

contract AlikeTest is Alike {}

contract AssemblyTest is Assembly {}

contract BodiesTest is Bodies {}

contract CreateTest is Create {}

contract DirectTest is Direct {}

contract FailTest is Fail {}

contract FailDeepTest is FailDeep {}

contract FreeTest is Free {}

contract InheritTest is Inherit {}

contract ModifiersTest is ModifiersOverridden {}

contract OddTest is Odd {}

contract OutsideTest is Outside {}

contract PlacesTest is Places {}

contract PointersTest is Pointers {}

contract PointersMoreTest is PointersMore {}

contract PointersPlacesTest is PointersPlaces {}
