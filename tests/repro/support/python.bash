# python.bash — sets `python` to an interpreter that reads HDF5 (python3-h5py).
python=""
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import h5py, numpy' 2>/dev/null; then python=$candidate; break; fi
done
[ -n "$python" ] || { echo "this test needs python3-h5py (tools/install-deps.sh test)"; exit 1; }
