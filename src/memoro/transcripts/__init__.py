"""What did the agents say? One reader for each format of conversation log; logs are read and never changed."""
