// Contracts with the layouts of their storage, as solc states them: one JSON object a line with `name`, `mode`,
// `runtime` and `layout`, for bench/peers/signatures.py.
// usage: node layouts.cjs NODE_MODULES [FILE.sol…] > layouts.jsonl
// NODE_MODULES holds `solc` and the packages that are compiled: `@openzeppelin/contracts` for the wrappers below,
// and those of the files, named by their paths in it (solmate/src/tokens/WETH.sol).
const fs = require("fs");
const path = require("path");

const modules = path.resolve(process.argv[2]);
const solc = require(path.join(modules, "solc"));

const WRAPPERS = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
import "@openzeppelin/contracts/token/ERC20/extensions/ERC20Votes.sol";
import "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import "@openzeppelin/contracts/token/ERC20/extensions/ERC20Pausable.sol";
import "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import "@openzeppelin/contracts/token/ERC721/extensions/ERC721Enumerable.sol";
import "@openzeppelin/contracts/token/ERC721/extensions/ERC721URIStorage.sol";
import "@openzeppelin/contracts/token/ERC721/extensions/ERC721Royalty.sol";
import "@openzeppelin/contracts/token/ERC1155/extensions/ERC1155Supply.sol";
import "@openzeppelin/contracts/token/ERC1155/extensions/ERC1155URIStorage.sol";
import "@openzeppelin/contracts/access/Ownable2Step.sol";
import "@openzeppelin/contracts/access/extensions/AccessControlEnumerable.sol";
import "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import "@openzeppelin/contracts/access/manager/AccessManager.sol";
import "@openzeppelin/contracts/governance/TimelockController.sol";
import "@openzeppelin/contracts/governance/extensions/GovernorSettings.sol";
import "@openzeppelin/contracts/governance/extensions/GovernorCountingSimple.sol";
import "@openzeppelin/contracts/governance/extensions/GovernorVotes.sol";
import "@openzeppelin/contracts/finance/VestingWallet.sol";
contract WVotes is ERC20Votes, ERC20Permit, Ownable2Step { constructor() ERC20("a","b") ERC20Permit("a") Ownable(msg.sender) {} 
 function _update(address f,address t,uint256 v) internal override(ERC20,ERC20Votes) { super._update(f,t,v); } function nonces(address o) public view override(ERC20Permit,Nonces) returns(uint256){return super.nonces(o);} function mint(address a,uint256 v) external onlyOwner {_mint(a,v);} }
contract WPause is ERC20Pausable, Ownable { constructor() ERC20("a","b") Ownable(msg.sender) {} function pause() external onlyOwner {_pause();} function unpause() external onlyOwner {_unpause();} }
contract W4626 is ERC4626 { constructor(IERC20 a) ERC20("a","b") ERC4626(a) {} }
contract W721 is ERC721Enumerable, Ownable { uint256 next; string base; constructor() ERC721("a","b") Ownable(msg.sender) {} function mint() external { _safeMint(msg.sender, next++); } function setBase(string calldata s) external onlyOwner { base=s; } function _baseURI() internal view override returns(string memory){return base;} }
contract W721U is ERC721URIStorage { constructor() ERC721("a","b") {} function m(uint256 i,string calldata u) external {_mint(msg.sender,i); _setTokenURI(i,u);} }
contract W721R is ERC721Royalty { constructor() ERC721("a","b") {} function r(address a,uint96 f) external {_setDefaultRoyalty(a,f); _setTokenRoyalty(1,a,f);} }
contract W1155 is ERC1155Supply { constructor() ERC1155("u") {} function m(uint256 i,uint256 n) external {_mint(msg.sender,i,n,"");} function s(string calldata u) external {_setURI(u);} }
contract W1155U is ERC1155URIStorage { constructor() ERC1155("u") {} function m(uint256 i,string calldata n) external {_setURI(i,n);_setBaseURI(n);} }
contract WAccess is AccessControlEnumerable { constructor() {_grantRole(DEFAULT_ADMIN_ROLE,msg.sender);} }
contract WAdmin is AccessControlDefaultAdminRules { constructor() AccessControlDefaultAdminRules(1 days,msg.sender) {} }
contract WGov is GovernorSettings, GovernorCountingSimple, GovernorVotes { constructor(IVotes t) Governor("g") GovernorSettings(1,2,3) GovernorVotes(t) {} 
 function votingDelay() public view override(Governor,GovernorSettings) returns(uint256){return super.votingDelay();} function votingPeriod() public view override(Governor,GovernorSettings) returns(uint256){return super.votingPeriod();} function proposalThreshold() public view override(Governor,GovernorSettings) returns(uint256){return super.proposalThreshold();} function quorum(uint256) public pure override returns(uint256){return 1;} }
`;
// Forms that layouts can have.
const FORMS = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
contract Forms {
  struct P { address who; uint64 when; bool on; uint256 amount; bytes32 id; }
  struct Q { uint128 a; uint128 b; mapping(address => uint256) per; uint256[] list; }
  address owner; uint64 start; bool open; uint8 kind;
  uint256 total; int128 delta; uint128 cap;
  mapping(address => uint256) balances; mapping(address => mapping(address => uint256)) allowed;
  mapping(uint256 => P) people; mapping(bytes32 => Q) qs; mapping(string => uint256) byName;
  uint256[] list; address[] users; P[] all; uint8[] small; uint256[4] fixedList; uint64[8] packedList;
  string name; bytes data; mapping(uint256 => string) names; mapping(address => uint256[]) lists; P one; bytes4 sig; bytes32 root;
  mapping(address => mapping(uint256 => mapping(bool => uint16))) deep; uint256[][] grid; mapping(uint256 => bool) flags; int64 last; address[3] trio;
  function f1(address a,uint64 b,bool c,uint8 d) external { owner=a; start=b; open=c; kind=d; }
  function g1() external view returns(address,uint64,bool,uint8) { return (owner,start,open,kind); }
  function f2(int128 a,uint128 b) external { total+=1; delta=a; cap=b; }
  function g2() external view returns(uint256,int128,uint128) { return (total,delta,cap); }
  function f3(address a,uint256 v) external { balances[msg.sender]-=v; balances[a]+=v; allowed[msg.sender][a]=v; }
  function g3(address a,address b) external view returns(uint256,uint256) { return (balances[a],allowed[a][b]); }
  function f4(uint256 i,P calldata p) external { people[i]=p; all.push(p); one=p; }
  function g4(uint256 i) external view returns(P memory,P memory,P memory) { return (people[i],all[i],one); }
  function f5(bytes32 k,address a,uint128 v) external { qs[k].a=v; qs[k].b=v; qs[k].per[a]=v; qs[k].list.push(v); }
  function g5(bytes32 k,uint256 i) external view returns(uint128,uint256) { return (qs[k].b, qs[k].list[i]); }
  function f6(string calldata s,bytes calldata b) external { byName[s]=1; name=s; data=b; names[3]=s; }
  function g6(string calldata s) external view returns(uint256,string memory,bytes memory,string memory) { return (byName[s],name,data,names[3]); }
  function f7(uint256 v,address a) external { list.push(v); users.push(a); small.push(uint8(v)); fixedList[v]=v; packedList[v]=uint64(v); lists[a].push(v); grid.push(); grid[v].push(v); trio[v]=a; }
  function g7(uint256 v,address a) external view returns(uint256,address,uint8,uint256,uint64,uint256,uint256,address) { return (list[v],users[v],small[v],fixedList[v],0,0,0,address(0)); }
  function h7(uint256 v,address a) external view returns(uint64,uint256,uint256,address) { return (packedList[v],lists[a][v],grid[v][v],trio[v]); }
  function f8(address a,uint256 i,bool b,uint16 v) external { deep[a][i][b]=v; flags[i]=b; sig=bytes4(bytes32(i)); root=bytes32(i); last=int64(int256(i)); }
  function g8(address a,uint256 i,bool b) external view returns(uint16,bool,bytes4,bytes32,int64) { return (deep[a][i][b],flags[i],sig,root,last); }
  function del(uint256 i) external { delete people[i]; delete list; users.pop(); delete name; }
}
`;

const sources = { "Wrappers.sol": WRAPPERS, "Forms.sol": FORMS };
// Published sources name the compilers of their time.
const read = (file) => fs.readFileSync(path.join(modules, file), "utf8").replace(/pragma solidity [^;]*;/g, "pragma solidity >=0.8.0;");
const find = (file) => {
  try {
    return { contents: read(file) };
  } catch (error) {
    return { error: String(error) };
  }
};
for (const file of process.argv.slice(3)) sources[file] = read(file);
const modes = {
  legacy: { optimizer: { enabled: true, runs: 200 } },
  ir: { optimizer: { enabled: true, runs: 200 }, viaIR: true },
  plain: { optimizer: { enabled: false } },
};
for (const [file, content] of Object.entries(sources)) {
  for (const [mode, settings] of Object.entries(modes)) {
    const outputSelection = { "*": { "*": ["evm.deployedBytecode.object", "storageLayout"] } };
    const input = { language: "Solidity", sources: { [file]: { content } }, settings: { ...settings, outputSelection } };
    const output = JSON.parse(solc.compile(JSON.stringify(input), { import: find }));
    const errors = (output.errors || []).filter((error) => error.severity === "error");
    if (errors.length > 0) {
      console.error(`skipped: ${file}, ${mode}: ${errors[0].formattedMessage.split("\n")[0]}`);
      continue;
    }
    for (const [name, contract] of Object.entries(output.contracts[file] || {})) {
      const runtime = contract.evm.deployedBytecode.object.replace(/__\$[0-9a-f]*\$__/g, "0".repeat(40));
      const layout = contract.storageLayout;
      if (runtime && layout && layout.storage.length > 0) {
        console.log(JSON.stringify({ name: `${file}:${name}`, mode, runtime, layout }));
      }
    }
  }
}
