"""HTTP: health for the kubelet and for people."""
