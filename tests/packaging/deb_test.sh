#!/bin/sh
# lintian finds no error in the .deb that CPack makes, nor in the source package of packaging/debian; and the .deb has what
# it should, working.
#
# Usage: deb_test.sh BUILD SOURCE
set -eu
for program in lintian dpkg-deb dpkg-source; do
  command -v $program >/dev/null || { echo "skipped: there is no $program"; exit 77; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
check() {
  lintian --allow-root --fail-on error "$1" >"$folder/lintian" 2>&1 || { grep '^E' "$folder/lintian"; exit 1; }
}

cpack -G DEB --config "$1/CPackConfig.cmake" -B "$folder/cpack" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
deb=$(echo "$folder"/cpack/detshim_*.deb)
check "$deb"
dpkg-deb -x "$deb" "$folder/root"
draw() { "$folder/root/usr/bin/detshim" run --quiet --seed 42 --log "$folder/records" -- od -An -N8 -tx1 /dev/urandom; }
[ "$(draw)" = "$(draw)" ] || { echo "the packaged command does not find its library"; exit 1; }
case $(dpkg-deb -f "$deb" Depends) in
*libc6*libdw1*) ;;
*) echo "it depends on $(dpkg-deb -f "$deb" Depends)"; exit 1 ;;
esac

# The source package: of what is in the working tree.
version=$(sed -n '1s/.*(\(.*\)-.*/\1/p' "$2/packaging/debian/changelog")
git -c safe.directory="$2" -C "$2" archive --prefix="detshim-$version/" -o "$folder/detshim_$version.orig.tar.gz" HEAD 2>/dev/null ||
  { echo "skipped: the source package; this is no git repository"; exit 0; }
tar -C "$folder" -xf "$folder/detshim_$version.orig.tar.gz"
cp -r "$2/packaging/debian" "$folder/detshim-$version/"
(cd "$folder" && dpkg-source -b "detshim-$version" >"$folder/log" 2>&1) || { cat "$folder/log"; exit 1; }
check "$folder/detshim_$version-1.dsc"
