// Repeated queries for the networks of an address in one transaction: its cache follows its own changes.
import { describe, expect, test } from 'bun:test'
import { inventory } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { GUEST } from '../../kernel/caller.ts'
import { type Lock, lockNamed } from '../../kernel/changes/locks.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { DEFAULT_SPACE, parseIpKeyOrThrow } from '../../net/ip.ts'
import { lockPlacementShared } from '../placement-lock.ts'
import { findNetworksHolding } from './membership.ts'
import * as networks from './networks.ts'
import { store } from './store.ts'

const keyOf = (ip: string) => parseIpKeyOrThrow(ip, DEFAULT_SPACE)

describe.each(engines())('the networks of an address on %s', (dialect) => {
  const inv = inventory(dialect)

  test('are the present ones, also in the transaction that changes them', async () => {
    const { id: wide } = await inv.api.networks.create({ name: 'wide', subnet: '10.90.0.0/16' })
    await inv.app.db.write(async ({ db, savepoint, local }) => {
      const given = { db, savepoint, local, store: inv.app.db, now: inv.now(), caller: GUEST }
      const lock: Lock = (...wanted) => lockNamed({ db, sql: inv.app.db.sql }, ...wanted)
      const own = { ...given, newId: () => Bun.randomUUIDv7(), lock, emit: async () => {}, revision: () => undefined }
      // Networks use only these fields.
      const ctx = { ...own, precondition: () => {}, changed: () => {} } as unknown as Ctx
      const holding = async (ip: string) => (await findNetworksHolding(ctx, [keyOf(ip)])).get(keyOf(ip))
      await lockPlacementShared(ctx)
      expect([await holding('10.90.1.1'), await holding('10.91.1.1')]).toEqual([[wide], []])
      expect([await holding('10.90.1.2'), await holding('10.91.1.1')]).toEqual([[wide], []])
      const draft = { datacenter_id: null, vlan_id: null, description: '', managed_by: '', scanner: '' }
      const narrow = await networks.create(ctx, { ...draft, name: 'narrow', subnet: '10.90.1.0/24' } as never)
      const twin = await networks.create(ctx, { ...draft, name: 'twin', subnet: '10.90.1.0/24' } as never)
      expect((await holding('10.90.1.1'))?.toSorted()).toEqual([narrow.id, twin.id].toSorted())
      await store.write(ctx, [{ before: twin }])
      expect(await holding('10.90.1.1')).toEqual([narrow.id])
      await store.write(ctx, [{ before: narrow }])
      expect([await holding('10.90.1.1'), await holding('10.90.1.2')]).toEqual([[wide], [wide]])
    })
  })
})
