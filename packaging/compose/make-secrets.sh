#!/bin/sh
# Makes up the passwords and the key of compose.yaml, each in a file beside it, once. Keep a copy of secrets/encryption_key elsewhere:
# without it the credentials in a backup are lost.
set -eu

cd "$(dirname "$0")"
if [ -e secrets ]; then
  echo 'secrets is there already; nothing was changed' >&2
  exit 1
fi

random() { od -An -v -N32 -tx1 /dev/urandom | tr -d ' \n'; }

umask 077
mkdir secrets.new
postgres=$(random)
valkey=$(random)
printf '%s' "$postgres" >secrets.new/postgres_password
printf 'postgres://plat:%s@postgres:5432/plat' "$postgres" >secrets.new/database_url
printf '%s' "$valkey" >secrets.new/valkey_password
printf 'redis://:%s@valkey:6379/0' "$valkey" >secrets.new/valkey_url
printf 'requirepass %s\nsave 60 1\nappendonly no\ndir /data\n' "$valkey" >secrets.new/valkey_conf
random >secrets.new/encryption_key
# The folder keeps others out. Inside of the containers the files are read by users of their own.
chmod 644 secrets.new/*
mv secrets.new secrets
