/**
 * Starts temporary DNS servers for tests: BIND, Knot and PowerDNS on loopback, each with the same zones and keys. They end like the
 * servers of servers.ts.
 */
import { Database } from 'bun:sqlite'
import { chmodSync, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findTool } from '../../scripts/server-binaries.mjs'
import { TSIG_ALGORITHMS, type TsigAlgorithm, type TsigKey } from '../../src/net/dns/tsig.ts'
import { freePort, type Launch, launch, missing, read } from './servers.ts'

export type TestDnsServer = { readonly port: number; readonly stop: () => Promise<void> }

const keyOf = (name: string, algorithm: TsigAlgorithm, byte: number): TsigKey => ({
  name,
  algorithm,
  secret: new Uint8Array(32).fill(byte),
})
/** The keys that may update and transfer the zones: one for each algorithm. */
export const DNS_KEYS = TSIG_ALGORITHMS.map((algorithm, index) => keyOf(`${algorithm}.key`, algorithm, index + 1))
/** A key that the servers know, and that may do nothing. */
export const READ_KEY = keyOf('read.key', 'hmac-sha256', 99)
export const ZONES = ['example.org', '0/26.2.0.192.in-addr.arpa'] as const

const base64 = ({ secret }: TsigKey): string => Buffer.from(secret).toString('base64')
const SOA = 'ns.example.net. admin.example.org. 1 3600 600 86400 300'
const zoneText = `$TTL 300\n@ SOA ${SOA}\n@ NS ns.example.net.\n`

const binaryOf = (name: string): string => findTool(name) ?? missing(name)

const start = async (port: number, options: Omit<Launch, 'stopSignal'>): Promise<TestDnsServer> => {
  const { stop } = await launch({ ...options, stopSignal: 'KILL' })
  return { port, stop }
}

/** AppArmor confines the program by its path, and would keep it from temporary directories. */
const unconfined = (binary: string): { readonly path: string; readonly remove: () => void } => {
  const folder = mkdtempSync(join(tmpdir(), 'plat-named-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  chmodSync(folder, 0o755)
  const path = join(folder, 'named')
  copyFileSync(binary, path)
  return { path, remove }
}

type NamedPlace = { readonly port: number; readonly path: string; readonly data: (dir: string) => string }

/** Zone files that are there already stay, with their journals. */
const launchNamed = ({ port, path, data }: NamedPlace) => {
  const allowed = DNS_KEYS.map(({ name }) => `key "${name}";`).join(' ')
  const config = (dir: string): string =>
    [
      `options { directory "${data(dir)}"; managed-keys-directory "${data(dir)}"; pid-file none; session-keyfile none;`,
      `listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; recursion no; dnssec-validation no; notify no; };`,
      'controls { };',
      ...[...DNS_KEYS, READ_KEY].map(
        (key) => `key "${key.name}" { algorithm ${key.algorithm}; secret "${base64(key)}"; };`,
      ),
      ...ZONES.map(
        (zone, index) =>
          `zone "${zone}" { type primary; file "zone-${index}"; allow-update { ${allowed} }; allow-transfer { ${allowed} }; };`,
      ),
    ].join('\n')
  return launch({
    fill: (dir) => {
      writeFileSync(join(dir, 'named.conf'), config(dir))
      for (const index of ZONES.keys()) {
        const file = join(data(dir), `zone-${index}`)
        if (!existsSync(file)) writeFileSync(file, zoneText)
      }
    },
    serve: (dir) => [path, '-g', '-n', '1', '-c', join(dir, 'named.conf')],
    isReady: (dir) => /\ball zones loaded\n.*\brunning\n/.test(read(join(dir, 'log'))),
    stopSignal: 'KILL',
  })
}

export const startNamed = async (): Promise<TestDnsServer> => {
  const port = await freePort()
  const { path, remove } = unconfined(binaryOf('named'))
  const { stop } = await launchNamed({ port, path, data: (dir) => dir })
  return {
    port,
    stop: async () => {
      await stop()
      remove()
    },
  }
}

/** A BIND that keeps its zones: `kill()` ends it at once, and `start()` starts it again on the same port. */
export type KillableNamed = TestDnsServer & {
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
}

export const startKillableNamed = async (): Promise<KillableNamed> => {
  const port = await freePort()
  const { path, remove } = unconfined(binaryOf('named'))
  const data = mkdtempSync(join(tmpdir(), 'plat-zones-'))
  // The server runs as another user if this process is root.
  chmodSync(data, 0o777)
  const launchHere = () => launchNamed({ port, path, data: () => data })
  const forget = () => rmSync(data, { recursive: true, force: true })
  process.once('exit', forget)
  let running: Awaited<ReturnType<typeof launchHere>> | undefined = await launchHere()
  const kill = async () => {
    const killed = running?.stop()
    running = undefined
    await killed
  }
  return {
    port,
    kill,
    start: async () => {
      running ??= await launchHere()
    },
    stop: async () => {
      await kill()
      remove()
      forget()
    },
  }
}

export const startKnot = async (): Promise<TestDnsServer> => {
  const port = await freePort()
  const binary = binaryOf('knotd')
  const keys = [...DNS_KEYS, READ_KEY]
  const config = (dir: string): string =>
    [
      `server:\n  rundir: "${dir}"\n  listen: 127.0.0.1@${port}\n  udp-workers: 1\n  tcp-workers: 1\n  background-workers: 1`,
      `database:\n  storage: "${dir}"`,
      'log:\n  - target: stderr\n    any: info',
      `key:\n${keys.map((key) => `  - id: ${key.name}\n    algorithm: ${key.algorithm}\n    secret: ${base64(key)}`).join('\n')}`,
      `acl:\n  - id: plat\n    key: [ ${DNS_KEYS.map(({ name }) => name).join(', ')} ]\n    action: [ update, transfer ]`,
      `zone:\n${ZONES.map((zone, index) => `  - domain: ${zone}\n    storage: "${dir}"\n    file: zone-${index}\n    acl: plat`).join('\n')}`,
    ].join('\n')
  return await start(port, {
    fill: (dir) => {
      writeFileSync(join(dir, 'knot.conf'), config(dir))
      for (const index of ZONES.keys()) writeFileSync(join(dir, `zone-${index}`), zoneText)
    },
    serve: (dir) => [binary, '-c', join(dir, 'knot.conf')],
    isReady: (dir) => {
      const log = read(join(dir, 'log'))
      return log.includes('server started') && log.split(' loaded, serial ').length > ZONES.length
    },
  })
}

const PDNS_SCHEMA = '/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql'

const fillPowerDns = (path: string): void => {
  const db = new Database(path, { create: true })
  db.exec(readFileSync(PDNS_SCHEMA, 'utf8'))
  const [addZone, addRecord, addKey, addRight] = [
    db.prepare("INSERT INTO domains (id, name, type) VALUES (?, ?, 'NATIVE')"),
    db.prepare(
      'INSERT INTO records (domain_id, name, type, content, ttl, auth, ordername) VALUES (?, ?, ?, ?, 300, 1, NULL)',
    ),
    db.prepare('INSERT INTO tsigkeys (name, algorithm, secret) VALUES (?, ?, ?)'),
    db.prepare('INSERT INTO domainmetadata (domain_id, kind, content) VALUES (?, ?, ?)'),
  ]
  for (const key of [...DNS_KEYS, READ_KEY]) addKey.run(key.name, key.algorithm, base64(key))
  for (const [index, zone] of ZONES.entries()) {
    addZone.run(index + 1, zone)
    addRecord.run(index + 1, zone, 'SOA', SOA.replaceAll('. ', ' '))
    addRecord.run(index + 1, zone, 'NS', 'ns.example.net')
    for (const { name } of DNS_KEYS)
      for (const kind of ['TSIG-ALLOW-AXFR', 'TSIG-ALLOW-DNSUPDATE']) addRight.run(index + 1, kind, name)
  }
  db.close()
}

export const startPowerDns = async (): Promise<TestDnsServer> => {
  const port = await freePort()
  const binary = binaryOf('pdns_server')
  const config = (dir: string): string =>
    [
      ...['launch=gsqlite3', `gsqlite3-database=${join(dir, 'pdns.sqlite3')}`, 'gsqlite3-pragma-synchronous=0'],
      ...['local-address=127.0.0.1', `local-port=${port}`, `socket-dir=${dir}`, 'guardian=no', 'daemon=no'],
      ...['dnsupdate=yes', 'allow-dnsupdate-from=127.0.0.0/8', 'allow-axfr-ips=', 'loglevel=6'],
      ...['cache-ttl=0', 'query-cache-ttl=0', 'negquery-cache-ttl=0'],
    ].join('\n')
  return await start(port, {
    fill: (dir) => {
      writeFileSync(join(dir, 'pdns.conf'), config(dir))
      fillPowerDns(join(dir, 'pdns.sqlite3'))
    },
    serve: (dir) => [binary, `--config-dir=${dir}`],
    isReady: (dir) => read(join(dir, 'log')).includes('ready to distribute questions'),
  })
}
