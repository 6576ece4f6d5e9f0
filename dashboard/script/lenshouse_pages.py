"""What Streamlit runs, in a folder of its own, which comes first on sys.path.

With a folder `pages` beside it, Streamlit would run a page's file alone for whoever opens a link to a page first.
"""

from dashboard.app import main

main()
