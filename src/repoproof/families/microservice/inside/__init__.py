"""What runs in the test-side sandbox: the standard library and pytest only; nothing of RepoProof is there."""
