// Many leases at once, and calls at the same time.
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../../testing/discovery.ts'
import { host } from '../../../testing/servers/scripted-scanner.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { testsAll } from '../../../testing/tests-all.ts'
import { MAX_LEASES } from './leases-api.ts'

const MIB = 1024 * 1024

const hex = (n: number) => n.toString(16).padStart(2, '0')
const macOf = (n: number) => `02:00:00:${hex(n >> 16)}:${hex((n >> 8) & 255)}:${hex(n & 255)}`
/** A lease of dnsmasq in 10.128.0.0/9. */
const lineOf = (n: number) => `0 ${macOf(n)} 10.${128 + (n >> 16)}.${(n >> 8) & 255}.${n & 255} host-${n} *\n`

describe.each(engines())('leases on %s', (dialect) => {
  const d = discoveryApp(dialect)

  test('as many leases as one call may have are recorded in bounded memory', async () => {
    // PostgreSQL takes a tenth: the memory of the server is that of the text and of a batch on both databases.
    const most = dialect === 'sqlite' ? MAX_LEASES : MAX_LEASES / 10
    const count = testsAll ? most : most / 10
    const { id } = await d.api.networks.create({ name: 'wide', subnet: '10.128.0.0/9' })
    const text = Array.from({ length: count }, (_, n) => lineOf(n)).join('')
    Bun.gc(true)
    const before = process.memoryUsage().rss
    let peak = 0
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss)
    }, 100)
    const answer = await d.api.leases.record({ text })
    clearInterval(timer)
    expect(answer).toMatchObject({ leases: count, active: count, new: count, updated: 0, unplaced: 0 })
    const { n } = await d.app.db.read
      .selectFrom('discovered_devices')
      .select(({ fn }) => fn.countAll<number | string>().as('n'))
      .where('network_id', '=', id)
      .where('bucket', '=', '')
      .executeTakeFirstOrThrow()
    expect(Number(n)).toBe(count)
    expect((peak - before) / MIB).toBeLessThan(512)
  }, 300_000)

  test('calls and scans at the same time make one device of each address', async () => {
    const { id, at } = await d.network()
    const numbers = Array.from({ length: 60 }, (_, n) => n + 1)
    const text = numbers.map((n) => `0 ${macOf(n)} ${at(n)} h${n} *\n`).join('')
    await Promise.all([
      d.api.leases.record({ text }),
      d.scan(
        id,
        numbers.map((n) => host(at(n), { mac: macOf(n) })),
      ),
      d.api.leases.record({ text }),
    ])
    const found = await d.api.discovery.list({ network_id: id })
    expect(found.map(({ ip, mac_address, addresses }) => [ip, mac_address, addresses.length])).toEqual(
      numbers.map((n) => [at(n), macOf(n), 1]),
    )
  })

  test('leases of a network that is deleted change nothing', async () => {
    const { id, at } = await d.network()
    const text = Array.from({ length: 200 }, (_, n) => `0 ${macOf(n + 500)} ${at(n + 1)} h *\n`).join('')
    const [answer] = await Promise.all([d.api.leases.record({ text }), d.api.networks.delete({ id })])
    expect([answer.active, answer.new + answer.unplaced]).toEqual([200, 200])
    const rows = await d.app.db.read
      .selectFrom('discovered_devices')
      .select('id')
      .where('network_id', '=', id)
      .execute()
    expect(rows).toEqual([])
  })
})
