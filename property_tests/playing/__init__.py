"""Stories of simulated worlds: drawn from a seed or by Hypothesis, played, shrunk and saved."""
