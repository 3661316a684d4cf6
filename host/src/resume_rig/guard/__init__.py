"""Who may reach what this project serves over TCP; every listener of it goes through here."""
