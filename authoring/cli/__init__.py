"""The benchwright command."""
