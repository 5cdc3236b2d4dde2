"""All input and output: Kubernetes, the store, the simulator, HTTP, the command line."""
