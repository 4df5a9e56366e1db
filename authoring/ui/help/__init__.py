"""Help inside the app: the tour, the documentation, the guide beside the work, the keys."""
