"""What Streamlit runs, in a folder of its own: one with a folder `pages` beside it would be served file by file to whoever
opens a link to a page before anybody has seen the first one, and the folder comes first among those of modules."""

from dashboard.app import main

main()
