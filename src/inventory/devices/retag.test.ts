// Adding tags to and removing them from a device, independent of its other tags.
import { describe, expect, test } from 'bun:test'
import { inventory, refusal } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'

describe.each(engines())('the tags of a device on %s', (dialect) => {
  const inv = inventory(dialect)
  const device = async (tags: string[]) => (await inv.api.devices.create({ name: 'd', tags })).id
  const update = (id: string, body: object) => inv.ask(`PUT /api/devices/${id}`, body)

  test('are added to behind the others, each once', async () => {
    const id = await device(['a', 'b'])
    expect(await update(id, { add_tags: ['c', 'a', ' c '] })).toMatchObject({ body: { tags: ['a', 'b', 'c'] } })
  })

  test('are taken away where they are', async () => {
    const id = await device(['a', 'b'])
    expect(await update(id, { remove_tags: ['a', 'x'] })).toMatchObject({ body: { tags: ['b'] } })
  })

  test('are set first where all is given, then added to, then taken from', async () => {
    const id = await device(['a'])
    const body = { tags: ['b', 'c'], add_tags: ['d'], remove_tags: ['c'] }
    expect(await update(id, body)).toMatchObject({ body: { tags: ['b', 'd'] } })
  })

  test('stay as they are where nothing is new, and so does the device', async () => {
    const id = await device(['a'])
    const before = await inv.api.devices.get({ id })
    inv.advance(1000)
    expect((await update(id, { add_tags: ['a'], remove_tags: null })).body).toEqual(before)
  })

  test('are at most 100', async () => {
    const id = await device(Array.from({ length: 99 }, (_, i) => `t${i}`))
    expect(await update(id, { add_tags: ['x', 'y'] })).toMatchObject(refusal('add_tags'))
  })

  test('of a bulk call keep tags that another user adds concurrently', async () => {
    const id = await device(['seen'])
    await update(id, { tags: ['seen', 'theirs'] })
    await inv.ask('POST /api/devices/bulk', { operations: [{ op: 'update', id, device: { add_tags: ['mine'] } }] })
    expect((await inv.api.devices.get({ id })).tags).toEqual(['seen', 'theirs', 'mine'])
  })
})
