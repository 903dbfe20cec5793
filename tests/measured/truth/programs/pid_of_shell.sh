# the process id itself
echo $$
