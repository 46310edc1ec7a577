"""Services, as data: defaulted, checked, given cluster addresses and node ports; nothing routes to them."""
