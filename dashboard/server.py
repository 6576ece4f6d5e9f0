"""Start the dashboard's server: on this machine only unless told otherwise, with one theme in light and in dark."""

import os
from pathlib import Path
from typing import Any, Final

OPTIONS: Final[dict[str, Any]] = {
    "browser.gatherUsageStats": False,
    "client.showErrorDetails": "type",  # the whole traceback is on the terminal
    "client.toolbarMode": "viewer",
    "global.disableWidgetStateDuplicationWarning": True,  # a page may set a filter, as to a sentence that was typed
    "runner.magicEnabled": False,
    "server.fileWatcherType": "none",
    "theme.primaryColor": "#0072B2",
    "theme.baseRadius": "small",
    "theme.showWidgetBorder": True,
    "theme.headingFontSizes": ["1.75rem", "1.375rem", "1.125rem", "1rem", "0.9rem", "0.875rem"],
    "theme.headingFontWeights": [600, 600, 600, 600, 600, 600],
    "theme.paddingTop": "2rem",
    "theme.light.backgroundColor": "#ffffff",
    "theme.light.secondaryBackgroundColor": "#f4f6f8",
    "theme.light.textColor": "#1f2933",
    "theme.dark.backgroundColor": "#14181d",
    "theme.dark.secondaryBackgroundColor": "#1d2329",
    "theme.dark.textColor": "#e4e8ec",
    "theme.dark.primaryColor": "#56B4E9",
}


HOST: Final = "LENSHOUSE_DASHBOARD_HOST"
"""Environment variable with the address that is listened on: pages that write ask for it."""


def serve(warehouse: Path, *, host: str, port: int, headless: bool) -> None:
    """Serve pages about `warehouse` until the process is stopped."""
    from streamlit.web import bootstrap

    os.environ["LENSHOUSE_WAREHOUSE"] = str(warehouse.absolute())
    os.environ[HOST] = host
    flags = OPTIONS | {"server.address": host, "server.port": port, "server.headless": headless}
    options = {name.replace(".", "_"): value for name, value in flags.items()}
    bootstrap.load_config_options(options)
    bootstrap.run(str(Path(__file__).parent / "script" / "lenshouse_pages.py"), False, [], options)
