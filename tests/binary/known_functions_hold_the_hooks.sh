#!/bin/sh
# Every hook of a CUDA library is among the functions that `detshim log` knows, else its library would count as new; and
# every function that has no hook, or one of the action none, which takes fingerprints alone, says by its class why it needs none, or that a program which uses it is unverified.
# Functions of versions that are old by now are there too.
status=0
for list in "$3"/tools/known_functions/*.txt; do
  library=$(basename "$list" .txt)
  hooks=$("$2" hooks | awk -v library="$library" '$1 == library && $3 != "none" {print $2}')
  [ -n "$hooks" ] || { echo "$list: detshim has no hook of $library"; status=1; }
  echo "$hooks" | awk -v list="$list" '
    FNR == NR { hooked[$1] = 1; next }
    FNR == 1 {
      if ($0 !~ /^versions( [0-9.]+)+$/) { print list ": no versions: " $0; bad = 1 }
      next
    }
    /^class / {
      if ($0 !~ /^class [a-z_]+ (harmless|told|unverified): .{10}/) { print list ": no class: " $0; bad = 1 }
      reason[$2] = 1
      next
    }
    {
      listed[$1] = 1
      if (NF != 2 && $3 !~ /^(older|[0-9.]*\.\.[0-9.]*(,[0-9.]*\.\.[0-9.]*)*)$/) {
        print list ": a function, its class and its versions expected: " $0; bad = 1
      }
      else if ($2 == "hooked" && !($1 in hooked)) { print list ": " $1 " has no hook"; bad = 1 }
      else if ($2 != "hooked" && $1 in hooked) { print list ": " $1 " is hooked, not " $2; bad = 1 }
      else if ($2 != "hooked" && !($2 in reason)) { print list ": " $1 " is of a class without a reason: " $2; bad = 1 }
      else used[$2] = 1
    }
    END {
      for (hook in hooked) if (!(hook in listed)) { print list " lacks " hook ": run tools/known_functions/update"; bad = 1 }
      for (name in reason) if (!(name in used)) { print list ": no function is of the class " name; bad = 1 }
      exit bad
    }' - "$list" || status=1
done

# What PyTorch 2.3 for CUDA 12.1 is linked to, and what later libraries do not have any more.
for function in cudnnGetRNNLinLayerBiasParams cudnnGetRNNLinLayerMatrixParams cudnnGetRNNParamsSize \
  cudnnGetRNNTrainingReserveSize cudnnGetRNNWorkspaceSize cudnnRNNBackwardData cudnnRNNBackwardWeights \
  cudnnRNNForwardInference cudnnRNNForwardTraining cudnnSetRNNDescriptor_v6 cudnnSetRNNMatrixMathType \
  cudnnSetRNNProjectionLayers; do
  grep -q "^$function " "$3/tools/known_functions/cudnn.txt" || { echo "cudnn.txt lacks $function of cuDNN 8"; status=1; }
done
exit $status
