"""The timeline page: a log laid out for the eye, as JSON and as one HTML file."""
