"""What CIBench and the Qwen benchmark know of a problem, in the editor: thought, step type, tags, first action."""
