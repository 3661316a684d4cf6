"""What a DUT should be like before it is measured: read only, and never changed from here."""
