#!/bin/sh
# Lays out the root of a container that holds nothing but Plat: image-root.sh BINARY FOLDER. No shell is in it, and no package manager;
# the C library comes from the system that this runs on.
set -eu

binary=$1
to=$2

mkdir -p "$to/usr/bin" "$to/etc" "$to/data" "$to/tmp" "$to/proc" "$to/dev"
chmod 1777 "$to/tmp"
install -m 755 "$binary" "$to/usr/bin/plat"

# The loader and the libraries, each where the loader looks for it.
ldd "$binary" | grep -o '/[^ ]*' | sort -u | while read -r library; do
  install -D -m 755 "$library" "$to$library"
done

printf 'plat:x:65532:65532:Plat:/data:/nonexistent\n' >"$to/etc/passwd"
printf 'plat:x:65532:\n' >"$to/etc/group"
printf 'hosts: files dns\n' >"$to/etc/nsswitch.conf"
