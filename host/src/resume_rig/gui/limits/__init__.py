"""The page of limits and budgets."""
