"""The dashboard: a page for each kind of question, in the order in which one asks them.

`lenshouse dashboard` starts it; the warehouse is that of LENSHOUSE_WAREHOUSE.
"""

from pathlib import Path

import streamlit as st

from dashboard import states
from dashboard.data import house
from warehouse.errors import LenshouseError

PAGES = {
    "overview": ("Overview", ":material/dashboard:"),
    "sentence": ("Sentence", ":material/grid_on:"),
    "change": ("Change", ":material/show_chart:"),
    "correlations": ("Correlations", ":material/scatter_plot:"),
    "seeds": ("Seeds and sizes", ":material/hub:"),
    "patterns": ("Patterns", ":material/category:"),
    "parameters": ("Parameters", ":material/data_array:"),
    "compare": ("Compare runs", ":material/compare_arrows:"),
    "sql": ("SQL", ":material/terminal:"),
}
"""Files of `pages`, with their titles and icons."""


def main() -> None:
    st.set_page_config(page_title="Lenshouse", page_icon=":material/lens_blur:", layout="wide")
    folder = Path(__file__).parent / "pages"
    page = st.navigation(
        [
            st.Page(folder / f"{name}.py", title=title, icon=icon, default=number == 0)
            for number, (name, (title, icon)) in enumerate(PAGES.items())
        ]
    )
    st.title(page.title, anchor=False)
    with st.sidebar:
        st.caption("Warehouse")
        st.text(str(house().path))
    try:
        page.run()
    except LenshouseError as error:
        states.failed(error)


if __name__ == "__main__":  # Streamlit runs it as the main program
    main()
