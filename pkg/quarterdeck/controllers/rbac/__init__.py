"""What a server does for its roles: it makes those that every cluster has, and keeps aggregated ones complete."""
