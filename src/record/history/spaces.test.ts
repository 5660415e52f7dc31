/** Reads as of each moment answer per address space, also after moves between spaces; and undos restore each of them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

const LIMIT_MS = 300_000
/** A lookup has conflicts and audit entries of now for callers who may list them. */
const READER = [
  ...['spaces', 'networks', 'pools', 'reservations', 'devices'].flatMap((noun) => [`${noun}:list`, `${noun}:read`]),
  'search:read',
]

type Made = { readonly id: string }

describe.each(onSqlite())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let reader: TestCaller
  let nowMs = Date.now() + 3_600_000
  beforeAll(async () => {
    app = await testApp({ dialect, now: () => new Date(nowMs) })
    admin = await app.as('admin')
    reader = await app.as(READER)
  }, LIMIT_MS)
  afterAll(() => app.close())

  const send = async (method: string, path: string, body?: unknown): Promise<Made & { readonly change: string }> => {
    nowMs += 60_000
    const response = await admin.request(method, path, body)
    const text = await response.text()
    expect([path, response.ok, response.ok ? '' : text]).toEqual([path, true, ''])
    // The answers of writes have an id, or no body.
    const { id } = JSON.parse(text || '{"id":""}') as Made
    return { id, change: response.headers.get('x-change-id') ?? '' }
  }

  test(
    'three spaces with the same addresses',
    async () => {
      const spaces = await Promise.all(['red', 'blue', 'empty'].map((name) => send('POST', '/api/spaces', { name })))
      const [red, blue, empty] = spaces.map(({ id }) => id)
      const networks: string[] = []
      const pools: string[] = []
      const reservations: string[] = []
      const devices: string[] = []
      for (const [i, space_id] of [null, red, blue].entries()) {
        await send('POST', '/api/networks', { name: `wide ${i}`, subnet: '10.1.0.0/16', space_id })
        const { id } = await send('POST', '/api/networks', { name: `n${i}`, subnet: '10.1.2.0/26', space_id })
        const pool = { name: 'p', start_ip: '10.1.2.8', end_ip: '10.1.2.31' }
        const { id: pool_id } = await send('POST', `/api/networks/${id}/pools`, pool)
        const reserved = await send('POST', `/api/pools/${pool_id}/reservations`, { ip_address: `10.1.2.1${i}` })
        // One address that names the network, one that names its pool, one that it contains, one outside.
        const addresses = [
          { ip: '10.1.2.5', network_id: id },
          { ip: '10.1.2.20', pool_id },
          { ip: `10.1.2.4${i}`, space_id },
          { ip: '10.1.9.9', space_id },
        ]
        const device = await send('POST', '/api/devices', { name: `d${i}`, addresses })
        networks.push(id)
        pools.push(pool_id)
        reservations.push(reserved.id)
        devices.push(device.id)
      }

      const paths = [
        ...['/api/spaces', '/api/networks?include=utilization', '/api/pools?include=utilization', '/api/reservations'],
        ...['/api/devices', '/api/lookup/10.1.2.5'],
        ...['default', red, blue, empty].flatMap((space) => [
          `/api/devices?space_id=${space}`,
          ...['10.1.2.10', '10.1.2.40', '10.1.2.0%2F26'].map((query) => `/api/lookup/${query}?space_id=${space}`),
        ]),
        ...networks.flatMap((id) => [`/api/networks/${id}/devices`, `/api/networks/${id}/utilization`]),
        ...pools.flatMap((id) => [`/api/pools/${id}/heatmap`, `/api/pools/${id}/reservations`]),
      ]
      /** One path in two, at each step the others. */
      const answers = async (step: number, asOf?: string): Promise<string[]> =>
        Promise.all(
          paths
            .filter((_, i) => (i + step) % 2 === 0)
            .map(async (path) => {
              const moment =
                asOf === undefined ? '' : `${path.includes('?') ? '&' : '?'}as_of=${encodeURIComponent(asOf)}`
              const response = await reader.request('GET', path + moment)
              const body = (await response.json()) as object
              return `${path} ${response.status} ${JSON.stringify({ ...body, ways: [] })}`
            }),
        )

      const changes: string[] = []
      const states: string[][] = [await answers(0)]
      const moments: string[] = [new Date(nowMs).toISOString()]
      const change = async (method: string, path: string, body?: unknown): Promise<void> => {
        const { change: id } = await send(method, path, body)
        changes.push(id)
        states.push(await answers(states.length))
        moments.push(changes.length % 2 === 0 ? id : new Date(nowMs).toISOString())
      }
      const [first, second, third] = networks
      await change('PUT', `/api/networks/${first}`, { space_id: empty })
      await change('PUT', `/api/pools/${pools[0]}`, { end_ip: '10.1.2.30', name: 'shorter' })
      await change('PUT', `/api/networks/${second}`, { space_id: 'default' })
      await change('DELETE', `/api/reservations/${reservations[0]}`)
      await change('PUT', `/api/devices/${devices[2]}`, { addresses: [{ ip: '10.1.2.5', space_id: red }] })
      await change('DELETE', `/api/networks/${third}`)
      await change('PUT', `/api/networks/${second}`, { space_id: blue, subnet: '10.1.2.0/25' })
      await change('DELETE', `/api/networks/${first}`)
      await change('PUT', `/api/devices/${devices[0]}`, { addresses: [] })
      await change('DELETE', `/api/spaces/${empty}`)
      await change('POST', '/api/spaces', { name: 'later' })

      nowMs += 60_000
      for (const [i, moment] of moments.entries()) expect([i, await answers(i, moment)]).toEqual([i, states[i] ?? []])

      // Everything but the time of the last update is as it was.
      const untimed = (all: readonly string[] | undefined) =>
        all?.map((text) => text.replace(/"updated_at":"[^"]*"/g, ''))
      for (let i = changes.length - 1; i >= 0; i--) {
        await send('POST', `/api/history/${changes[i]}/undo`)
        expect([i, untimed(await answers(i))]).toEqual([i, untimed(states[i])])
      }
    },
    LIMIT_MS,
  )
})
