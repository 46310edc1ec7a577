"""The flow schemas and priority levels that every server has, and what schemas say of their levels."""
