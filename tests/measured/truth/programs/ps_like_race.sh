# two processes that append to one file
for i in 1 2 3 4 5 6; do (seq 1 3000 | sha256sum >/dev/null; echo $i >>order) & done; wait; cat order; rm order
