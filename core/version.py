"""The version of askwire, read by the build and shown by `askwire --version`."""

VERSION = "0.1.0"
