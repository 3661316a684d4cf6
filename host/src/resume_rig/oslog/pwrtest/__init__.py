"""PwrTest's logs, and S3Resume's output, which reads them."""
