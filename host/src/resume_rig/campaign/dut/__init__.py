"""The DUT's OS and supply of a campaign: its shell, its logs, the user's own programs."""
