"""A place for Python that a model has written: it computes over the tables it is given, and reaches nothing.

Owns: processes (nothing else of the selector does). `running` is the side of the server, `zygote` the process
that waits with pandas imported and forks one child per run, `kernel` the layers that hold a child, `static` a
look at the text, for errors a model can act on: it is no boundary. Fail closed: where the layers of the
kernel do not hold, nothing runs.

Nothing is imported here: the zygote imports its modules without the rest of askwire.
"""
