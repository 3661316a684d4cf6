"""The page of a store's cycles."""
