run="$DETSHIM run --quiet --seed 42 --library $LIBRARY --"
count() { ls -d "$1"/detshim-log/2* | wc -l; }
mkdir plain exported batch array salloc
(cd plain; $run srun -n3 -O $DRAW plain)
(cd salloc; salloc -n2 -O $run sh -c "srun -n3 -O $DRAW salloc" 2>/dev/null)
(cd exported; DETSHIM_QUIET=1 srun -n3 -O --export=LD_PRELOAD=$LIBRARY,DETSHIM_SEED=42,DETSHIM_QUIET=1,PATH $DRAW exported
 echo "runs $(count .)"; $DETSHIM log --check >log; echo "status $?"; grep -o '3 ranks' log)
cd batch
printf '#!/bin/sh\n%s sh -c "srun -n3 -O $DRAW step; srun -n3 -O $DRAW next"\n' "$run" >script
sbatch -W -n3 -O -o out script >/dev/null; cat out
cd ../array
printf '#!/bin/sh\n%s $DRAW array\n' "$run" >script
sbatch -W --array=1-3 -n1 -O -o out.%a script >/dev/null; cat out.*
sbatch -W --array=1-3 -n1 -O -o again.%a script >/dev/null; cat again.* | sed s/array/again/
