/** Custom fields on the command line: `--custom`, `--sort`, CSV, spreadsheets, and imports of whole estates. In process. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { runCommand } from '../../testing/run-command.ts'

describe('custom fields on the command line', () => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp()
    admin = await app.as('admin')
  })
  afterAll(() => app.close())

  const run = (...argv: readonly string[]) => runCommand({ app, key: admin.key }, { argv })
  const done = async (...argv: readonly string[]): Promise<string> => {
    const { code, out, err } = await run(...argv)
    if (code !== 0) throw new Error(`${argv.join(' ')}: ${err}`)
    return out
  }
  const json = async (...argv: readonly string[]): Promise<unknown> => JSON.parse(await done(...argv, '-o', 'json'))

  test('are defined, written, filtered, sorted and cleared', async () => {
    await done('custom-field', 'create', 'devices', 'owner', 'text', '--label', 'Owner')
    await done('custom-field', 'create', 'devices', 'watts', 'integer', '--minimum', '0')
    await done('custom-field', 'create', 'devices', 'zones', 'choice', '--multiple', '--choice', 'a', '--choice', 'b')
    await done(
      'device',
      'create',
      'web-1',
      '--custom',
      'owner=neteng',
      '--custom',
      'watts=120',
      '--custom',
      'zones=a;b',
    )
    await done('device', 'create', 'web-2', '--custom', 'owner=ops', '--custom', 'watts=80')
    await done('device', 'create', 'web-3')
    const named = async (...flags: readonly string[]) =>
      (await done('device', 'list', '-o', 'name', ...flags)).trim().split('\n').filter(Boolean)
    expect(await json('device', 'get', 'web-1')).toMatchObject({
      custom: { owner: 'neteng', watts: 120, zones: ['a', 'b'] },
    })
    expect(await named('--custom', 'owner=NETENG')).toEqual(['web-1'])
    expect(await named('--custom', 'owner=*', '--custom', 'watts.min=80', '--custom', 'watts.max=100')).toEqual([
      'web-2',
    ])
    expect(await named('--custom', 'owner=')).toEqual(['web-3'])
    expect(await named('--sort', 'custom.watts')).toEqual(['web-2', 'web-1', 'web-3'])
    expect(await named('--sort', '-custom.watts')).toEqual(['web-1', 'web-2', 'web-3'])
    expect(await named('--sort=-name')).toEqual(['web-3', 'web-2', 'web-1'])
    await done('device', 'update', 'web-1', '--custom', 'owner=', '--custom', 'watts=121')
    expect(await json('device', 'get', 'web-1')).toMatchObject({ custom: { watts: 121, zones: ['a', 'b'] } })
    await done('device', 'update', 'web-2', '--unset', 'custom')
    expect(await json('device', 'get', 'web-2')).not.toHaveProperty('custom')
    const refused = await run('device', 'update', 'web-1', '--custom', 'ownr=x')
    expect([refused.code === 0, refused.err]).toEqual([false, expect.stringContaining('custom.ownr')])
  })

  test('take names and refs where they are references', async () => {
    const idOf = async (...argv: readonly string[]) => (await json(...argv)) as { readonly id: string }
    await done('custom-field', 'create', 'devices', 'rack_of', 'reference', '--reference-to', 'racks')
    await done('custom-field', 'create', 'devices', 'sites', 'reference', '--reference-to', 'datacenters', '--multiple')
    await done('custom-field', 'create', 'addresses', 'via', 'reference', '--reference-to', 'devices')
    const { id: rack } = await idOf('rack', 'create', 'R1')
    const other = await admin.api.racks.create({ name: 'R2', refs: { netbox: '7' } })
    for (const name of ['ams', 'fra']) await done('datacenter', 'create', name, '--id', name)
    await done('device', 'create', 'ref-1', '--id', 'ref-1')
    const create = ['device', 'create', 'ref-2', '--custom', 'rack_of=r1', '--custom', 'sites=AMS; fra']
    expect(await json(...create, '--address', 'ip=192.0.2.9,custom={"via":"ref-1"}')).toMatchObject({
      custom: { rack_of: rack, sites: ['ams', 'fra'] },
    })
    expect(await json('device', 'update', 'ref-2', '--custom', 'rack_of=netbox:7')).toMatchObject({
      custom: { rack_of: other.id },
    })
    const named = async (...filters: readonly string[]) =>
      (await done('device', 'list', '-o', 'name', ...filters.flatMap((one) => ['--custom', one]))).trim().split('\n')
    expect(await named('rack_of=R2', 'sites=fra')).toEqual(['ref-2'])
    expect(await named('rack_of=*')).toEqual(['ref-2'])
    expect(await json('device', 'update', 'ref-2', '--custom', `rack_of=${rack}`, '--custom', 'sites=')).toMatchObject({
      custom: { rack_of: rack },
    })
  })

  test('an error names a reference with an unknown or ambiguous name', async () => {
    const [one, two] = [
      await admin.api.racks.create({ name: 'twin', datacenter_id: 'ams' }),
      await admin.api.racks.create({ name: 'twin', datacenter_id: 'fra' }),
    ]
    const refused = await run('device', 'update', 'ref-2', '--custom', 'rack_of=twin', '--custom', 'sites=ams;nowhere')
    expect(refused.code).not.toBe(0)
    expect(refused.err).toContain('custom.rack_of: "twin" is the name of 2 racks')
    for (const { id } of [one, two]) expect(refused.err).toContain(id)
    expect(refused.err).toContain('custom.sites: no datacenter has the id or name "nowhere"')
    expect((await run('device', 'list', '--custom', 'rack_of=R9')).err).toContain(
      'custom.rack_of: no rack has the id or name "R9"',
    )
  })

  test('are columns of a CSV, which a spreadsheet gives back', async () => {
    await done('custom-field', 'create', 'vlans', 'tier', 'integer')
    await done('custom-field', 'create', 'vlans', 'note', 'text')
    expect((await done('vlan', 'list', '-o', 'csv')).split('\r\n')[0]).not.toContain('custom')
    await done('vlan', 'create', '10', 'web', '--custom', 'tier=2', '--custom', 'note=a, "b"')
    await done('vlan', 'create', '11', 'db')
    const csv = await done('vlan', 'list', '-o', 'csv')
    const [head = '', first = '', second = ''] = csv.split('\r\n')
    expect(head).toEndWith(',custom.note,custom.tier')
    expect(first).toEndWith(',"a, ""b""",2')
    expect(second).toEndWith(',,')
    const folder = mkdtempSync(join(tmpdir(), 'custom-csv-'))
    const file = join(folder, 'vlans.csv')
    writeFileSync(file, 'vlan_id,name,custom.tier,Notice\n10,web,3,again\n12,new,,first\n')
    const map = ['--map', 'Notice=custom.note']
    await done('import', 'csv', file, '--resource', 'vlans', ...map, '--yes')
    expect(await json('vlan', 'list')).toMatchObject([
      { vlan_id: 10, custom: { note: 'again', tier: 3 } },
      { vlan_id: 11 },
      { vlan_id: 12, custom: { note: 'first' } },
    ])
  })

  test('move with an estate to another server: definitions first', async () => {
    const other = await testApp()
    try {
      const target = await other.as('admin')
      const folder = mkdtempSync(join(tmpdir(), 'custom-estate-'))
      const exported = await done('export', '-')
      const file = join(folder, 'estate.json')
      writeFileSync(file, exported)
      const imported = await runCommand({ app: other, key: target.key }, { argv: ['import', file] })
      expect(imported.code).toBe(0)
      const valuesOf = async (caller: TestCaller) =>
        [...(await caller.api.devices.list({})), ...(await caller.api.vlans.list({}))].map(({ name, custom }) => [
          name,
          custom,
        ])
      expect(await valuesOf(target)).toEqual(await valuesOf(admin))
      const names = async (caller: TestCaller) =>
        (await caller.api.customFields.list({})).map(({ resource, name, type }) => `${resource} ${name} ${type}`)
      expect(await names(target)).toEqual(await names(admin))
    } finally {
      await other.close()
    }
  })

  test('are part of the estate as code', async () => {
    const yaml = await done('export', '-', '--as-code')
    expect(yaml).toContain('custom-fields:')
    expect(yaml).toContain('    custom:\n      note: again\n      tier: 3\n')
    const other = await testApp()
    try {
      const target = await other.as('admin')
      const file = join(mkdtempSync(join(tmpdir(), 'custom-code-')), 'estate.yaml')
      writeFileSync(file, yaml)
      const apply = async () => {
        const { code, out, err } = await runCommand(
          { app: other, key: target.key },
          { argv: ['apply', '-f', file, '--yes'] },
        )
        return { code, text: out + err }
      }
      expect(await apply()).toMatchObject({ code: 0 })
      expect((await target.api.vlans.list({})).map(({ name, custom }) => [name, custom])).toEqual([
        ['web', { note: 'again', tier: 3 }],
        ['db', undefined],
        ['new', { note: 'first' }],
      ])
      expect((await target.api.devices.list({ custom: { watts: '121' } })).map(({ name }) => name)).toEqual(['web-1'])
      const changes = await target.api.history.list({})
      expect(await apply()).toMatchObject({ code: 0 })
      expect((await target.api.history.list({})).length).toBe(changes.length)
    } finally {
      await other.close()
    }
  })
})
