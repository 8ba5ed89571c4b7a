"""*Today* and *Review* inside a host, as MCP Apps: what they show, who may decide, and the document that is shown."""
