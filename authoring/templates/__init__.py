"""The template author: drafts without a language model."""
