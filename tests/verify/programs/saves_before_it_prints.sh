starts=$1
echo >> "$starts"
set -- $(cat ckpt 2>/dev/null || echo 0)
i=$1
while [ $i -lt 6 ]; do
  i=$((i + 1))
  echo $i > ckpt
  [ $i = 3 ] && {
    echo saved
    [ $(wc -l < "$starts") = 3 ] && sleep 1000
  }
  echo loss=$i
done
true
