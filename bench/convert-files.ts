/** Files of each format that a conversion reads, of about a given size. */
import { Database } from 'bun:sqlite'
import type { Format } from '../src/convert/formats.ts'
import { netboxDump } from './netbox-dump.ts'

const ipOf = (i: number): string => `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`
const macOf = (i: number): string =>
  `52:54:${[24, 16, 8, 0].map((shift) => ((i >> shift) & 255).toString(16).padStart(2, '0')).join(':')}`

/** A file of equal lines, or other equal parts. */
type Parts = { readonly before: string; readonly part: (i: number) => string; readonly after: string }

const PORTS = Array.from(
  { length: 10 },
  (_, i) =>
    `<port protocol="tcp" portid="${20 + i}"><state state="open"/><service name="ssh" product="OpenSSH" version="9.2"/></port>`,
).join('')

const PARTS: Readonly<Partial<Record<Format, Parts>>> = {
  phpipam: {
    before: '{"subnets":[{"id":"1","subnet":"10.0.0.0","mask":"8","sectionId":"1"}],"addresses":[',
    part: (i) =>
      `${i > 0 ? ',' : ''}{"id":"${i}","subnetId":"1","ip":"${ipOf(i)}","hostname":"host-${i}","mac":"${macOf(i)}","note":"a note"}`,
    after: ']}',
  },
  nmap: {
    before: '<?xml version="1.0"?>\n<nmaprun>',
    part: (i) =>
      `<host><status state="up"/><address addr="${ipOf(i)}" addrtype="ipv4"/><address addr="${macOf(i)}" addrtype="mac" vendor="QEMU"/><hostnames><hostname name="host-${i}.example.org" type="PTR"/></hostnames><ports>${PORTS}</ports></host>\n`,
    after: '<runstats/></nmaprun>',
  },
  'arp-scan': { before: '', part: (i) => `${ipOf(i)}\t${macOf(i)}\tQEMU\n`, after: '' },
  'isc-leases': {
    before: '',
    part: (i) =>
      `lease ${ipOf(i)} {\n  starts 4 2024/01/04 10:00:00;\n  ends never;\n  binding state active;\n  hardware ethernet ${macOf(i)};\n  client-hostname "host-${i}";\n}\n`,
    after: '',
  },
  'kea-leases': {
    before:
      'address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state,user_context,pool_id\n',
    part: (i) => `${ipOf(i)},${macOf(i)},,4294967295,4294967295,1,0,0,host-${i},0,,0\n`,
    after: '',
  },
  'dnsmasq-leases': { before: '', part: (i) => `0 ${macOf(i)} ${ipOf(i)} host-${i} *\n`, after: '' },
  zone: { before: '$ORIGIN example.org.\n$TTL 3600\n', part: (i) => `host-${i} IN A ${ipOf(i)}\n`, after: '' },
  hosts: { before: '', part: (i) => `${ipOf(i)} host-${i}.example.org host-${i}\n`, after: '' },
  csv: {
    before: 'name,hostname,os,ip,Owner\n',
    part: (i) => `host-${i},host-${i}.example.org,Debian 13,${ipOf(i)},somebody\n`,
    after: '',
  },
}

/** Bytes of a device with 10 interfaces and 3 addresses in a dump of NetBox. */
const NETBOX_DEVICE = 5200
/** Bytes of a row of rackd in its file. */
const RACKD_ROW = 190

const makeRackd = (bytes: number): Uint8Array => {
  const db = new Database(':memory:')
  db.run(
    'CREATE TABLE devices (id TEXT PRIMARY KEY, name TEXT, hostname TEXT, description TEXT, make_model TEXT, os TEXT, created_at TEXT)',
  )
  db.run('CREATE TABLE network_pools (id TEXT PRIMARY KEY)')
  const insert = db.query('INSERT INTO devices VALUES (?, ?, ?, ?, ?, ?, ?)')
  db.transaction(() => {
    for (let i = 0; i < bytes / RACKD_ROW; i++)
      insert.run(`device-${i}`, `host-${i}`, `host-${i}.example.org`, 'a device', 'Dell', 'Debian 13', '2024-01-04')
  })()
  return db.serialize()
}

const encode = (texts: Iterable<string>): Uint8Array => {
  const pieces: Buffer[] = []
  for (const text of texts) pieces.push(Buffer.from(text))
  return Buffer.concat(pieces)
}

function* repeat({ before, part, after }: Parts, bytes: number): Generator<string> {
  yield before
  let length = before.length + after.length
  for (let i = 0; length < bytes; ) {
    let text = ''
    for (let end = i + 1000; i < end && length + text.length < bytes; i++) text += part(i)
    length += text.length
    yield text
  }
  yield after
}

/** The formats of which files are made. */
export const MADE_FORMATS = ['netbox', 'rackd', ...Object.keys(PARTS)]

/** Returns a file of so many equal parts, such as hosts or records. */
export const makeParts = (format: Format, count: number): Uint8Array => {
  const parts = PARTS[format]
  if (!parts) throw new Error(`${format} has no parts`)
  function* texts(given: Parts): Generator<string> {
    yield given.before
    for (let i = 0; i < count; i++) yield given.part(i)
    yield given.after
  }
  return encode(texts(parts))
}

/** Returns a file of a format, of about so many bytes. */
export const makeFile = (format: Format, bytes: number): Uint8Array => {
  const parts = PARTS[format]
  if (parts) return encode(repeat(parts, bytes))
  if (format === 'rackd') return makeRackd(bytes)
  const devices = Math.max(1, Math.round(bytes / NETBOX_DEVICE))
  return encode(netboxDump(devices, devices * 10, devices * 3))
}
