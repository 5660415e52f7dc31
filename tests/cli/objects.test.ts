/** `plat export` and `plat import` of an estate with custom fields, racks, device types, ports and cables keep all of it. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestApp, testApp } from '../../testing/app/app.ts'
import { OBJECTS_ESTATE } from '../../testing/estates/objects-estate.ts'
import { runCommand } from '../../testing/run-command.ts'
import { onSqlite } from '../../testing/servers/servers.ts'

let folder: string
const apps: TestApp[] = []

type Server = { readonly app: TestApp; readonly key: string }

const server = async (dialect: 'sqlite' | 'postgres'): Promise<Server> => {
  const app = await testApp({ dialect })
  apps.push(app)
  return { app, key: (await app.as('admin')).key }
}

const run = ({ app, key }: Server, ...argv: string[]) => runCommand({ app, key }, { argv })

/** The fields that each server keeps itself: times, and the id and the creator of a reservation. */
const OWN = /,?"(?:created|updated)_at":"[^"]*"|"created_by":"[^"]*",|"id":"[^"]*",(?="pool_id")/g

/** The files of an export without the fields that each server keeps itself. */
const filesIn = (path: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(path)
      .sort()
      .map((name) => [name, readFileSync(join(path, name), 'utf8').replace(OWN, '')]),
  )

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plat-objects-'))
})
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close()
  rmSync(folder, { recursive: true, force: true })
})

describe.each(onSqlite())('on %s', (dialect) => {
  test('an export, imported into an empty server, gives the same export', async () => {
    const [from, to] = [await server(dialect), await server(dialect)]
    const applied = await (await from.app.as('admin')).request('POST', '/api/estate/apply', OBJECTS_ESTATE)
    expect(applied.status).toBe(200)
    const [first, second] = [join(folder, 'first'), join(folder, 'second')]
    expect(await run(from, 'export', first)).toMatchObject({ code: 0 })
    expect(await run(to, 'import', first)).toMatchObject({ code: 0 })
    expect(await run(to, 'export', second)).toMatchObject({ code: 0 })
    const files = filesIn(first)
    expect(Object.keys(files)).toContain('cables.json')
    expect(filesIn(second)).toEqual(files)
    // A second import changes nothing.
    const again = await run(to, 'import', first, '-o', 'json')
    const results = JSON.parse(again.out) as { created: number; updated: number }[]
    expect(results.map(({ created, updated }) => [created, updated])).toEqual(results.map(() => [0, 0]))
  })

  test('a reference to a later row of the same file holds, also in a circle', async () => {
    const to = await server(dialect)
    const admin = await to.app.as('admin')
    await admin.request('POST', '/api/custom-fields', {
      ...{ resource: 'devices', name: 'peer', type: 'reference', reference_to: 'devices' },
    })
    const path = join(folder, 'devices.json')
    const devices = [
      { id: 'a', name: 'a', custom: { peer: 'b' } },
      { id: 'b', name: 'b', custom: { peer: 'a' } },
    ]
    writeFileSync(path, JSON.stringify(devices))
    expect(await run(to, 'import', path)).toMatchObject({ code: 0 })
    const list = (await (await admin.request('GET', '/api/devices')).json()) as { custom?: object }[]
    expect(list.map(({ custom }) => custom)).toEqual([{ peer: 'b' }, { peer: 'a' }])
    const bad = [
      { id: 'c', name: 'c', custom: { peer: 'd' } },
      { id: 'e', name: 'e', custom: { peer: 'nobody' } },
    ]
    writeFileSync(path, JSON.stringify(bad))
    const refused = await run(to, 'import', path)
    expect([refused.code, refused.err.match(/row \d[^\n]*/g)]).toEqual([
      2,
      [
        'row 1 (c): custom.peer: there is no device with id "d"',
        'row 2 (e): custom.peer: there is no device with id "nobody"',
      ],
    ])
  })

  test('a port may stand before the one that it is part of', async () => {
    const to = await server(dialect)
    const admin = await to.app.as('admin')
    await admin.request('POST', '/api/devices', { id: 'd', name: 'd' })
    const path = join(folder, 'ports.json')
    const ports = [
      { id: 'p', device_id: 'd', name: 'eth0', parent_id: 'q' },
      { id: 'q', device_id: 'd', name: 'lag' },
    ]
    writeFileSync(path, JSON.stringify(ports))
    expect(await run(to, 'import', path)).toMatchObject({ code: 0 })
    const list = (await (await admin.request('GET', '/api/ports')).json()) as { parent_id?: string }[]
    expect(list.map(({ parent_id }) => parent_id)).toEqual(['q', null] as never)
  })
})
