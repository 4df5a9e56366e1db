"""Source text that runs in a sandboxed session to read and describe a seed's files; the host never imports it."""
