{ let a := calldataload(0)
for{}a{}{for{}a{}{for{}a{}{for{}a{}{for{}a{}{for{}a{}{for{}a{}{for{}a{}{for{}a{}{for{}a{}{for{}a{}{for{}a{}{for{}a{}{for{}a{}{for{}a{}{for{}a{}{
for{}a{}{for{}a{}{for{}a{}{for{}a{}{for{}a{}{for{}a{}{for{}a{}{for{}a{}{for{}a{}{for{}a{}{for{}a{}{for{}a{}{for{}a{}{for{}a{}{for{}a{}{for{}a{}{
sstore(a, a) a := sload(a)
}}}}}}}}}}}}}}}}
}}}}}}}}}}}}}}}}
}
