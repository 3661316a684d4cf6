"""The window: its start, its menus, the strips over its pages, and how a campaign ends in it."""
