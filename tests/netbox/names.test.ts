// The slugs, colors and descriptions of names in an estate document: the NetBox API shows them, and nothing else of the estate has them.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Door, openDoor } from '../../testing/netbox/door.ts'
import { engines } from '../../testing/servers/servers.ts'

const ROLE = {
  ...{ kind: 'dcim.devicerole' as const, name: 'Gateway', slug: 'gw', color: '2196f3' },
  ...{ description: 'the way out', vm_role: false },
}
const TAG = { kind: 'extras.tag' as const, name: 'Büro', slug: 'buero' }
const DEVICES = [{ name: 'gw-1', role: 'gateway', tags: ['Büro'] }]

describe.each(engines())('names of a document on %s', (dialect) => {
  let door: Door
  beforeAll(async () => {
    door = await openDoor(dialect)
  })
  afterAll(() => door.close())

  const slugs = async (path: string): Promise<unknown[]> => {
    const { body } = await door.get(path)
    return (body as { results: { slug: string }[] }).results.map(({ slug }) => slug)
  }

  test('a dry run stores none, and an apply stores them with the rows', async () => {
    const document = { devices: DEVICES, names: [ROLE, TAG] }
    const plan = await door.api.estate.apply({ ...document, dry_run: true })
    expect(plan).toMatchObject({ new_names: 2 })
    expect(await slugs('dcim/device-roles/')).toEqual([])
    await door.api.estate.apply({ ...document, expect: plan.fingerprint })
    const { kind: _, ...shown } = ROLE
    expect((await door.get('dcim/device-roles/?slug=gw')).body).toMatchObject({
      results: [{ ...shown, name: expect.stringMatching(/^gateway$/i), device_count: 1 }],
    })
    expect((await door.get('dcim/devices/?name=gw-1')).body).toMatchObject({
      results: [{ role: { slug: 'gw' }, tags: [{ slug: 'buero' }] }],
    })
  })

  test('a document without a change stores its names, and a name that is stored stays as it is', async () => {
    const names = [
      { ...ROLE, slug: 'other' },
      { kind: 'dcim.platform' as const, name: 'Debian 13', slug: 'deb' },
    ]
    const document = { devices: DEVICES, names }
    expect(await door.api.estate.apply({ ...document, dry_run: true })).toMatchObject({ changed: false, new_names: 1 })
    expect(await door.api.estate.apply(document)).toMatchObject({ changed: false })
    expect(await slugs('dcim/device-roles/')).toEqual(['gw'])
    expect(await slugs('dcim/platforms/')).toEqual(['deb'])
  })

  test('a refused document stores none', async () => {
    const devices = [{ name: 'x', status: 'unknown' }]
    const names = [{ kind: 'dcim.manufacturer' as const, name: 'Dell', slug: 'd' }]
    await expect(door.api.estate.apply({ devices, names })).rejects.toMatchObject({ status: 400 })
    expect(await slugs('dcim/manufacturers/?slug=d')).toEqual([])
  })

  test('a bad name is refused with its place', async () => {
    const names = [TAG, { kind: 'extras.tag' as const, name: 'x', slug: 'no slug' }]
    await expect(door.api.estate.apply({ names })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'names[1].slug', message: 'must be 1 to 100 letters, digits, - and _' }],
    })
  })

  test('of several names that differ in case the first counts, and of several with one slug the first keeps it', async () => {
    const kind = 'dcim.manufacturer' as const
    const names = ['Acme', 'ACME', 'Other'].map((name) => ({ kind, name, slug: 'acme', description: name }))
    await door.api.estate.apply({ names })
    const { body } = await door.get('dcim/manufacturers/?ordering=id')
    const { results: all } = body as { results: { id: number; slug: string; description: string }[] }
    const results = all.filter(({ slug }) => slug !== 'unknown')
    expect(results.map(({ slug, description }) => [slug, description])).toEqual([
      ['acme', 'Acme'],
      [`acme-${results[1]?.id}`, 'Other'],
    ])
  })

  test('a text that no database stores is refused', async () => {
    const names = [
      { ...TAG, name: 'a\0b' },
      { ...TAG, name: '\ud800' },
      { ...TAG, description: 'a\0' },
    ]
    await expect(door.api.estate.apply({ names })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'names[0].name' }, { field: 'names[1].name' }, { field: 'names[2].description' }],
    })
  })
})
