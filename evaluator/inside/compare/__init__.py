"""The comparator process: two decoded outcomes compared, by sound or by published rules."""
