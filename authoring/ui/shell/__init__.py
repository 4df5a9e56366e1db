"""The app around its pages: server, frame, sign-in, navigation, timing."""
