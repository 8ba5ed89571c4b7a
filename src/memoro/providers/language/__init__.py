"""Language models: asked for choices among what Memoro lays before them, never for prose to be written."""
