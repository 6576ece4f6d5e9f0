"""Which linguistic patterns does the feed-forward network amplify? By layer, relation and part of speech; the pairs."""

import streamlit as st

from dashboard import filters
from dashboard.pattern_figures import effects, mixing, pairs

with st.container(horizontal=True, vertical_alignment="bottom"):
    run = filters.one_run(filters.runs())
    is_lift = filters.switch("Number", ("effect", "lift"), key="number") == "lift"
effects(run, "lift" if is_lift else "effect")
st.divider()
pairs(run)
st.divider()
mixing(run)
