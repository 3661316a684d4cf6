"""What a campaign is to do: plans, their states, variations and stop rules."""
