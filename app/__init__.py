"""The dashboard: shows what traffic_model predicts and numba_kernels counts and times. `streamlit run app/main.py`."""
