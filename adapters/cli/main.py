"""All commands of `warmlog`, and what is documented of them."""

from importlib import import_module

from adapters.cli import databases
from adapters.cli.entering import MODULES, main, new_app

__all__ = ["app", "main"]

app = new_app()
for module in MODULES.values():
    import_module(f"adapters.cli.{module}").register(app)
app.add_typer(databases.app, name="db")


if __name__ == "__main__":
    main()
