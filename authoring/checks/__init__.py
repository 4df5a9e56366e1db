"""Quality gates of problemsets."""
