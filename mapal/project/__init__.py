"""What a user's directory says: the project file, and arrays in and out of programs."""
