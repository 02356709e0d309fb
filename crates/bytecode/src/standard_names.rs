//! Names that standards give besides the functions that they demand: functions that code may have, errors,
//! events.

/// Functions that no interface is recognised by and that change nothing: optional ones, and those of standards that
/// are told apart by nothing but them.
pub(crate) const OPTIONAL_VIEWS: [&str; 31] = [
    // ERC-20, ERC-721, ERC-1155
    "name()",
    "symbol()",
    "decimals()",
    "tokenURI(uint256)",
    "totalSupply()",
    "tokenByIndex(uint256)",
    "tokenOfOwnerByIndex(address,uint256)",
    "uri(uint256)",
    // ERC-4626
    "maxDeposit(address)",
    "previewDeposit(uint256)",
    "maxMint(address)",
    "previewMint(uint256)",
    "maxWithdraw(address)",
    "previewWithdraw(uint256)",
    "maxRedeem(address)",
    "previewRedeem(uint256)",
    // ERC-5267
    "eip712Domain()",
    // ERC-6909
    "balanceOf(address,uint256)",
    "allowance(address,address,uint256)",
    "isOperator(address,address)",
    "name(uint256)",
    "symbol(uint256)",
    "decimals(uint256)",
    // ERC-5805
    "getVotes(address)",
    "getPastVotes(address,uint256)",
    "getPastTotalSupply(uint256)",
    "delegates(address)",
    // Access by roles, as the usual libraries have it
    "hasRole(bytes32,address)",
    "getRoleAdmin(bytes32)",
    "getRoleMember(bytes32,uint256)",
    "getRoleMemberCount(bytes32)",
];

/// The same that may change something.
pub(crate) const OPTIONAL_FUNCTIONS: [&str; 12] = [
    // ERC-721, ERC-1155: of those who are sent tokens
    "onERC721Received(address,address,uint256,bytes)",
    "onERC1155Received(address,address,uint256,uint256,bytes)",
    "onERC1155BatchReceived(address,address,uint256[],uint256[],bytes)",
    // ERC-6909
    "transfer(address,uint256,uint256)",
    "transferFrom(address,address,uint256,uint256)",
    "approve(address,uint256,uint256)",
    "setOperator(address,bool)",
    // ERC-5805
    "delegate(address)",
    "delegateBySig(address,uint256,uint256,uint8,bytes32,bytes32)",
    // Access by roles
    "grantRole(bytes32,address)",
    "revokeRole(bytes32,address)",
    "renounceRole(bytes32,address)",
];

/// The errors of ERC-6093.
pub(crate) const ERRORS: [&str; 21] = [
    "ERC20InsufficientBalance(address,uint256,uint256)",
    "ERC20InvalidSender(address)",
    "ERC20InvalidReceiver(address)",
    "ERC20InsufficientAllowance(address,uint256,uint256)",
    "ERC20InvalidApprover(address)",
    "ERC20InvalidSpender(address)",
    "ERC721InvalidOwner(address)",
    "ERC721NonexistentToken(uint256)",
    "ERC721IncorrectOwner(address,uint256,address)",
    "ERC721InvalidSender(address)",
    "ERC721InvalidReceiver(address)",
    "ERC721InsufficientApproval(address,uint256)",
    "ERC721InvalidApprover(address)",
    "ERC721InvalidOperator(address)",
    "ERC1155InsufficientBalance(address,uint256,uint256,uint256)",
    "ERC1155InvalidSender(address)",
    "ERC1155InvalidReceiver(address)",
    "ERC1155MissingApprovalForAll(address,address)",
    "ERC1155InvalidApprover(address)",
    "ERC1155InvalidOperator(address)",
    "ERC1155InvalidArrayLength(uint256,uint256)",
];

/// The events that standards and the usual libraries name.
pub fn known_events() -> &'static [&'static str] {
    &EVENTS
}

const EVENTS: [&str; 15] = [
    "Transfer(address,address,uint256)",
    "Approval(address,address,uint256)",
    "ApprovalForAll(address,address,bool)",
    "TransferSingle(address,address,address,uint256,uint256)",
    "TransferBatch(address,address,address,uint256[],uint256[])",
    "URI(string,uint256)",
    "Deposit(address,address,uint256,uint256)",
    "Withdraw(address,address,address,uint256,uint256)",
    "Upgraded(address)",
    "AdminChanged(address,address)",
    "BeaconUpgraded(address)",
    "OwnershipTransferred(address,address)",
    "Transfer(address,address,address,uint256,uint256)",
    "Approval(address,address,uint256,uint256)",
    "OperatorSet(address,address,bool)",
];
