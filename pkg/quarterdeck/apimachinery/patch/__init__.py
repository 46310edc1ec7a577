"""The three patch formats on decoded JSON values: JSON patch, merge patch, strategic merge patch. No I/O."""
