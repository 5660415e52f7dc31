/**
 * The baseline of the comparisons: bare `Bun.serve` and bare `bun:sqlite` on the same rows, with prepared statements and nothing
 * else - no access check, no validation, no ETag, no headers. It has the routes of Plat that are compared.
 */
import { Database } from 'bun:sqlite'
import type { Device } from '../src/inventory/devices/schema.ts'
import { DEFAULT_SPACE, parseIp, toIpKey } from '../src/net/ip.ts'

const [file = '', port = '0'] = process.argv.slice(2)
const database = new Database(file, { strict: true })
database.run('PRAGMA journal_mode = WAL')
database.run('PRAGMA synchronous = FULL')
database.run('PRAGMA foreign_keys = ON')
database.run('PRAGMA cache_size = -16384')

const one = database.query<{ doc: string }, [string]>('SELECT doc FROM devices WHERE id = ?')
const all = database.query<{ json: string }, []>(
  "SELECT '[' || group_concat(doc, ',') || ']' AS json FROM (SELECT doc FROM devices ORDER BY name_key, id)",
)
const insertDevice = database.query(
  `INSERT INTO devices (id, name, name_key, hostname_key, description, make_model, os, status, datacenter_id, username,
     location, created_at, updated_at, search_text, doc) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
)
const insertAddress = database.query(
  'INSERT INTO addresses (device_id, position, ip, ip_key, network_id, pool_id) VALUES (?, ?, ?, ?, ?, ?)',
)
const insertMember = database.query('INSERT INTO network_addresses (network_id, ip_key, device_id) VALUES (?, ?, ?)')
const insertTag = database.query('INSERT INTO device_tags (device_id, position, tag) VALUES (?, ?, ?)')
const insertDomain = database.query('INSERT INTO device_domains (device_id, position, domain) VALUES (?, ?, ?)')

const keyOf = (ip: string): string => {
  const parsed = parseIp(ip)
  if (!parsed) throw new Error(`not an address: ${ip}`)
  return toIpKey(parsed, DEFAULT_SPACE)
}

const searchText = ({ name, hostname, description, make_model, os, location, addresses, tags, domains }: Device) =>
  [name, hostname, description, make_model, os, location, ...addresses.map(({ ip }) => ip), ...tags, ...domains]
    .join('\n')
    .toLowerCase()

const write = database.transaction((device: Device, doc: string) => {
  const { id, name, hostname, created_at, updated_at } = device
  insertDevice.run(
    ...[id, name, name.toLowerCase(), hostname, device.description, device.make_model, device.os, device.status],
    ...[device.datacenter_id, device.username, device.location, created_at, updated_at, searchText(device), doc],
  )
  for (const [position, { ip, network_id, pool_id }] of device.addresses.entries()) {
    const key = keyOf(ip)
    insertAddress.run(id, position, ip, key, network_id, pool_id)
    if (network_id !== null) insertMember.run(network_id, key, id)
  }
  for (const [position, tag] of device.tags.entries()) insertTag.run(id, position, tag)
  for (const [position, domain] of device.domains.entries()) insertDomain.run(id, position, domain)
})

const JSON_HEADERS = { 'Content-Type': 'application/json' }

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(port),
  routes: {
    '/healthz': () => new Response('ok'),
    '/api/devices/:id': ({ params }) => {
      const row = one.get(params.id)
      return new Response(row?.doc ?? '', { status: row ? 200 : 404, headers: JSON_HEADERS })
    },
    '/api/devices': {
      GET: () => new Response(all.get()?.json, { headers: JSON_HEADERS }),
      POST: async (request) => {
        const doc = await request.text()
        // The benchmark sends whole devices.
        write.immediate(JSON.parse(doc) as Device, doc)
        return new Response(doc, { status: 201, headers: JSON_HEADERS })
      },
    },
  },
})
