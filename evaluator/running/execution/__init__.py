"""How a problemset is executed: the reference state, the agents beside it, and the judged attempts."""
