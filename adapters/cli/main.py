"""All commands of `warmlog`, and what is documented of them."""

from adapters.cli import (
    charting,
    comparing,
    databases,
    demonstrating,
    diagrams,
    explaining,
    exporting,
    importing,
    linting,
    planning,
    recording_clusters,
    replaying,
    retrying,
    running,
    supposing,
    uninstalling,
    validating,
    verifying,
    watching,
)
from adapters.cli.entering import main, new_app

__all__ = ["app", "main"]

app = new_app()
for group in (
    running,
    demonstrating,
    recording_clusters,
    replaying,
    explaining,
    watching,
    charting,
    validating,
    planning,
    retrying,
    verifying,
    comparing,
    linting,
    supposing,
    exporting,
    importing,
    diagrams,
    uninstalling,
):
    group.register(app)
app.add_typer(databases.app, name="db")


if __name__ == "__main__":
    main()
