// The example document with the fields of NetBox: it fits an empty Plat, and one with an imported NetBox, before and after.
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { RELEASED } from '../../src/exchange/packs/released.ts'
import type { Field } from '../../src/netbox/endpoint/field.ts'
import { REGISTERED } from '../../src/netbox/endpoints/registry.ts'
import { type TestApp, testApp } from '../../testing/app/app.ts'
import { rest } from '../../testing/netbox/forms.ts'
import { runCommand } from '../../testing/run-command.ts'

const EXAMPLE = join(import.meta.dir, '../../examples/netbox-fields.yaml')

type Run = (...argv: string[]) => ReturnType<typeof runCommand>

/** Runs a test on an empty Plat, with a file of a NetBox. */
const withPlat = async (work: (plat: { run: Run; app: TestApp; netbox: string }) => Promise<void>): Promise<void> => {
  const app = await testApp()
  const folder = mkdtempSync(join(tmpdir(), 'plat-netbox-fields-'))
  try {
    const { key } = await app.as('admin')
    const netbox = join(folder, 'netbox.json')
    writeFileSync(netbox, rest('4.6'))
    await work({ run: (...argv) => runCommand({ app, key }, { argv }), app, netbox })
  } finally {
    await app.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const apply = (run: Run) => run('apply', '-f', EXAMPLE, '--yes')
const importInto = (run: Run, netbox: string) => run('import', 'netbox', netbox, '--yes')
const DONE = { code: 0 }
const NOTHING = { code: 0, err: 'Nothing to do.\n' }

type Row = { readonly resource: string; readonly name: string; readonly choices?: readonly string[] }
type Example = { readonly packs: readonly string[]; readonly 'custom-fields': readonly Row[] }

const example = parse(readFileSync(EXAMPLE, 'utf8')) as Example
const buildKey = ({ resource, name }: Row): string => `${resource} ${name}`
const ROWS = new Map(example['custom-fields'].map((row) => [buildKey(row), row]))
const OF_PACKS = new Set(
  // The files of packs have rows of custom fields.
  RELEASED.filter(({ name }) => example.packs.includes(name)).flatMap((pack) =>
    (pack['custom-fields'] as readonly object[] as readonly Row[]).map(buildKey),
  ),
)

/** Fields of NetBox that are read of them, and are declared by themselves. */
const READ_APART = [
  ...['datacenters place_type', 'datacenters site_group', 'datacenters slug', 'tenants slug', 'racks width'],
]
/** Without a stack, which Plat has as an object of a pack, they say nothing. */
const OF_STACKS = ['devices vc_position', 'devices vc_priority']

type Served = { readonly resource: string; readonly field: Field<never>; readonly serves: (name: string) => boolean }

/** Returns the fields of the NetBox API that may be custom fields. */
const listServed = (): Served[] =>
  REGISTERED.flatMap(({ use }) =>
    use(({ fields, custom }) =>
      custom === undefined
        ? []
        : fields.map((field) => ({
            ...{ resource: custom.resource, serves: (name: string) => custom.serves(name) },
            // Only its name and type are read.
            field: field as Field<never>,
          })),
    ),
  )

describe('each field of the example', () => {
  test('serves the NetBox API', () => {
    const served = listServed()
    const isServed = ({ resource, name }: Row) => served.some((one) => one.resource === resource && one.serves(name))
    const unserved = [...ROWS.values()].filter((row) => !isServed(row)).map(buildKey)
    expect(unserved.filter((key) => !READ_APART.includes(key))).toEqual([])
  })

  test('is one of those that the NetBox API may have as custom fields, with all choices', () => {
    const own = listServed().filter(({ field, serves }) => serves(field.name))
    const simple = own.filter(({ field: { type } }) => type.is !== 'json' && type.is !== 'object')
    const keys = new Set(simple.map(({ resource, field }) => `${resource} ${field.name}`))
    const isKnown = (key: string) => ROWS.has(key) || OF_PACKS.has(key) || OF_STACKS.includes(key)
    expect([...keys].filter((key) => !isKnown(key))).toEqual([])
    for (const [key, { choices = [] }] of ROWS) {
      const listed = simple.flatMap(({ resource, field: { name, type } }) =>
        `${resource} ${name}` === key && type.is === 'choice' ? Object.keys(type.of) : [],
      )
      if (listed.length > 0) expect([key, choices.toSorted()]).toEqual([key, [...new Set(listed)].sort()])
    }
  })
})

describe('the fields of NetBox', () => {
  test('are made in an empty Plat, and a second apply changes nothing', () =>
    withPlat(async ({ run }) => {
      expect(await apply(run)).toMatchObject(DONE)
      expect(await apply(run)).toMatchObject(NOTHING)
    }))

  test('agree with a NetBox that is imported afterwards', () =>
    withPlat(async ({ run, netbox }) => {
      expect(await apply(run)).toMatchObject(DONE)
      expect(await importInto(run, netbox)).toMatchObject(DONE)
      expect(await apply(run)).toMatchObject(NOTHING)
    }))

  test('agree with a NetBox that was imported before, and keep its choices', () =>
    withPlat(async ({ run, netbox }) => {
      const listRoles = async () => {
        const { out } = await run('custom-field', 'list', '--resource', 'vlans', '-o', 'json')
        const fields = JSON.parse(out) as readonly { name: string; choices: string[] }[]
        return fields.find(({ name }) => name === 'role')?.choices
      }
      expect(await importInto(run, netbox)).toMatchObject(DONE)
      expect(await listRoles()).toEqual(['Production'])
      expect(await apply(run)).toMatchObject(DONE)
      expect(await listRoles()).toEqual(['Production', 'Management'])
      expect(await apply(run)).toMatchObject(NOTHING)
      const again = await importInto(run, netbox)
      expect([again.code, again.out]).toEqual([0, expect.stringContaining('0 to create, 0 to change, 0 to delete')])
    }))
})
