// Blanks around the texts of custom fields: they are no part of a value. Values that were stored with them are told.
import { describe, expect, test } from 'bun:test'
import { type Inventory, inventory, refusal } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

/** Stores a value as a release that did not trim texts has stored it. */
const storeUntrimmed = async ({ app, api }: Inventory, id: string, name: string, text: string): Promise<void> => {
  const device = await api.devices.get({ id })
  const { [name]: old = '' } = device.custom ?? {}
  const doc = JSON.stringify({ ...device, custom: { ...device.custom, [name]: text } })
  await app.db.write(async ({ db }) => {
    await db.updateTable('devices').set({ doc }).where('id', '=', id).execute()
    const values = db.updateTable('custom_values').set({ value: text.toLowerCase() })
    await values.where('object_id', '=', id).where('value', '=', String(old).toLowerCase()).execute()
  })
}

describe.each(onSqlite())('on %s', (dialect) => {
  const inv = inventory(dialect)

  test.each(['devices', 'networks'] as const)('a required text of %s refuses blanks', async (resource) => {
    const { id } = await inv.api.customFields.create({ resource, name: 'needed', type: 'text', required: true })
    const fields = resource === 'networks' ? { subnet: '10.90.0.0/24' } : {}
    for (const needed of ['', ' ', '\t\u3000'])
      expect(await inv.ask(`POST /api/${resource}`, { name: 'n', ...fields, custom: { needed } })).toMatchObject(
        refusal('custom.needed'),
      )
    const made = await inv.ask(`POST /api/${resource}`, { name: 'n', ...fields, custom: { needed: ' x ' } })
    expect(made).toMatchObject({ status: 201, body: { custom: { needed: 'x' } } })
    const { id: object } = made.body as { id: string }
    expect(await inv.ask(`PUT /api/${resource}/${object}`, { custom: { needed: '  ' } })).toMatchObject(
      refusal('custom.needed'),
    )
    await inv.api.customFields.delete({ id, force: true })
  })

  test('a unique text is the same with blanks around it', async () => {
    await inv.api.customFields.create({ resource: 'devices', name: 'serial', type: 'text', unique: true })
    await inv.api.devices.create({ name: 's1', custom: { serial: 'S1' } })
    for (const serial of ['S1 ', '\u00a0s1', 'S1\n'])
      expect(await inv.ask('POST /api/devices', { name: 's2', custom: { serial } })).toMatchObject({
        status: 409,
        body: { code: 'ALREADY_EXISTS' },
      })
  })

  test('the value of a document with blanks is the stored one', async () => {
    await inv.api.customFields.create({ resource: 'devices', name: 'note', type: 'text' })
    const devices = [{ name: 'noted', custom: { note: ' two words ' } }]
    await inv.api.estate.apply({ devices })
    expect(await inv.api.estate.apply({ devices })).toMatchObject({ changed: false })
  })

  test('a default of blanks is none', async () => {
    const field = await inv.api.customFields.create({ resource: 'racks', name: 'usual', type: 'text', default: '  ' })
    expect(field.default).toBeNull()
  })

  test('stored values stay until their object is written, and equal ones are reported', async () => {
    await inv.api.customFields.create({ resource: 'devices', name: 'tag', type: 'text', unique: true })
    const [one, two] = [
      await inv.api.devices.create({ name: 'tag-1', custom: { tag: 'T1' } }),
      await inv.api.devices.create({ name: 'tag-2', custom: { tag: 'T2' } }),
    ]
    const three = await inv.api.devices.create({ name: 'tag-3', custom: { tag: 'T3' } })
    await storeUntrimmed(inv, two.id, 'tag', ' t1 ')
    await storeUntrimmed(inv, three.id, 'tag', 'T3 ')
    await inv.api.devices.update({ id: two.id, os: 'Debian' })
    expect((await inv.api.devices.get({ id: two.id })).custom).toMatchObject({ tag: ' t1 ' })
    expect(await inv.api.system.warnings()).toEqual([
      {
        ...{ kind: 'custom_values_equal', resource: 'devices', id: two.id, name: 'tag-2' },
        message:
          '" t1 " in custom.tag is the value of "tag-1" as well, because blanks at the ends of a text no longer count. ' +
          'The field is unique: change one of them',
      },
    ])
    await inv.api.devices.update({ id: one.id, custom: { tag: 'T4' } })
    expect(await inv.api.system.warnings()).toEqual([])
  })
})
