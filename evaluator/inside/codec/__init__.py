"""Values as inert bytes and back, without pickle."""
