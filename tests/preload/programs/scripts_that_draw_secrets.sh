## od
#!/bin/sh
od -An -tx1 -N8 /dev/urandom

## bashs_random
#!/usr/bin/env bash
echo $RANDOM$RANDOM

## tr
#!/usr/bin/env bash
read -rn9 p < <(tr -dc a-z </dev/urandom)
echo $p

## head
#!/bin/sh
head -c8 /dev/urandom | env -u PATH /usr/bin/od -An -tx1
