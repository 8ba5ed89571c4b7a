"""What agents are offered over the Model Context Protocol, and how they are taught to use it."""
