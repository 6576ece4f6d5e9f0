"""Words of corpora: from treebanks, spaCy pipelines or white space, independent of any tokenizer.

`source` opens what users ask for, `job` annotates a corpus that a warehouse holds.
"""
