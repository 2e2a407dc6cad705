"""Charts: plain records in, Plotly figures out. Nothing in here knows Streamlit."""
