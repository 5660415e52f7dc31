// The catalog has the events of each resource, and an event of a later version is shown to nobody.
import { describe, expect, test } from 'bun:test'
import { inventory } from '../../../testing/estates/inventory.ts'
import { follow } from '../../../testing/feed.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { INVENTORY } from '../../inventory/resources.ts'
import { toKind } from '../../resource/nouns.ts'
import { getVisibleBody } from '../webhooks/event-rights.ts'
import { EVENT_NAMES, getEventPermission, toFamily } from './catalogue.ts'

test.each([...INVENTORY])('%s have three events, which need the permission to read them', (resource) => {
  const names = ['created', 'updated', 'deleted'].map((verb) => `${toFamily(toKind(resource))}.${verb}`)
  expect(names.map((name): string | undefined => getEventPermission(name))).toEqual(names.map(() => `${resource}:read`))
})

test('the catalog has no name twice', () => {
  expect(new Set(EVENT_NAMES).size).toBe(EVENT_NAMES.length)
})

test('an unknown event has no permission', () => {
  expect(getEventPermission('circuit.created')).toBeUndefined()
})

test('a delivery of an unknown event shows no body', () => {
  const caller = { permissions: new Set(['devices:read', 'events:read']) }
  expect(
    getVisibleBody({ caller } as never, { event: 'circuit.created', body: '{"event":"circuit.created"}' }, []),
  ).toBeUndefined()
})

describe.each(onSqlite())('on %s', (dialect) => {
  const inv = inventory(dialect)

  test('an unknown event that a later version has stored is not sent', async () => {
    const feed = await follow(inv.admin)
    await feed.opened()
    const row = { resource_id: 'c', data: '{"name":"c"}', change_id: '', created_at: inv.now() }
    await inv.app.db.write(async ({ db }) => {
      await db
        .insertInto('events')
        .values({ event: 'circuit.created', ...row })
        .execute()
    })
    await inv.api.devices.create({ name: 'after it' })
    expect((await feed.hears(1)).map(({ event }) => event)).toEqual(['device.created'])
    await feed.stop()
  })
})
