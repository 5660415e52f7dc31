/** `plat export --as-code` and `plat schema estate`: files that `plat apply` reads. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { runCommand } from '../../testing/run-command.ts'

let app: TestApp
let admin: TestCaller
let key: string
let folder: string

const run = (...argv: string[]) => runCommand({ app, key }, { argv })
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')

beforeEach(async () => {
  app = await testApp()
  admin = await app.as('admin')
  key = admin.key
  folder = mkdtempSync(join(tmpdir(), 'plat-code-'))
  await admin.request('POST', '/api/estate/apply', {
    datacenters: [{ name: 'Amsterdam' }],
    networks: [{ name: 'ams-web', subnet: '10.40.1.0/24', datacenter: 'Amsterdam', managed_by: 'git' }],
    devices: [{ name: 'web-1', addresses: [{ ip: '10.40.1.1', network: 'ams-web' }], description: 'two\nlines' }],
  })
})
afterEach(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

test('a folder has a file for each list, the schema, and no difference', async () => {
  writeFileSync(join(folder, 'README.md'), 'kept')
  expect(await run('export', folder, '--as-code')).toMatchObject({ code: 0, err: `Exported to ${folder}\n` })
  expect(readdirSync(folder).sort()).toEqual([
    ...['README.md', 'datacenters.yaml', 'devices.yaml', 'estate.schema.json', 'networks.yaml'],
  ])
  expect(read('devices.yaml')).toBe(
    '# yaml-language-server: $schema=estate.schema.json\ndevices:\n  - name: web-1\n    description: |-\n      two\n      lines\n' +
      '    addresses:\n      - ip: 10.40.1.1\n        network: ams-web\n',
  )
  expect(await run('diff', '-f', folder)).toMatchObject({ code: 0 })
  expect((await run('schema', 'estate')).out).toBe(read('estate.schema.json'))
})

test('each list is in the file of its own resource, also one whose name has a hyphen', async () => {
  const document = {
    'custom-fields': [{ resource: 'devices', name: 'owner', type: 'text' }],
    pools: [{ name: 'p', network: 'ams-web', start_ip: '10.40.1.10', end_ip: '10.40.1.20' }],
    'device-types': [{ manufacturer: 'Acme', model: 'X1' }],
  }
  expect((await admin.request('POST', '/api/estate/apply', document)).status).toBe(200)
  await run('export', folder, '--as-code')
  for (const resource of Object.keys(document))
    expect(read(`${resource}.yaml`).match(/^[a-z][\w-]*:$/gm)).toEqual([`${resource}:`])
  expect(await run('diff', '-f', folder)).toMatchObject({ code: 0 })
})

test('the files of an export are replaced without --force, and files of empty lists removed', async () => {
  await run('export', folder, '--as-code')
  await run('device', 'delete', 'web-1')
  expect((await run('export', folder, '--as-code')).code).toBe(0)
  expect(existsSync(join(folder, 'devices.yaml'))).toBe(false)
})

test('a file of somebody else is not replaced', async () => {
  writeFileSync(join(folder, 'devices.yaml'), 'devices: []\n')
  const { code, err } = await run('export', folder, '--as-code')
  expect([code, err]).toEqual([2, expect.stringContaining('devices.yaml is not from plat export --as-code; --force')])
  expect(read('devices.yaml')).toBe('devices: []\n')
  expect((await run('export', folder, '--as-code', '--force')).code).toBe(0)
})

test('JSON, one owner, and standard output', async () => {
  expect((await run('export', folder, '--as-code', '-o', 'json', '--managed-by', 'git')).code).toBe(0)
  expect(readdirSync(folder).sort()).toEqual(['estate.schema.json', 'networks.json'])
  expect(JSON.parse(read('networks.json'))).toEqual({
    $schema: 'estate.schema.json',
    networks: [{ name: 'ams-web', subnet: '10.40.1.0/24', datacenter: 'Amsterdam' }],
  })
  expect(await run('diff', '-f', folder, '--managed-by', 'git')).toMatchObject({ code: 0 })
  const { out } = await run('export', '-', '--as-code', '--resource', 'datacenters')
  expect(out).toBe('datacenters:\n  - name: Amsterdam\n')
})

test.each([
  ['--managed-by without --as-code', ['export', '.', '--managed-by', 'git'], '--managed-by needs --as-code'],
  ['a past', ['export', '-', '--as-code', '--as-of', '1h'], 'it takes no --as-of'],
])('%s is refused', async (_, argv, message) => {
  expect(await run(...argv)).toMatchObject({ code: 2, err: expect.stringContaining(message) })
})
