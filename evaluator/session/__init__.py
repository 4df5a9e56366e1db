"""The host's side of sessions, trials and sandboxes."""
