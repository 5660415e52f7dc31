/** The commands of the history, dry runs, notes and moments, against a real server in process. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { INVENTORY } from '../../src/inventory/resources.ts'
import type { Fetch } from '../../src/surfaces/cli/connection/client.ts'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import type { MemoryIo } from '../../testing/memory-io.ts'
import { runCommand } from '../../testing/run-command.ts'

let app: TestApp
let admin: TestCaller
let folder: string
beforeAll(async () => {
  app = await testApp({ env: { AUDIT_ENABLED: 'true' } })
  admin = await app.as('admin')
  folder = mkdtempSync(join(tmpdir(), 'plat-history-'))
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

const runWith = (options: MemoryIo) => runCommand({ app, key: admin.key }, options)
const run = (...argv: string[]) => runWith({ argv })
const onTerminal = (...argv: string[]) => runWith({ argv, columns: 200 })
const newest = async () => (await admin.api.history.list({ limit: 1 }))[0]

/** Answers every request with these rows as of a moment, and records the paths. */
const recorded = (rows: object): { readonly paths: string[]; readonly fetch: Fetch } => {
  const paths: string[] = []
  const fetch: Fetch = async (url) => {
    paths.push(url.replace('http://plat.test', ''))
    return Response.json(rows, { headers: { 'X-As-Of': '2026-06-01T00:00:00.000Z' } })
  }
  return { paths, fetch }
}

describe('a dry run', () => {
  test('shows what goes along with a delete, and deletes nothing', async () => {
    const network = await admin.api.networks.create({ name: 'lan', subnet: '10.1.0.0/24' })
    await admin.api.pools.create({ network_id: network.id, name: 'p', start_ip: '10.1.0.1', end_ip: '10.1.0.9' })
    const { code, out } = await run('network', 'delete', 'lan', '--dry-run')
    const [head, columns, ...rows] = out.trimEnd().split('\n')
    expect([code, head]).toEqual([0, 'This deletes 1 network and 1 pool.'])
    expect(columns?.split(/\s+/)).toEqual(['KIND', 'CHANGE', 'NAME', 'FIELDS', 'ID'])
    expect(rows.map((row) => row.split(/\s+/).slice(0, 3))).toEqual([
      ['network', 'delete', 'lan'],
      ['pool', 'delete', 'p'],
    ])
    expect((await admin.api.networks.get({ id: network.id })).name).toBe('lan')
  })

  test('shows old and new values, cut where they are long', async () => {
    await admin.api.devices.create({ name: 'edited', status: 'active', description: 'x'.repeat(90) })
    const { out } = await run(
      'device',
      'update',
      'edited',
      '--status',
      'maintenance',
      '--description',
      'y',
      '--dry-run',
    )
    expect(out).toContain(`description: ${'x'.repeat(37)}... -> y, status: active -> maintenance`)
  })

  test('as JSON is the preview', async () => {
    const { out } = await run('device', 'create', 'never', '--dry-run', '-o', 'json')
    expect(JSON.parse(out)).toMatchObject({ id: '', summary: 'creates 1 device', items: [{ name: 'never' }] })
    expect(await admin.api.devices.search({ q: 'never' })).toEqual([])
  })

  test('that is switched off is done in earnest', async () => {
    const { code } = await run('datacenter', 'create', 'in earnest', '--dry-run=false')
    expect([code, (await newest())?.summary]).toEqual([0, 'creates 1 datacenter'])
  })

  test('needs a change to try', async () => {
    await admin.api.datacenters.create({ id: 'dc-1', name: 'unchanged' })
    const { code, err } = await run('datacenter', 'update', 'dc-1', '--dry-run', '--change-note', 'why')
    expect([code, err]).toEqual([2, expect.stringContaining('nothing to change')])
  })
})

test.each(['naïve — 50% "off" %41', ' 東京 🗺️ '])('the note %p arrives as it was given', async (note) => {
  await run('datacenter', 'create', Bun.randomUUIDv7(), '--change-note', note)
  expect((await newest())?.note).toBe(note.trim())
})

describe('the history', () => {
  test('is a table of changes', async () => {
    await run('datacenter', 'create', 'listed', '--change-note', 'a new site')
    const { out } = await run('history', 'list', '--limit', '1')
    const [columns, row] = out.split('\n')
    expect(columns?.split(/\s+/)).toEqual(['AT', 'USERNAME', 'OPERATION', 'SUMMARY', 'NOTE', 'ID'])
    expect(row).toMatch(/datacenters\.create\s+creates 1 datacenter\s+a new site\s+[0-9a-f-]{36}$/)
  })

  test('of an object is a table of its fields', async () => {
    await admin.api.devices.create({ name: 'followed', status: 'active' })
    await run('device', 'update', 'followed', '--status', 'maintenance', '--os', 'Debian', '--change-note', 'repair')
    const { out } = await run('device', 'history', 'followed')
    const [columns, updated, created] = out.split('\n')
    expect(columns?.split(/\s+/)).toEqual(['AT', 'USERNAME', 'CHANGE', 'FIELDS', 'NOTE', 'CHANGE_ID'])
    expect(updated).toMatch(/update\s+os: - -> Debian, status: active -> maintenance\s+repair\s+[0-9a-f-]{36}$/)
    expect(created).toContain('name: followed, status: active')
  })

  test('shows a change with its objects', async () => {
    const { id } = (await newest()) ?? {}
    const { code, out } = await run('history', 'get', id ?? '')
    expect([code, out]).toEqual([0, expect.stringContaining('items:\nKIND')])
  })

  test('does not take a user for the name of a change', async () => {
    const { code, err } = await run('history', 'get', (await newest())?.username ?? '')
    expect([code, err]).toEqual([4, expect.stringContaining('change')])
  })
})

describe('the way back', () => {
  test.each([
    ['a delete', ['datacenter', 'delete', 'old']],
    ['an import', ['import', 'FILE', '--change-note', 'from a file']],
  ])('from %s is named on a terminal', async (_, argv) => {
    await admin.api.datacenters.create({ name: 'old' }).catch(() => {})
    const file = join(folder, 'datacenters.json')
    writeFileSync(file, JSON.stringify([{ name: Bun.randomUUIDv7() }]))
    const { err } = await onTerminal(...argv.map((word) => (word === 'FILE' ? file : word)))
    expect(err).toEndWith(`Undo: plat undo ${(await newest())?.id}\n`)
  })

  test('is not named in a pipe, nor after a dry run, nor where nothing has changed', async () => {
    await admin.api.datacenters.create({ name: 'piped' })
    const tried = await onTerminal('datacenter', 'delete', 'piped', '--dry-run')
    const file = join(folder, 'datacenters.json')
    writeFileSync(file, JSON.stringify([{ name: 'piped' }]))
    const same = await onTerminal('import', file)
    const piped = await run('datacenter', 'delete', 'piped')
    expect([tried.err, same.err, piped.err].filter((err) => err.includes('Undo'))).toEqual([])
  })

  test('that is refused ends with 5, and says what is in the way', async () => {
    const details = [{ field: 'device d name', message: 'was changed later' }]
    const fetch: Fetch = async () =>
      Response.json({ code: 'UNDO_CONFLICT', error: '1 thing is in the way', details }, { status: 409 })
    const { code, err } = await runWith({ argv: ['datacenter', 'delete', 'any'], fetch })
    expect([code, err]).toEqual([5, 'error: 1 thing is in the way\n  device d name: was changed later\n'])
  })
})

test('an import says why, and which change it is', async () => {
  const file = join(folder, 'datacenters.json')
  writeFileSync(file, JSON.stringify([{ name: Bun.randomUUIDv7() }]))
  const { out } = await run('import', file, '--change-note', 'ünïcode', '-o', 'json')
  const change = await newest()
  expect(JSON.parse(out)).toMatchObject([{ created: 1, change_id: change?.id }])
  expect(change).toMatchObject({ operation: 'estate.import', note: 'ünïcode' })
  const again = await run('import', file, '-o', 'json', '--dry-run')
  expect(JSON.parse(again.out)).toMatchObject([{ change_id: '' }])
})

test('the events and the audit entry of an import name its change', async () => {
  const file = join(folder, 'devices.json')
  writeFileSync(file, JSON.stringify([{ name: 'imported' }, { name: 'imported too' }]))
  const [{ change_id }] = JSON.parse((await run('import', file, '-o', 'json')).out)
  const events = await app.db.read
    .selectFrom('events')
    .select('change_id')
    .where('event', '=', 'device.created')
    .execute()
  expect(events.slice(-2)).toEqual([{ change_id }, { change_id }])
  const [entry] = await admin.api.audit.list({ limit: 1 })
  expect(entry).toMatchObject({ resource: 'device', change_id })
})

test('the note of an import is one line', async () => {
  const headers = { 'X-Change-Note': 'two%0Alines' }
  const response = await admin.request('POST', '/api/estate/import?resource=datacenters', [], headers)
  expect([response.status, await response.json()]).toEqual([
    400,
    expect.objectContaining({ details: [expect.objectContaining({ field: 'change_note' })] }),
  ])
})

describe('a moment', () => {
  test('that is a duration is the same for all lists of an export', async () => {
    const { paths, fetch } = recorded([])
    expect((await runWith({ argv: ['export', '--as-of', '1h'], fetch })).code).toBe(0)
    const later = (resource: string) => `/api/${resource}?as_of=2026-06-01T00%3A00%3A00.000Z`
    const optional = [
      'kinds',
      'custom-fields',
      'spaces',
      'scanners',
      'device-types',
      'racks',
      'ports',
      'cables',
      'objects',
    ]
    const [first, ...others] = optional
    expect(paths).toEqual([
      `/api/${first}?as_of=1h&limit=1`,
      ...others.map((resource) => `${later(resource)}&limit=1`),
      ...INVENTORY.map(later),
    ])
  })

  test('that is a change stays one in an export', async () => {
    const { paths, fetch } = recorded([])
    const id = Bun.randomUUIDv7()
    await runWith({ argv: ['export', '--as-of', id, '--resource', 'devices'], fetch })
    expect(paths).toEqual([`/api/devices?as_of=${id}`])
  })

  test('counts for the names on the command line too', async () => {
    const { paths, fetch } = recorded([{ id: 'dc-9', name: 'of then' }])
    await runWith({ argv: ['network', 'list', '--datacenter', 'of then', '--as-of', '7d', '-q'], fetch })
    expect(paths.length).toBeGreaterThan(1)
    expect(paths.filter((path) => !path.includes('as_of=7d'))).toEqual([])
  })

  test('goes along with whois', async () => {
    const { paths, fetch } = recorded({ summary: '', known: false, kind: 'ip', ways: [], withheld: [] })
    await runWith({ argv: ['whois', '10.0.0.1', '--as-of', '24h'], fetch })
    expect(paths).toEqual(['/api/lookup/10.0.0.1?as_of=24h'])
  })
})
