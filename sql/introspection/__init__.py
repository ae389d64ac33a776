"""From the system catalogs to a `Catalog`: the statements that read them, and what their rows mean.

Owns: the statements (`queries`, `attachments`, `plain`), and what rows say of relations (`catalog_rows`), of
what hangs on them (`attached`) and of what reading them can reach (`reach`).
"""
