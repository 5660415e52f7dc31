/** Kinds on the command line: objects by `plat object`, and a kind as a noun. In process. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { runCommand } from '../../testing/run-command.ts'

/** The end of an import of two rows that are there already. */
const UNCHANGED = '0 to create, 0 to change, 0 to delete, 2 unchanged'

type Id = { readonly id: string; readonly name: string }

describe('kinds on the command line', () => {
  let app: TestApp
  let admin: TestCaller
  const run = (...argv: readonly string[]) => runCommand({ app, key: admin.key }, { argv })
  const done = async (...argv: readonly string[]): Promise<string> => {
    const { code, out, err } = await run(...argv)
    if (code !== 0) throw new Error(`${argv.join(' ')}: ${err}`)
    return out
  }
  const json = async (...argv: readonly string[]): Promise<unknown> => JSON.parse(await done(...argv, '-o', 'json'))
  const listNames = async (...argv: readonly string[]): Promise<string[]> =>
    (await done(...argv, '-o', 'name')).trim().split('\n').filter(Boolean)

  let acme = ''
  beforeAll(async () => {
    app = await testApp()
    admin = await app.as('admin')
    const { api } = admin
    await api.kinds.create({ name: 'Tenants', nested: true, unique_names: false })
    await api.kinds.create({
      name: 'Circuits',
      located: true,
      fields: [
        { name: 'commit_kbps', type: 'integer', label: 'Committed rate', minimum: 1 },
        { name: 'status', type: 'choice', choices: ['active', 'planned'], multiple: true },
        { name: 'managed', type: 'boolean' },
        { name: 'tenant', type: 'reference', reference_to: 'tenants' },
        { name: 'url', type: 'url' },
      ],
    } as never)
    await api.kinds.create({ name: 'Services', nested: true })
    await api.customFields.create({ resource: 'devices', name: 'tenant', type: 'reference', reference_to: 'tenants' })
    acme = (await api.objects.create({ kind_id: 'tenants', name: 'Acme' })).id
    // Another kind has an object of that name.
    await api.objects.create({ kind_id: 'services', name: 'Acme' })
    await api.datacenters.create({ id: 'ams', name: 'Amsterdam' })
  })
  afterAll(() => app.close())

  test('plat object takes the kind as its first word, and names in references are looked up in the kind', async () => {
    const made = await json(
      'object',
      'create',
      'circuits',
      'CID-0',
      '--custom',
      'tenant=acme',
      '--datacenter',
      'amsterdam',
    )
    expect(made).toMatchObject({ kind_id: 'circuits', name: 'CID-0', datacenter_id: 'ams', custom: { tenant: acme } })
    expect(await listNames('object', 'list', 'Circuits')).toEqual(['CID-0'])
    expect(await listNames('object', 'list', 'circuits', '--custom', 'tenant=Acme')).toEqual(['CID-0'])
    const unit = (await json('object', 'create', 'tenants', 'unit', '--parent', 'Acme')) as Id
    expect(unit).toMatchObject({ parent_id: acme })
    const cleared = ['object', 'update', unit.id, '--unset', 'parent']
    expect(await json(...cleared)).toMatchObject({ parent_id: null })
    expect(await json('object', 'update', unit.id, '--parent', 'Acme')).toMatchObject({ parent_id: acme })
    expect(await json('device', 'create', 'web-1', '--custom', 'tenant=ACME')).toMatchObject({
      custom: { tenant: acme },
    })
    expect(await json('object', 'references', unit.id)).toEqual([])
    await done('object', 'delete', 'CID-0')
  })

  test('a kind is a noun by its id and by its singular id, with flags named after its fields', async () => {
    const flags = [
      '--commit-kbps',
      '1000',
      '--status',
      'active',
      '--status',
      'planned',
      '--managed',
      '--tenant',
      'Acme',
    ]
    expect(await json('circuits', 'create', 'CID-1', ...flags, '--datacenter', 'ams')).toMatchObject({
      ...{ kind_id: 'circuits', name: 'CID-1', datacenter_id: 'ams' },
      custom: { commit_kbps: 1000, status: ['active', 'planned'], managed: true, tenant: acme },
    })
    await done('circuit', 'create', 'CID-2', '--no-managed', '--custom', 'url=https://carrier.example/2')
    expect(await listNames('circuit', 'list')).toEqual(['CID-1', 'CID-2'])
    expect(await listNames('circuits', 'list', '--tenant', 'Acme', '--commit-kbps', '1000')).toEqual(['CID-1'])
    expect(await listNames('circuits', 'list', '--sort', '-name', '--limit', '1')).toEqual(['CID-2'])
    const changed = await json(
      'circuit',
      'update',
      'cid-1',
      '--unset',
      'commit-kbps',
      '--unset',
      'datacenter',
      '--tenant',
      '',
    )
    expect(changed).toMatchObject({ datacenter_id: null, custom: { status: ['active', 'planned'], managed: true } })
    expect(Object.keys((changed as { custom: object }).custom)).toEqual(['managed', 'status'])
    expect(await json('circuit', 'get', 'CID-2')).toMatchObject({ custom: { managed: false } })
    expect(await done('circuit', 'delete', 'CID-1')).toBe('')
    expect(await listNames('circuit', 'list')).toEqual(['CID-2'])
    expect(await json('circuit', 'history', 'CID-2')).toHaveLength(1)
  })

  test('a name is looked up in the kind of the noun, and an id of another kind is none of it', async () => {
    expect(await json('tenant', 'get', 'Acme')).toMatchObject({ id: acme, kind_id: 'tenants' })
    expect(await json('service', 'get', 'Acme')).toMatchObject({ kind_id: 'services' })
    const refused = await run('service', 'delete', acme)
    expect(refused).toMatchObject({ code: 4, out: '' })
    expect(refused.err).toContain(`no service has the id or name "${acme}"`)
    expect((await run('circuit', 'create', 'x', '--tenant', 'nobody')).err).toContain(
      'custom.tenant: no tenant has the id or name "nobody"',
    )
    await done('tenant', 'create', 'twin')
    await done('tenant', 'create', 'Twin')
    expect((await run('tenant', 'get', 'twin')).err).toContain('"twin" is the name of 2 tenants; give an id')
  })

  test('help prints the commands of a kind and the flags of its fields', async () => {
    const noun = await run('circuits', '--help')
    expect(noun.code).toBe(0)
    expect(noun.out).toContain('circuits create      Create a circuit')
    const { out } = await run('help', 'circuit', 'create')
    expect(out).toContain('plat circuit create NAME [flags]')
    expect(out).toMatch(/--commit-kbps NUMBER +Committed rate \(at least 1\)/)
    expect(out).toMatch(/--status CHOICE .*one of active, planned.*repeats/)
    expect(out).toMatch(/--tenant TENANT .*id or name/)
    expect(out).not.toContain('--kind')
    // A flag of every command, and a parent where there is none.
    expect(out).not.toMatch(/--url URL +url/)
    expect(out).not.toContain('--parent')
    expect(await run('circuit')).toMatchObject({ code: 2, out: '' })
  })

  test('a word that is neither a command nor a kind is a usage error, and so is an unknown verb', async () => {
    const unknown = await run('circuitz', 'list')
    expect(unknown).toMatchObject({ code: 2, out: '' })
    expect(unknown.err).toContain('unknown command "circuitz"')
    const verb = await run('circuits', 'lst')
    expect(verb.code).toBe(2)
    expect(verb.err).toContain('unknown command "circuits lst"; did you mean list?')
    expect((await run('circuits', 'create', 'x', '--comit-kbps', '1')).err).toContain('did you mean --commit-kbps?')
  })

  test('without a server, and with a wrong key, the word is an unknown command', async () => {
    const argv = ['circuits', 'list']
    const fetch = () => Promise.reject(new TypeError('no server'))
    const expected = { code: 2, out: '', err: (await run('nothing', 'list')).err.replace('nothing', 'circuits') }
    expect(await runCommand({ app, key: admin.key }, { argv, fetch })).toEqual(expected)
    expect(await runCommand({ app, key: 'wrong' }, { argv })).toEqual(expected)
  })

  test('the server and the key may be named behind the words', async () => {
    const { code, out } = await runCommand(
      { app, key: 'wrong' },
      { argv: ['circuits', 'list', '-o', 'name', '--token', admin.key, '--url=http://plat.test'] },
    )
    expect([code, out]).toEqual([0, 'CID-2\n'])
  })

  test('built-in commands win over kinds', async () => {
    expect((await run('kind', 'create', 'Racks')).err).toContain('"racks" is a word of Plat')
    expect(await listNames('rack', 'list')).toEqual([])
  })

  test('a spreadsheet of one kind is imported, by names of columns and by labels, and a second import changes nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kinds-csv-'))
    const file = join(folder, 'lines.csv')
    const rows = [
      'Name,Committed rate,custom.status,Managed,Tenant,Comment,Site',
      `CSV-1,2000,active;planned,yes,${acme},first,Amsterdam`,
      'CSV-2,,,no,,,',
    ]
    writeFileSync(file, rows.join('\n'))
    await done('import', 'csv', file, '--kind', 'Circuits', '--yes')
    expect(await json('circuit', 'get', 'CSV-1')).toMatchObject({
      ...{ kind_id: 'circuits', description: 'first', datacenter_id: 'ams' },
      custom: { commit_kbps: 2000, status: ['active', 'planned'], managed: true, tenant: acme },
    })
    expect(await json('circuit', 'get', 'CSV-2')).toMatchObject({ datacenter_id: null, custom: { managed: false } })
    expect(await done('import', 'csv', file, '--kind', 'circuits', '--yes')).toContain(UNCHANGED)
    const mapping = join(folder, 'mapping.yaml')
    await done('import', 'csv', file, '--kind', 'circuits', '--save-mapping', mapping, '--dry-run')
    expect(readFileSync(mapping, 'utf8')).toContain('kind: circuits')
    expect(await done('import', 'csv', file, '--mapping', mapping, '--yes')).toContain(UNCHANGED)
  })

  test('a CSV of the objects of one kind has a column for each custom field, and is imported again', async () => {
    const csv = await done('circuits', 'list', '--name', 'csv', '-o', 'csv')
    expect(csv.split('\r\n')[0]).toContain('custom.commit_kbps,custom.managed,custom.status,custom.tenant')
    const file = join(mkdtempSync(join(tmpdir(), 'kinds-csv-')), 'circuits.csv')
    writeFileSync(file, csv)
    expect(await done('import', 'csv', file, '--kind', 'circuits', '--yes')).toContain(UNCHANGED)
  })

  test('a kind is refused where there is none, or for another resource or source', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'kinds-csv-')), 'x.csv')
    writeFileSync(file, 'name\nx\n')
    expect((await run('import', 'csv', file, '--kind', 'nothing')).err).toContain(
      'no kind has the id or name "nothing"',
    )
    expect((await run('import', 'csv', file, '--kind', 'circuits', '--resource', 'devices')).code).not.toBe(0)
    expect(await run('import', 'hosts', file, '--kind', 'circuits')).toMatchObject({ code: 2 })
  })

  test('a completion knows the kinds, their verbs, flags, choices and names', async () => {
    const complete = async (...words: readonly string[]) =>
      (await done('__complete', '--', ...words)).trim().split('\n').filter(Boolean)
    expect(await complete('circ')).toEqual(['circuit', 'circuits'])
    expect(await complete('circuits', 'cr')).toEqual(['create'])
    expect(await complete('circuit', 'create', 'x', '--comm')).toEqual(['--commit-kbps'])
    expect(await complete('circuit', 'create', 'x', '--status', '')).toEqual(['active', 'planned'])
    expect(await complete('circuit', 'create', 'x', '--tenant', 'Ac')).toEqual(['Acme'])
    expect(await complete('nothing', 'l')).toEqual([])
  })
})
