// Consecutive allocations in one transaction: nothing is read twice, and no change is missed.
import { describe, expect, test } from 'bun:test'
import { inventory } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { GUEST } from '../../kernel/caller.ts'
import { type Lock, lockNamed } from '../../kernel/changes/locks.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { allocate } from './allocate.ts'

/** Rolls back a savepoint. */
class Undone extends Error {}

describe.each(engines())('allocations in one transaction on %s', (dialect) => {
  const inv = inventory(dialect)
  let networks = 0
  /** Four addresses on both sides of the boundary between two blocks: .254 and .255, .0 and .1. */
  const pool = async () => {
    const net = `10.${40 + ++networks}`
    const { id: network_id } = await inv.api.networks.create({ name: 'n', subnet: `${net}.0.0/16` })
    const range = { start_ip: `${net}.0.254`, end_ip: `${net}.1.1` }
    return { id: (await inv.api.pools.create({ network_id, name: 'p', ...range })).id, net }
  }
  type Shared = { readonly take: (count?: number) => Promise<readonly string[]>; readonly ctx: Ctx }
  const together = (id: string, work: (shared: Shared) => Promise<void>) =>
    inv.app.db.write(async ({ db, savepoint, local }) => {
      const own = {
        db,
        savepoint,
        local,
        store: inv.app.db,
        now: inv.now(),
        caller: GUEST,
        author: '',
        newId: () => Bun.randomUUIDv7(),
        lock: (...wanted: Parameters<Lock>) => lockNamed({ db, sql: inv.app.db.sql }, ...wanted),
        emit: async () => {},
        changed: () => {},
        revision: () => undefined,
        canListAll: () => true,
      }
      // Allocation uses only these fields.
      const ctx = own as unknown as Ctx
      await work({ ctx, take: async (count = 1) => (await allocate(ctx, { id, count, contiguous: false })).ips })
    })

  test('take one after the other, across blocks', async () => {
    const { id, net } = await pool()
    await together(id, async ({ take }) => {
      expect(await take()).toEqual([`${net}.0.254`])
      expect(await take(2)).toEqual([`${net}.0.255`, `${net}.1.0`])
      expect(await take()).toEqual([`${net}.1.1`])
      expect(await take().catch(({ code }) => [code])).toEqual(['IP_NOT_AVAILABLE'])
    })
    expect(await inv.api.reservations.list({ pool_id: id })).toHaveLength(4)
  })

  test('a rolled back allocation is free again', async () => {
    const { id, net } = await pool()
    await together(id, async ({ take, ctx }) => {
      expect(await take()).toEqual([`${net}.0.254`])
      const undone = ctx.savepoint(async () => {
        await take(2)
        throw new Undone()
      })
      await expect(undone).rejects.toThrow(Undone)
      expect(await take()).toEqual([`${net}.0.255`])
    })
    expect(await inv.api.reservations.list({ pool_id: id })).toHaveLength(2)
  })

  // No other transaction runs in between if there is one writer.
  if (dialect === 'postgres') {
    test('an address in an unlocked block that another transaction took is skipped', async () => {
      const { id, net } = await pool()
      await together(id, async ({ take }) => {
        await take(2)
        await inv.api.devices.create({ name: 'd', addresses: [{ ip: `${net}.1.0` }] })
        expect(await take()).toEqual([`${net}.1.1`])
      })
    })

    test('an address that another transaction freed is found before the pool counts as full', async () => {
      const { id, net } = await pool()
      const device = await inv.api.devices.create({
        name: 'd',
        addresses: [{ ip: `${net}.1.0` }, { ip: `${net}.1.1` }],
      })
      await together(id, async ({ take }) => {
        await take()
        await take()
        await inv.api.devices.delete({ id: device.id })
        expect(await take()).toEqual([`${net}.1.0`])
      })
    })

    test('a reservation that has expired is found then as well', async () => {
      const { id, net } = await pool()
      const made = await inv.api.reservations.allocate({ id, count: 4, ttl_seconds: 1 })
      expect(made.ips).toHaveLength(4)
      await together(id, async ({ take, ctx }) => {
        expect(await take().catch(({ code }) => [code])).toEqual(['IP_NOT_AVAILABLE'])
        inv.advance(1000)
        Object.assign(ctx, { now: inv.now() })
        expect(await take()).toEqual([`${net}.0.254`])
      })
    })
  }
})
