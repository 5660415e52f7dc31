/** The undo of the first run of a source: the inventory is as before, and no later run brings anything back. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { ask } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { testsAll } from '../../../testing/tests-all.ts'
import { until } from '../../../testing/until.ts'
import type { Source, SourceObject, SourceRun } from '../schema.ts'

const MACHINES = testsAll ? 10_000 : 200
const MACHINES_OF_HOST = 50
const MACHINES_OF_NETWORK = 200
const TIMEOUT_MS = 600_000
const LISTS = ['devices', 'ports', 'relationships', 'networks'] as const

const range = (count: number) => Array.from({ length: count }, (_, at) => at)
const toRef = (key: string) => ({ ref: `cmdb:${key}` })
const countHosts = Math.ceil(MACHINES / MACHINES_OF_HOST)
const countNetworks = Math.ceil(MACHINES / MACHINES_OF_NETWORK)
const formatMac = (at: number) =>
  `bc:24:11:${[at >> 16, (at >> 8) & 255, at & 255].map((byte) => byte.toString(16).padStart(2, '0')).join(':')}`

/** An estate document: hosts, machines with addresses, ports, what contains them, and networks. */
const buildDocument = (os: string) => ({
  networks: range(countNetworks).map((at) => ({
    ...{ name: `net-${at}`, subnet: `10.60.${at}.0/24`, refs: { cmdb: `net/${at}` } },
  })),
  devices: [
    ...range(countHosts).map((at) => ({ name: `host-${at}`, tags: ['hypervisor'], refs: { cmdb: `host/${at}` } })),
    ...range(MACHINES).map((at) => ({
      ...{ name: `vm-${at}`, os, tags: ['vm'], refs: { cmdb: `vm/${at}` } },
      addresses: [
        {
          ip: `10.60.${Math.floor(at / MACHINES_OF_NETWORK)}.${1 + (at % MACHINES_OF_NETWORK)}`,
          ...{ interface: 'eth0', mac_address: formatMac(at) },
        },
      ],
    })),
  ],
  ports: range(MACHINES).map((at) => ({ device: toRef(`vm/${at}`), name: 'eth0', mac_address: formatMac(at) })),
  relationships: range(MACHINES).map((at) => ({
    ...{ parent: toRef(`host/${Math.floor(at / MACHINES_OF_HOST)}`), type: 'contains', child: toRef(`vm/${at}`) },
  })),
})
const countRows = Object.values(buildDocument('')).reduce((sum, rows) => sum + rows.length, 0)

describe.each(engines())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ dialect, env: { ENCRYPTION_KEY: 'c2'.repeat(32) } })
    admin = await app.as('admin')
  }, 60_000)
  afterAll(() => app.close())

  const send = async (http: string, body?: unknown): Promise<unknown> => {
    const answer = await ask(admin, http, body)
    expect([answer.status < 300, answer.body]).toEqual([true, answer.body])
    return answer.body
  }

  const push = async (id: string, document: object): Promise<SourceRun> => {
    const headers = { Authorization: `Bearer ${admin.key}`, 'Content-Type': 'application/octet-stream' }
    const request = { method: 'POST', headers, body: JSON.stringify(document) }
    const answer = await app.fetch(new Request(`http://plat.test/api/sources/${id}/push`, request))
    expect(answer.status).toBe(202)
    // The answer of a 202 is a run.
    const { id: run } = (await answer.json()) as SourceRun
    const look = async () => {
      const one = (await send(`GET /api/sources/${id}/runs/${run}`)) as SourceRun
      return one.completed_at === null ? undefined : one
    }
    return until('end of the run', look, TIMEOUT_MS)
  }

  /** Returns all that a person sees of the inventory, without the times of changes. */
  const readInventory = async () => {
    const lists: [string, unknown][] = []
    for (const name of LISTS) {
      const rows = (await send(`GET /api/${name}`)) as Readonly<Record<string, unknown>>[]
      lists.push([name, rows.map(({ updated_at: _, ...row }) => row)])
    }
    const response = await admin.request('GET', '/api/estate/export?format=json')
    return { ...Object.fromEntries(lists), export: await response.json() }
  }

  test(
    'an undone first run leaves the inventory as before, and neither the same snapshot nor a later one brings anything back',
    async () => {
      // The source finds one machine by its ref, and one network by its subnet.
      await send('POST /api/networks', { name: 'lan', subnet: '10.60.0.0/24' })
      const known = { name: 'mine', tags: ['mine'], refs: { cmdb: 'vm/0' }, addresses: [{ ip: '10.9.0.1' }] }
      await send('POST /api/devices', known)
      const before = await readInventory()
      const draft = { name: 'cmdb', kind: 'document', ref: 'cmdb', mode: 'auto', interval_minutes: 0 }
      const { id } = (await send('POST /api/sources', draft)) as Source

      const first = await push(id, buildDocument('Debian 12'))
      expect(first).toMatchObject({ status: 'completed', result: 'applied', message: '' })
      expect(first.counts).toMatchObject({
        devices: { created: countHosts + MACHINES - 1, updated: 1 },
        ports: { created: MACHINES },
        relationships: { created: MACHINES },
        networks: { created: countNetworks - 1, updated: 1 },
      })
      await send(`POST /api/history/${first.change_id}/undo`)
      expect(await readInventory()).toEqual(before)

      for (const os of ['Debian 12', 'Debian 13']) {
        expect(await push(id, buildDocument(os))).toMatchObject({ status: 'completed', error_code: '', change_id: '' })
        expect(await readInventory()).toEqual(before)
      }
      const { counts } = (await send(`GET /api/sources/${id}`)) as Source
      expect(counts).toEqual({ objects: countRows, changed: 0, kept: countRows, gone: 0, unclear: 0, failed: 0 })
      const adopted = (await send(`GET /api/sources/objects?source_id=${id}&name=vm-0`)) as SourceObject[]
      expect(adopted.find(({ key }) => key === 'vm/0')).toMatchObject({
        ...{ state: 'kept', why: '', kept: { os: { here: '', source: 'Debian 13', why: 'edited' } } },
      })
      const made = (await send(`GET /api/sources/objects?source_id=${id}&name=vm-1`)) as SourceObject[]
      expect(made.find(({ key }) => key === 'vm/1')).toMatchObject({ state: 'kept', why: 'deleted' })
    },
    TIMEOUT_MS,
  )
})
