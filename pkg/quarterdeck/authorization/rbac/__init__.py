"""Role-based access control: who may do what, by the stored roles and bindings."""
