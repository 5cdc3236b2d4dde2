"""Running: the loop's impure half. It takes observations in, appends, and only then acts."""
