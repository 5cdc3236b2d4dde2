"""What `warmlog record` is made of: a witness of a live cluster that changes nothing in it."""
