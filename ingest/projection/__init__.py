"""Parameters read as vocabulary items (Dar et al. 2023): vectors of a model's matrices times its output embeddings."""
