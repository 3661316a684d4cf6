"""What the application shows, free of Qt: pure folds, tables and drafts."""
