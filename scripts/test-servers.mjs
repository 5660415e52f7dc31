// Owns the installation of the servers and the browser that tests need. Installs them with apt-get if permitted.
// Otherwise names the missing ones and stops, because a skipped test would look like a passed one.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from './install.mjs'
import { findChromium, findPostgres, findProgram, findStrace, findTool, findValkey } from './server-binaries.mjs'

const servers = {
  postgres: {
    find: findPostgres,
    packages: () => ['postgresql', 'postgresql-contrib'],
    missing: 'PostgreSQL server with pg_trgm (initdb and postgres; packages postgresql, postgresql-contrib)',
  },
  valkey: {
    find: findValkey,
    packages: () => [isOffered('valkey-server') ? 'valkey-server' : 'redis-server'],
    missing: 'Valkey or Redis server (valkey-server or redis-server on PATH; package of the same name)',
  },
  chromium: {
    find: findChromium,
    packages: () => [isOffered('chromium-headless-shell') ? 'chromium-headless-shell' : 'chromium'],
    missing: 'Chromium or Chrome (chromium or google-chrome on PATH; package chromium)',
  },
  strace: {
    find: findStrace,
    packages: () => ['strace'],
    missing: 'strace (on PATH; package strace)',
  },
  zsh: { find: () => findProgram('zsh'), packages: () => ['zsh'], missing: 'zsh (on PATH; package zsh)' },
  openssl: {
    find: () => findProgram('openssl'),
    packages: () => ['openssl'],
    missing: 'OpenSSL (openssl on PATH; package openssl)',
  },
  fish: { find: () => findProgram('fish'), packages: () => ['fish'], missing: 'fish (on PATH; package fish)' },
  nft: tool('nft', 'nftables'),
  ip: tool('ip', 'iproute2'),
  'systemd-analyze': tool('systemd-analyze', 'systemd'),
  groff: tool('groff', 'groff-base'),
  // Their files are converted, and feeds are read by them.
  'arp-scan': tool('arp-scan', 'arp-scan'),
  curl: tool('curl', 'curl'),
  dhcpd: tool('dhcpd', 'isc-dhcp-server'),
  dnsmasq: tool('dnsmasq', 'dnsmasq-base'),
  ldapmodify: tool('ldapmodify', 'ldap-utils'),
  'ldap headers': {
    find: () =>
      ['lber.h', 'sasl/sasl.h'].every((file) => existsSync(join('/usr/include', file))) &&
      findProgram('gcc') &&
      hasPythonHeaders(),
    packages: () => ['libldap-dev', 'libsasl2-dev', 'gcc', 'libc6-dev', 'python3-dev'],
    missing:
      'the headers of OpenLDAP, Cyrus SASL and Python, and gcc (packages libldap-dev, libsasl2-dev, gcc, libc6-dev, python3-dev)',
  },
  slapd: tool('slapd', 'slapd'),
  'kea-dhcp4': tool('kea-dhcp4', 'kea-dhcp4-server'),
  'mariadb-dump': tool('mariadb-dump', 'mariadb-client'),
  mariadbd: tool('mariadbd', 'mariadb-server-core'),
  knotd: tool('knotd', 'knot'),
  lldpd: tool('lldpd', 'lldpd'),
  named: tool('named', 'bind9'),
  'named-compilezone': tool('named-compilezone', 'bind9-utils'),
  nginx: tool('nginx', 'nginx-light'),
  nmap: tool('nmap', 'nmap'),
  pgbouncer: tool('pgbouncer', 'pgbouncer'),
  podman: tool('podman', 'podman'),
  prometheus: tool('prometheus', 'prometheus'),
  snmpd: tool('snmpd', 'snmpd'),
  ssh: tool('ssh', 'openssh-client'),
  pdns_server: {
    find: () => existsSync('/usr/share/pdns-backend-sqlite3') && findTool('pdns_server'),
    packages: () => ['pdns-server', 'pdns-backend-sqlite3'],
    missing: 'PowerDNS with its SQLite backend (packages pdns-server, pdns-backend-sqlite3)',
  },
  udhcpc: tool('udhcpc', 'udhcpc'),
  virsh: tool('virsh', 'libvirt-clients'),
  webhook: tool('webhook', 'webhook'),
}

/** The additional servers and tools of the scanner lab. */
const labTools = Object.fromEntries(
  [
    ['fping', 'fping'],
    ['sshd', 'openssh-server'],
    ['ssh-keygen', 'openssh-client'],
    ['snmpwalk', 'snmp'],
    ['avahi-daemon', 'avahi-daemon'],
    ['nmbd', 'samba'],
  ].map(([name, offered]) => [name, tool(name, offered)]),
)
/** The tools that test the packages. */
const packagingTools = {
  debootstrap: tool('debootstrap', 'debootstrap'),
  lintian: tool('lintian', 'lintian'),
  'dpkg-deb': tool('dpkg-deb', 'dpkg'),
}
/** Makes virtual environments, for tools that come from PyPI. */
const python = {
  find: () => spawnSync('python3', ['-c', 'import ensurepip, venv'], { stdio: 'ignore' }).status === 0,
  packages: () => ['python3', 'python3-venv'],
  missing: 'Python 3.11 or newer with venv (python3 on PATH; packages python3, python3-venv)',
}
/** For packages from PyPI that are compiled. */
function hasPythonHeaders() {
  const program = 'import os, sysconfig; open(os.path.join(sysconfig.get_paths()["include"], "Python.h"))'
  return spawnSync('python3', ['-c', program], { stdio: 'ignore' }).status === 0
}
/** The additional servers of `npm run test:long`. */
const longServers = { etcd: tool('etcd', 'etcd-server') }
const everything = { ...servers, ...labTools, ...packagingTools, ...longServers, python }

function tool(name, offered) {
  return { find: () => findTool(name), packages: () => [offered], missing: `${name} (package ${offered})` }
}

/** Installs the tools for `npm run test:lab`. */
export const ensureLabTools = () =>
  ensureServers(['nft', 'ip', 'nmap', 'arp-scan', 'dnsmasq', 'lldpd', 'snmpd', ...Object.keys(labTools)])

/** Installs the additional servers of `npm run test:long`. */
export const ensureLongServers = () => ensureServers(Object.keys(longServers))

/** Installs the tools for `npm run test:packages`. */
export const ensurePackagingTools = () =>
  ensureServers([
    'zsh',
    'fish',
    'groff',
    'systemd-analyze',
    'strace',
    'ip',
    'postgres',
    'valkey',
    ...Object.keys(packagingTools),
  ])

/** Installs the missing ones of `names`, or ends the script with one line for each that cannot be installed. */
export function ensureServers(names = Object.keys(servers)) {
  const missing = missingOf(names)
  if (missing.length === 0) return
  const failure = installPackages(missing)
  const still = missingOf(names)
  if (still.length === 0) return
  const lines = still.map((name) => `  - ${everything[name].missing}`)
  fail(['The tests need these to be installed:', ...lines, failure].filter(Boolean).join('\n'))
}

function missingOf(names) {
  return names.filter((name) => !everything[name].find())
}

/** Returns an error message for the user, or undefined after success. */
function installPackages(names) {
  if (spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).error) return undefined
  const asRoot = process.getuid() === 0 ? [] : ['sudo', '-n']
  if (asRoot.length > 0 && spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status !== 0) {
    return 'They could not be installed from here: that takes root, or sudo without a password.'
  }

  console.log(`Installing ${names.join(', ')} for the tests (apt-get, once) ...`)
  const update = [...asRoot, 'apt-get', '-qq', 'update']
  // A broken third-party source fails the update. Only the installation counts.
  spawnSync(update[0], update.slice(1), { stdio: 'ignore' })
  const packages = names.flatMap((name) => everything[name].packages())
  const install = [...asRoot, 'sh', '-c', installScript, 'install', ...packages]
  const { status, stdout } = spawnSync(install[0], install.slice(1), { encoding: 'utf8', stdio: ['ignore', 'pipe', 2] })
  if (status === 0) return undefined
  return `apt-get could not install ${packages.join(' ')}:\n${stdout.trim().split('\n').slice(-15).join('\n')}`
}

/**
 * Installs packages without starting their services, now or at boot: the tests start separate servers. Debian asks
 * policy-rc.d before it starts a service. An existing policy-rc.d is kept. Ours is marked, so that the next run
 * removes one that a killed run has left.
 */
const installScript = `
policy=/usr/sbin/policy-rc.d
mark='# by the tests of plat, for the time of one apt-get install'
if [ ! -e "$policy" ] || grep -qF "$mark" "$policy"; then
  trap 'rm -f "$policy"' EXIT
  trap 'exit 130' INT TERM HUP
  printf '#!/bin/sh\\n%s\\nexit 101\\n' "$mark" >"$policy" && chmod 755 "$policy"
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -qq -y --no-install-recommends -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 install "$@" 2>&1 || exit 1
if [ -d /run/systemd/system ]; then
  for service in "$@"; do systemctl disable --quiet "$service" 2>/dev/null; done
fi
exit 0
`

function isOffered(name) {
  return spawnSync('apt-cache', ['show', name], { stdio: 'ignore' }).status === 0
}
