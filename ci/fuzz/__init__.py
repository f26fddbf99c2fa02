"""A mutation fuzzer: valid inputs, broken by bytes and by structure, through every command.

`values` and `mutate` say what is odd, `odd_graphs`, `odd_runs` and `inputs` make files of it, `options` command lines;
`cases` joins both, `run` runs a case in forks, `judge` says what is a fault, and `shrink` makes a kept case small.
"""
