/** Real servers on the hosts of the lab: OpenSSH, snmpd with lldpd, dnsmasq, avahi, Samba's nmbd. Of Debian packages. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSelfSigned } from '../../src/scanner/testing/listeners.ts'
import { waitUntil } from '../../src/scanner/testing/plans.ts'
import { TLS_HOSTS } from './banners.ts'
import type { Lab } from './lab.ts'

export const COMMUNITY = 'public'
export const SYS_DESCR = 'Cisco IOS Software, C2960 Software (C2960-LANBASEK9-M), Version 15.0(2)SE11'
export const SSH_HOSTS: readonly number[] = [10, 11, 12, 13, 14]
export const SNMP_HOSTS: readonly number[] = [30, 31, 32, 33, 34]
/** In the order in which they are tried; the agents do not know the first. */
export const SNMP_USERS = [
  { credentialId: 'none', username: 'nobody-there', authProtocol: 'SHA', privProtocol: 'AES', as: '' },
  {
    credentialId: 'new',
    username: 'newuser',
    authProtocol: 'SHA256',
    privProtocol: 'AES256',
    as: 'SHA-256 "authpass123" AES-256 "privpass123"',
  },
  {
    credentialId: 'inv',
    username: 'inv',
    authProtocol: 'SHA',
    privProtocol: 'AES',
    as: 'SHA "authpass123" AES "privpass123"',
  },
  {
    credentialId: 'old',
    username: 'olduser',
    authProtocol: 'MD5',
    privProtocol: 'DES',
    as: 'MD5 "authpass123" DES "privpass123"',
  },
] as const
export const DNS_HOST = 40
export const MDNS_HOST = 55
export const NETBIOS_HOST = 56

const ip = (host: number): string => `198.18.0.${host}`

export type Daemons = {
  readonly folder: string
  /** Path of a private key that root of the SSH hosts lets in. */
  readonly sshKey: string
  /** Resolves when they all listen. */
  readonly ready: () => Promise<void>
  readonly remove: () => void
}

const must = (command: readonly string[]): void => {
  const { exitCode, stderr } = Bun.spawnSync([...command])
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr.toString()}`)
}

const sshdConfig = (folder: string): string =>
  [
    ...SSH_HOSTS.map((host) => `ListenAddress ${ip(host)}`),
    `HostKey ${folder}/hostkey`,
    'PidFile none',
    'UsePAM no',
    `AuthorizedKeysFile ${folder}/authorized`,
    'StrictModes no',
    'MaxStartups 100',
  ].join('\n')

const snmpdConfig = (folder: string): string =>
  [
    `agentaddress ${SNMP_HOSTS.map((host) => `udp:${ip(host)}:161`).join(',')}`,
    `rocommunity ${COMMUNITY}`,
    `sysdescr ${SYS_DESCR}`,
    'sysname sw-core-1',
    'syslocation rack 4',
    'sysobjectid .1.3.6.1.4.1.9.1.716',
    'master agentx',
    `agentXSocket ${folder}/agentx`,
    ...SNMP_USERS.filter(({ as }) => as !== '').flatMap(({ username, as }) => [
      `createUser ${username} ${as}`,
      `rouser ${username} priv`,
    ]),
  ].join('\n')

const AVAHI = `[server]
host-name=printer${MDNS_HOST}
use-ipv4=yes
use-ipv6=no
allow-interfaces=m${MDNS_HOST}
enable-dbus=no
[publish]
publish-workstation=yes
[wide-area]
enable-wide-area=no
`

const PRINTER = `<?xml version="1.0" standalone='no'?><!DOCTYPE service-group SYSTEM "avahi-service.dtd">
<service-group><name replace-wildcards="yes">Laser on %h</name><service><type>_ipp._tcp</type><port>631</port><txt-record>ty=HP LaserJet 4200</txt-record></service></service-group>
`

const sambaConfig = (folder: string): string =>
  [
    '[global]',
    'workgroup = LABGRP',
    'netbios name = WINSRV56',
    `interfaces = ${ip(NETBIOS_HOST)}/16`,
    'bind interfaces only = yes',
    ...['lock', 'state', 'cache', 'pid', 'ncalrpc'].map(
      (name) => `${name} ${name === 'ncalrpc' ? 'dir' : 'directory'} = ${folder}/samba`,
    ),
    `private dir = ${folder}/samba`,
  ].join('\n')

const startSsh = (lab: Lab, folder: string): void => {
  for (const name of ['hostkey', 'userkey'])
    must(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)])
  must(['cp', join(folder, 'userkey.pub'), join(folder, 'authorized')])
  writeFileSync(join(folder, 'sshd.conf'), sshdConfig(folder))
  mkdirSync('/run/sshd', { recursive: true })
  lab.start(lab.hosts, ['/usr/sbin/sshd', '-D', '-f', join(folder, 'sshd.conf')])
}

const startSnmp = (lab: Lab, folder: string): void => {
  writeFileSync(join(folder, 'snmpd.conf'), snmpdConfig(folder))
  mkdirSync(join(folder, 'snmp'))
  const snmpd = `SNMP_PERSISTENT_DIR=${folder}/snmp exec snmpd -I -smux -f -Lo -C -c ${folder}/snmpd.conf -p ${folder}/snmpd.pid`
  lab.start(lab.hosts, ['bash', '-c', snmpd])
  const lldpd = (rest: string): string => `mount -t tmpfs t /run && mkdir -p /run/lldpd && exec lldpd -d ${rest}`
  lab.start(lab.hosts, [
    'bash',
    '-c',
    `until [ -S ${folder}/agentx ]; do sleep 0.1; done; ${lldpd(`-x -X ${folder}/agentx -I lb0 -u /run/one.sock`)}`,
  ])
  lab.start(lab.scanner, ['bash', '-c', lldpd("-I sc0 -u /run/two.sock -S 'Arista DCS-7050 lab neighbor'")])
}

const startNames = (lab: Lab, folder: string): void => {
  const hosts = Array.from({ length: 50 }, (_, i) => `${ip(i + 10)} host${i + 10}.lab.example`).join('\n')
  writeFileSync(join(folder, 'hosts'), `${hosts}\n`)
  lab.start(lab.hosts, [
    'dnsmasq',
    '-k',
    '-C',
    '/dev/null',
    '-z',
    `--listen-address=${ip(DNS_HOST)}`,
    '-R',
    '-h',
    '-H',
    join(folder, 'hosts'),
    '--local=/lab.example/',
    '--local=/18.198.in-addr.arpa/',
    '-u',
    'root',
    '--pid-file=',
  ])
  mkdirSync(join(folder, 'avahi', 'services'), { recursive: true })
  writeFileSync(join(folder, 'avahi', 'avahi-daemon.conf'), AVAHI)
  writeFileSync(join(folder, 'avahi', 'services', 'ipp.service'), PRINTER)
  lab.start(lab.hosts, [
    'bash',
    '-c',
    `mount -t tmpfs t /run && mkdir -p /run/avahi-daemon && mount --bind ${folder}/avahi /etc/avahi && exec avahi-daemon --no-drop-root --no-chroot --no-rlimits -f /etc/avahi/avahi-daemon.conf`,
  ])
  mkdirSync(join(folder, 'samba'))
  writeFileSync(join(folder, 'smb.conf'), sambaConfig(folder))
  lab.start(lab.hosts, ['nmbd', '-F', '--no-process-group', '--debug-stdout', '-s', join(folder, 'smb.conf')])
}

/** Servers that only say something; enough for the short form of the lab. */
export const startBanners = (lab: Lab): void => {
  const keys = Object.fromEntries(TLS_HOSTS.map((host) => [host, createSelfSigned(`web${host}.lab.example`)]))
  lab.start(
    lab.hosts,
    [process.execPath, '--no-env-file', join(import.meta.dirname, 'banners.ts')],
    JSON.stringify(keys),
  )
}

export const startDaemons = (lab: Lab): Daemons => {
  const folder = mkdtempSync(join(tmpdir(), 'plat-lab-'))
  startSsh(lab, folder)
  startSnmp(lab, folder)
  startNames(lab, folder)
  startBanners(lab)
  const ready = async (): Promise<void> => {
    const sockets = (): string => lab.exec(lab.hosts, ['ss', '-Hlntu'])
    const wanted = [
      `${ip(54)}:1883`,
      `${ip(24)}:443`,
      `${ip(14)}:22`,
      `${ip(34)}:161`,
      `${ip(DNS_HOST)}:53`,
      `${ip(NETBIOS_HOST)}:137`,
      ':5353',
    ]
    await waitUntil(() => wanted.every((end) => sockets().includes(end)), 'the servers of the lab listen')
    // The neighbor that lldpd has received is later visible through snmpd.
    const lldp = ['snmpwalk', '-v2c', '-c', COMMUNITY, ip(SNMP_HOSTS[0] ?? 30), '1.0.8802.1.1.2.1.4.1.1.9']
    const heard = (): boolean =>
      lab.exec(lab.scanner, ['sh', '-c', `${lldp.join(' ')} 2>/dev/null || true`]).includes('STRING')
    await waitUntil(heard, 'lldpd has heard of its neighbor', 60_000)
  }
  return {
    folder,
    sshKey: join(folder, 'userkey'),
    ready,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
