"""The Settings page: people, choices, models, environments, and the upkeep of the workspace."""
