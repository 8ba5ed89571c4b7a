"""The tools, resources and prompts for agents over the Model Context Protocol."""
