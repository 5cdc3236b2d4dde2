"""Manifests: files of YAML or JSON as a user writes them, read as kubectl would read them."""
