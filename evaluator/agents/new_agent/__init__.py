"""What `benchwright agents new` writes: an agent that works, and its test."""
