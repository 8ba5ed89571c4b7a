"""Where is state kept? One port, several stores behind it."""
