// A NetBox is imported into one Plat, and from the NetBox API of that one into a second Plat, which then has the same.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCli } from '../../src/app/cli.ts'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { memoryIo } from '../../testing/memory-io.ts'
import { rest } from '../../testing/netbox/forms.ts'

const [FIRST, SECOND] = ['http://first.test', 'http://second.test']
const folder = mkdtempSync(join(tmpdir(), 'plat-round-trip-'))

type Plat = { readonly app: TestApp; readonly caller: TestCaller }
let first: Plat
let second: Plat

const start = async (): Promise<Plat> => {
  const app = await testApp()
  return { app, caller: await app.as('admin') }
}

/** Runs the command line against a Plat. It reaches the first one as a NetBox. */
const run = async (at: string, key: string, ...argv: string[]) => {
  const { io, out, err } = memoryIo({
    argv,
    env: { PLAT_URL: at, PLAT_TOKEN: key, NETBOX_TOKEN: first.caller.key },
    fetch: (url, init) => {
      const { app } = url.startsWith(FIRST) ? first : second
      return app.fetch(new Request(url.replace(FIRST, 'http://plat.test').replace(SECOND, 'http://plat.test'), init))
    },
  })
  return { code: await runCli(io), out: out(), err: err() }
}

beforeAll(async () => {
  first = await start()
  second = await start()
  const file = join(folder, 'netbox.json')
  writeFileSync(file, rest('4.6'))
  expect(await run(FIRST, first.caller.key, 'import', 'netbox', file, '--yes')).toMatchObject({ code: 0 })
  const imported = await run(SECOND, second.caller.key, 'import', 'netbox', `${FIRST}/netbox`, '--yes')
  expect(imported).toMatchObject({ code: 0 })
}, 60_000)
afterAll(async () => {
  await first.app.close()
  await second.app.close()
  rmSync(folder, { recursive: true, force: true })
})

type Row = Readonly<Record<string, unknown>>

/** The power of a device is that of its power ports, which the API does not have. */
const withoutPower = ({ mount, ...row }: Row): Row =>
  typeof mount === 'object' && mount !== null ? { ...row, mount: { ...mount, power_w: null } } : row

/** Devices and networks that were made of objects of other kinds, and have no number as what they are. */
const OTHER_KINDS = /^(?:circuits\.circuit|dcim\.powerpanel|ipam\.aggregate)\./

/** Numbers that NetBox gave are kept. Objects that had none get others. */
const withNumbers = ({ refs = {}, ...row }: Row): Row => {
  // Rows of an export have refs of texts.
  const { netbox = '' } = refs as Readonly<Record<string, string>>
  return /^[a-z]+\.[a-z]+\.\d{1,9}$/.test(netbox) && !OTHER_KINDS.test(netbox) ? { ...row, netbox } : row
}

/** Values of references to objects that the API does not have are left out. */
const CUSTOM: readonly string[] = [
  'place_type',
  'slug',
  'role',
  'status',
  'tags',
  'tenant',
  'rd',
  'tier',
  'site_code',
  'cluster',
]
const withCustom = ({ custom = {}, ...row }: Row): Row => ({
  ...row,
  custom: Object.fromEntries(Object.entries(custom as Row).filter(([name]) => CUSTOM.includes(name))),
})

const list = async ({ caller }: Plat, resource: string): Promise<string[]> => {
  const answer = await caller.request('GET', `/api/estate/export?resource=${resource}`)
  // An export has a list for each resource.
  const { [resource]: rows = [] } = (await answer.json()) as Readonly<Record<string, readonly Row[]>>
  return rows.map((row) => JSON.stringify(withCustom(withNumbers(withoutPower(row))), null, 1)).sort()
}

test.each(['datacenters', 'networks', 'vlans', 'pools', 'racks', 'devices', 'reservations', 'relationships'])(
  'the second Plat has the same %s',
  async (resource) => {
    const rows = await list(first, resource)
    expect(rows.length).toBeGreaterThan(0)
    expect(await list(second, resource)).toEqual(rows)
  },
)

test.each(['ports', 'cables'])('the second Plat has the same %s of networks', async (resource) => {
  const [rows, copies] = [await list(first, resource), await list(second, resource)]
  expect(copies.length).toBeGreaterThan(1)
  expect(copies.filter((row) => !rows.includes(row))).toEqual([])
})
