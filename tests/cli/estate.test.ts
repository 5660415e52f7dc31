/** `plat import` and `plat export` against a real server, in process. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getFileResource } from '../../src/exchange/cli/cli-resources.ts'
import { ImportQuery } from '../../src/exchange/estate/api.ts'
import { INVENTORY } from '../../src/inventory/resources.ts'
import { type TestApp, testApp } from '../../testing/app/app.ts'
import type { MemoryIo } from '../../testing/memory-io.ts'
import { runCommand } from '../../testing/run-command.ts'

const ESTATE: Readonly<Record<string, readonly object[]>> = {
  datacenters: [{ id: 'dc-1', name: 'HQ' }],
  networks: [{ id: 'net-1', name: 'lan', subnet: '10.0.0.0/24', datacenter_id: 'dc-1' }],
  pools: [{ id: 'pool-1', network_id: 'net-1', name: 'web', start_ip: '10.0.0.10', end_ip: '10.0.0.50' }],
  devices: [{ id: 'dev-1', name: 'web "01"], {', tags: ['a'], addresses: [{ ip: '10.0.0.5', network_id: 'net-1' }] }],
  devices_extra: [{ id: 'dev-2', name: 'web-02' }],
  relationships: [{ parent_id: 'dev-1', child_id: 'dev-2', type: 'depends_on' }],
  reservations: [{ pool_id: 'pool-1', ip_address: '10.0.0.20', purpose: 'printer' }],
}

/** Resources of which this estate has none, beside spaces. */
const NEW: readonly string[] = [
  'kinds',
  'custom-fields',
  'scanners',
  'device-types',
  'racks',
  'ports',
  'cables',
  'objects',
]

let app: TestApp
let key: string
let folder: string

const runWith = (options: MemoryIo) => runCommand({ app, key }, options)
const run = (...argv: string[]) => runWith({ argv })
const put = (name: string, content: unknown): string => {
  const path = join(folder, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2))
  return path
}
const putEstate = () => Object.entries(ESTATE).map(([name, rows]) => put(`${name}.json`, rows))
const countOf = async (resource: string): Promise<unknown> => {
  const { out } = await run(resource.slice(0, -1), 'list', '-q')
  return out.split('\n').length - 1
}

beforeEach(async () => {
  app = await testApp()
  key = (await app.as('admin')).key
  folder = mkdtempSync(join(tmpdir(), 'plat-estate-'))
})
afterEach(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

test('client and server have the same resources in the same order', () => {
  expect(ImportQuery.shape.resource.options).toEqual([...INVENTORY])
})

test.each([
  ['devices.json', 'devices'],
  ['devices_extra.json', 'devices'],
  ['devices-2.ndjson', 'devices'],
  ['Networks.YAML', 'networks'],
  ['devicesque.json', undefined],
  ['discovery_rules.json', undefined],
  ['devices.csv', undefined],
  ['.devices.json', undefined],
])('%s holds %s', (name, resource) => {
  expect(getFileResource(name)).toBe(resource as never)
})

describe('import', () => {
  test('a folder, in the order of its references, with a note of what is left out', async () => {
    putEstate()
    put('webhooks.json', [])
    put('README.md', 'no data')
    const { code, out, err } = await run('import', folder)
    expect(err).toBe('note: webhooks.json skipped: its name is not that of a resource\n')
    expect(code).toBe(0)
    expect(out.split('\n').map((line) => line.split(/ +/).slice(0, 3).join(' '))).toEqual([
      'FILE RESOURCE CREATED',
      'datacenters.json datacenters 1',
      'networks.json networks 1',
      'pools.json pools 1',
      'devices.json devices 1',
      'devices_extra.json devices 1',
      'relationships.json relationships 1',
      'reservations.json reservations 1',
      '',
    ])
  })

  test('twice changes nothing', async () => {
    putEstate()
    await run('import', folder)
    const { out } = await run('import', folder, '-o', 'json')
    expect(JSON.parse(out)).toHaveLength(7)
    for (const result of JSON.parse(out))
      expect(result).toMatchObject({ created: 0, updated: 0, unchanged: 1, failed: 0 })
  })

  test('a bad row ends it, is named, and leaves its file out', async () => {
    putEstate()
    put('networks.json', [...(ESTATE.networks ?? []), { name: 'bad', subnet: '10.0.0.0/99' }])
    const { code, err } = await run('import', folder)
    expect(code).toBe(2)
    expect(err).toContain(
      "error: networks.json: 1 of its rows can't be loaded, so none of them was\n  networks.json: row 2: subnet: ",
    )
    expect(err).toContain('note: not tried: pools.json, devices.json')
    expect([await countOf('datacenters'), await countOf('networks')]).toEqual([1, 0])
  })

  test.each([
    ['UNAUTHORIZED', 'Not signed in'],
    ['FORBIDDEN', 'You need the permission datacenters:create'],
  ])('a last line of %s is an error, with exit code 3', async (code, message) => {
    const file = put('datacenters.json', ESTATE.datacenters)
    const line = JSON.stringify({ error: { code, error: message, details: [] } })
    const fetch = async () => new Response(`{"progress":{"done":1,"total":2}}\n${line}\n`)
    const { code: exit, out, err } = await runWith({ argv: ['import', file], fetch })
    expect([exit, out, err.includes(message)]).toEqual([3, '', true])
  })

  test('a dry run changes nothing', async () => {
    const file = put('datacenters.json', ESTATE.datacenters)
    const { code, out, err } = await run('import', file, '--dry-run', '--no-headers')
    expect(code).toBe(0)
    expect(out).toMatch(/^datacenters.json +datacenters +1 +0 +0 +0\n$/)
    expect(err).toStartWith('note: a dry run: nothing was changed')
    expect(await countOf('datacenters')).toBe(0)
  })

  test.each([
    ['rows.ndjson', '{"id":"a","name":"A"}\n\n{"id":"b","name":"B"}\n'],
    ['rows.yaml', '- id: a\n  name: A\n- id: b\n  name: B\n'],
    ['rows.json', '[{"id":"a","name":"A"},{"id":"b","name":"B"}]'],
  ])('%s, with the name of its resource', async (name, content) => {
    const path = put(name, content)
    expect((await run('import', path)).code).toBe(2)
    expect(await run('import', path, '--resource', 'datacenters')).toMatchObject({ code: 0 })
    expect(await countOf('datacenters')).toBe(2)
  })

  test('nothing to import is an error', async () => {
    mkdirSync(join(folder, 'empty'))
    expect(await run('import', join(folder, 'empty'))).toMatchObject({ code: 2 })
    expect(await run('import', join(folder, 'missing'))).toMatchObject({ code: 2 })
    expect((await run('import', folder, '--resource', 'device')).err).toContain('did you mean devices?')
  })

  test('a file that is more than the server takes', async () => {
    const file = put('datacenters.json', ESTATE.datacenters)
    truncateSync(file, 513 * 1024 * 1024)
    const fetch = async () => new Response(null, { status: 413 })
    expect(await runWith({ argv: ['import', file], fetch })).toMatchObject({
      code: 2,
      err: 'error: datacenters.json is more than the server takes at once: split it into several files\n',
    })
  })

  test('a server that stops in the middle', async () => {
    const file = put('datacenters.json', ESTATE.datacenters)
    const fetch = async () => new Response('{"progress":{"done":1,"total":2}}\n{"resu')
    expect(await runWith({ argv: ['import', file], fetch })).toMatchObject({
      code: 6,
      err: 'error: http://plat.test broke off in the middle of datacenters.json\n',
    })
  })

  test('progress on a terminal', async () => {
    const file = put('datacenters.json', ESTATE.datacenters)
    const { err } = await runWith({ argv: ['import', file], columns: 80 })
    expect(err).toContain('datacenters.json [########################] 100 % (1 of 1)')
  })
})

describe('export', () => {
  beforeEach(async () => {
    putEstate()
    await run('import', folder)
  })

  test('a folder that imports with nothing changed', async () => {
    const target = join(folder, 'out')
    expect(await run('export', target)).toMatchObject({ code: 0, out: '' })
    // Resources that the estate lacks have no files.
    const resources = INVENTORY.filter((one) => one !== 'spaces' && !NEW.includes(one))
    expect(readdirSync(target).sort()).toEqual(resources.map((one) => `${one}.json`).sort())
    const devices = readFileSync(join(target, 'devices.json'), 'utf8')
    expect(JSON.parse(devices)).toMatchObject([{ id: 'dev-1', name: 'web "01"], {' }, { id: 'dev-2' }])
    expect(devices.trimEnd().split('\n')).toHaveLength(2)
    const { out } = await run('import', target, '-o', 'json')
    for (const result of JSON.parse(out)) expect(result).toMatchObject({ created: 0, updated: 0, failed: 0 })
  })

  test('one object, from server to server', async () => {
    await run('space', 'create', 'lab')
    await run('network', 'create', 'lan', '10.0.0.0/24', '--space', 'Lab')
    await run(
      'device',
      'create',
      'both',
      '--address',
      'ip=10.0.0.9,space=lab',
      '--address',
      'ip=10.0.0.9,space=default',
    )
    const listed = async (space: string) =>
      JSON.parse((await run('network', 'list', '--space', space, '-o', 'json')).out)
    expect([(await listed('lab')).length, (await listed('DEFAULT')).map(({ id }: { id: string }) => id)]).toEqual([
      ...[1, ['net-1']],
    ])
    const { out } = await run('export', '-')
    expect(JSON.parse(out).devices[0].addresses.map(({ space_id }: { space_id?: string }) => space_id)).toEqual([
      ...[JSON.parse(out).spaces[0].id, undefined],
    ])
    expect(Object.keys(JSON.parse(out))).toEqual(INVENTORY.filter((resource) => !NEW.includes(resource)))
    const { code, out: summary } = await runWith({ argv: ['import', '-', '-o', 'json'], stdin: out })
    expect(code).toBe(0)
    for (const result of JSON.parse(summary)) expect(result).toMatchObject({ created: 0, updated: 0, failed: 0 })
    const file = put('estate.json', out)
    expect((await run('import', file)).code).toBe(0)
  })

  test('only one resource', async () => {
    expect(Object.keys(JSON.parse((await run('export', '--resource', 'pools')).out))).toEqual(['pools'])
  })

  test('a folder that is not empty stays unchanged', async () => {
    expect((await run('export', folder)).err).toEndWith('is not empty; --force writes into it all the same\n')
    expect((await run('export', folder, '--force')).code).toBe(0)
  })

  test('a failed one leaves nothing behind', async () => {
    const target = join(folder, 'out')
    const fetch: MemoryIo['fetch'] = async (url) => new Response(url.endsWith('/devices') ? '[{"id":"x"' : '[]')
    expect(await runWith({ argv: ['export', target], fetch })).toMatchObject({ code: 6 })
    expect(readdirSync(target)).toEqual([])
  })
})
