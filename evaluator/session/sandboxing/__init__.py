"""Sandboxes: which one works here, how processes of ours start in it, and with which Python."""
