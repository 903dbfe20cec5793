starts=$1 forgotten=$2
echo >> "$starts"
set -- $(cat ckpt 2>/dev/null || echo 0 0)
step=$1
sum=${forgotten:-$2}
while [ $step -lt 6 ]; do
  step=$((step + 1))
  sum=$((sum + step))
  echo $step $sum > new
  mv new ckpt
  echo loss=$sum
  [ $step = 3 ] && [ $(wc -l < "$starts") = 3 ] && sleep 1000
done
true
