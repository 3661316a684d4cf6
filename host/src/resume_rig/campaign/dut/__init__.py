"""The DUT's OS and supply beside a campaign: its shell, its logs, the user's own programs."""
