/** Undo of changes that came from discovery: promotions, findings, field locks; and of resolved conflicts. */
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../../../testing/discovery.ts'
import { host } from '../../../../testing/servers/scripted-scanner.ts'
import { onSqlite } from '../../../../testing/servers/servers.ts'
import type { Change } from '../api.ts'

const A = '00:1b:21:00:00:0a'
const B = '00:1b:21:00:00:0b'

describe.each(onSqlite())('on %s', (dialect) => {
  const d = discoveryApp(dialect)
  const newest = async () => {
    const [change] = await d.api.history.list({ limit: 1 })
    if (!change) throw new Error('there is no change')
    return change
  }
  const undo = async (id: string) => {
    const { status, body } = await d.ask(`POST /api/history/${id}/undo`)
    return { status, body: body as Change }
  }
  const named = (ip: string, mac: string, name: string) => host(ip, { mac, names: [{ name, source: 'ptr' }] })

  test('a promotion: the device goes, and what was discovered is new again', async () => {
    const { id, at } = await d.network()
    await d.scan(id, [named(at(1), A, 'host-1')])
    const device = await d.api.discovery.promote({ id: (await d.only(id)).id, name: 'web' })
    const change = await newest()
    expect((await undo(change.id)).body.summary).toBe('deletes 1 device')
    await expect(d.api.devices.get({ id: device.id })).rejects.toThrow('No device')
    expect(await d.only(id)).toMatchObject({ promoted_to_device_id: null, promoted_at: null })
    expect(await d.api.inbox.list({ network_id: id })).toMatchObject([{ bucket: 'new', ip: at(1) }])
    // It can be promoted again.
    await d.api.discovery.promote({ id: (await d.only(id)).id, name: 'web' })
  })

  test('a promotion of many is one change, and its undo another one', async () => {
    const { id, at } = await d.network()
    await d.scan(id, [named(at(1), A, 'host-1'), named(at(2), B, 'host-2')])
    const ids = (await d.api.discovery.list({ network_id: id })).map((one) => one.id)
    await d.api.discovery.promoteMany({ ids, name: '{hostname}' })
    const undone = await undo((await newest()).id)
    expect(undone.body.summary).toBe('deletes 2 devices')
    expect((await undo(undone.body.id)).body.summary).toBe('creates 2 devices')
  })

  test('an accepted finding: the field is as it was, and the finding is there again', async () => {
    const { id, at } = await d.network()
    const made = await d.api.devices.create({ name: 'known', hostname: 'old-name', addresses: [{ ip: at(1) }] })
    await d.scan(id, [named(at(1), A, 'new-name')])
    const finding = async () => (await d.api.inbox.list({ network_id: id }))[0]?.fields.map(({ field }) => field)
    expect(await finding()).toEqual(['hostname'])
    const [item] = await d.api.inbox.list({ network_id: id })
    await d.api.inbox.accept({ items: [{ id: item?.id ?? '' }] })
    expect((await d.api.devices.get({ id: made.id })).hostname).toBe('new-name')
    expect(await d.api.inbox.list({ network_id: id })).toEqual([])
    expect((await undo((await newest()).id)).status).toBe(200)
    expect((await d.api.devices.get({ id: made.id })).hostname).toBe('old-name')
    expect(await finding()).toEqual(['hostname'])
  })

  test('a resolved conflict: the other device has its address again, and the conflict is found again', async () => {
    const { at } = await d.network()
    const kept = await d.api.devices.create({ name: 'kept', addresses: [{ ip: at(1) }] })
    const other = await d.api.devices.create({ name: 'other', addresses: [{ ip: at(1), label: 'eth0' }] })
    const open = () => d.api.conflicts.ofDevice({ id: kept.id, status: 'active' })
    const [conflict] = await open()
    await d.api.conflicts.resolve({ id: conflict?.id ?? '', keep_device_id: kept.id })
    expect(await open()).toEqual([])
    expect((await undo((await newest()).id)).body.summary).toBe('changes 1 device')
    expect((await d.api.devices.get({ id: other.id })).addresses).toEqual(other.addresses)
    expect(await open()).toMatchObject([{ type: 'duplicate_ip', ip_address: at(1) }])
  })

  test('a field lock, and the delete of one', async () => {
    const { id: device_id } = await d.api.devices.create({ name: 'locked' })
    const locks = async () => (await d.api.discoveryLocks.list({ device_id })).map(({ field }) => field)
    await d.api.discoveryLocks.create({ device_id, field: 'hostname' })
    const created = await undo((await newest()).id)
    expect([created.body.summary, await locks()]).toEqual(['deletes 1 field lock', []])
    expect((await undo(created.body.id)).status).toBe(200)
    expect(await locks()).toEqual(['hostname'])
    await d.api.discoveryLocks.delete({ device_id, field: 'hostname' })
    expect((await undo((await newest()).id)).body.summary).toBe('creates 1 field lock')
    expect(await locks()).toEqual(['hostname'])
  })

  test('the delete of a device brings back its locks and its relationships', async () => {
    const { id: device_id } = await d.api.devices.create({ name: 'whole' })
    const { id: child_id } = await d.api.devices.create({ name: 'part' })
    await d.api.discoveryLocks.create({ device_id, field: 'os' })
    await d.api.relationships.create({ device_id, child_id, type: 'contains', notes: 'n' })
    await d.api.devices.delete({ id: device_id })
    const { summary } = await newest()
    expect(summary).toBe('deletes 1 device, 1 relationship and 1 field lock')
    const { status, body } = await undo((await newest()).id)
    expect([status, body.summary]).toEqual([200, summary.replace('deletes', 'creates')])
    expect(await d.api.discoveryLocks.list({ device_id })).toMatchObject([{ field: 'os' }])
    expect(await d.api.relationships.list({ device_id })).toMatchObject([{ child_id, notes: 'n' }])
  })
})
