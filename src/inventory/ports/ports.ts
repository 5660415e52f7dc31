/** The rules of ports. */

import { AppError, invalidField, notFound, orNotFound } from '../../contract/errors.ts'
import { runBulk } from '../../kernel/bulk/bulk-run.ts'
import { withChangedRefs } from '../../kernel/changes/object-refs.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { listRows } from '../../kernel/list.ts'
import { parseMac } from '../../net/mac.ts'
import { lockAllDefinitions } from '../../resource/custom/definitions.ts'
import { mergeCustom, withCustomOfNew } from '../../resource/custom/rows.ts'
import { emitDeleting } from '../../resource/deleting.ts'
import { type AnyQuery, createList, type ListInput } from '../../resource/list.ts'
import { asRestored, type Restored } from '../../resource/restore-fields.ts'
import { createBuild, rewriteStored } from '../../resource/rules.ts'
import { assertDeviceExists } from '../devices/devices.ts'
import { renameInterface } from '../devices/moves/rename-interface.ts'
import type { Device } from '../devices/schema.ts'
import { adopt } from './adopt.ts'
import { type Port, PortDraft, PortPatch, ports } from './api.ts'
import { checkCables, checkParent, refuseTakenName, refuseTooMany } from './checks.ts'
import { addMissing } from './missing.ts'
import { findPeers, type Peers } from './peers.ts'
import { portFacts } from './resource.ts'
import {
  buildNaturalKey,
  computeDerived,
  findChildren,
  findIdsByKeys,
  findOfDevices,
  lockDevices,
  NO_MAC,
  type StoredPort,
  store,
  USUAL_KIND,
} from './store.ts'

type NewPort = PortDraft & Restored

/** For the history, and for the rows of documents and files. */
export const { documents: findDocuments, findAll } = store
export { buildNaturalKey, computeDerived, findIdsByKeys }

const build = createBuild<StoredPort>(portFacts)

export const create = async (ctx: Ctx, draft: NewPort): Promise<Port> => {
  const bare = build(ctx, draft)
  await store.lockCustom(ctx)
  if (!(await lockDevices(ctx, [bare.device_id])).has(bare.device_id)) throw notFound('device', bare.device_id)
  if (draft.id !== undefined && (await store.find(ctx, bare.id)))
    throw new AppError('ALREADY_EXISTS', `A port with id "${bare.id}" exists already`)
  // Before the name: of several creates by one ref, the later ones become updates.
  await store.claimRefs(ctx, bare.refs)
  await refuseTakenName(ctx, bare)
  await refuseTooMany(ctx, bare.device_id, 1)
  await checkParent(ctx, bare)
  const port = await withCustomOfNew(ctx, 'ports', { object: bare, given: draft.custom, ...asRestored(draft) })
  await store.write(ctx, [{ after: port }])
  return port
}

/** Makes deleted ports again: their parents are there, or among them. */
export const createAll = async (ctx: Ctx, drafts: readonly NewPort[]): Promise<void> => {
  const made = new Set<string>()
  let left = [...drafts]
  while (left.length > 0) {
    const waiting = new Set(left.flatMap(({ id }) => (id !== undefined && !made.has(id) ? [id] : [])))
    const ready = left.filter(({ parent_id }) => parent_id === null || !waiting.has(parent_id))
    // Ports that are parts of each other are refused by `create`.
    const step = ready.length > 0 ? ready : left
    for (const draft of step) made.add((await create(ctx, draft)).id)
    left = left.filter((draft) => !step.includes(draft))
  }
}

/** Locks the device of a port, and returns the port as it is then. @throws AppError NOT_FOUND */
const lockForChange = async (ctx: Ctx, id: string): Promise<StoredPort> => {
  await lockAllDefinitions(ctx)
  // A port never changes its device.
  const { device_id } = orNotFound(await store.find(ctx, id), 'port', id)
  await lockDevices(ctx, [device_id])
  const port = orNotFound(await store.find(ctx, id), 'port', id)
  ctx.precondition(port)
  return port
}

export const update = async (ctx: Ctx, { id, device_id, ...patch }: PortPatch): Promise<Port> => {
  const before = await lockForChange(ctx, id)
  if (device_id !== undefined && device_id !== before.device_id)
    throw invalidField('device_id', 'a port stays at its device')
  const { value, changes } = await mergeCustom(ctx, 'ports', { before, patch: withChangedRefs(before, patch) })
  if (changes.length === 0) return before
  const port = { ...value, updated_at: ctx.now }
  if (changes.includes('name')) await refuseTakenName(ctx, port)
  if (changes.includes('parent_id')) await checkParent(ctx, port)
  await checkCables(ctx, port, changes)
  await store.write(ctx, [{ before, after: port }])
  if (changes.includes('name')) await renameInterface(ctx, port.device_id, { from: before.name, to: port.name })
  return port
}

/** Deletes ports of locked devices, with their cables. */
const removeAll = async (ctx: Ctx, all: readonly StoredPort[]): Promise<void> => {
  if (all.length === 0) return
  await ctx.emit(
    'ports.deleting',
    all.map(({ id }) => id),
  )
  await emitDeleting(ctx, { resource: 'ports', objects: all })
  await store.write(
    ctx,
    all.map((before) => ({ before })),
  )
}

export const remove = async (ctx: Ctx, id: string): Promise<void> => {
  const port = await lockForChange(ctx, id)
  const children = await findChildren(ctx, id)
  await store.write(
    ctx,
    children.map((before) => ({ before, after: { ...before, parent_id: null, updated_at: ctx.now } })),
  )
  await removeAll(ctx, [port])
}

/** Returns a text that is the MAC address of no port, if the text is none. */
const toMacKey = (text: string): string => parseMac(text) ?? '-'

/** Numbers in names sort by their value. */
const ORDERS = { name: ['sort_key', 'device_id', 'id'] }

/** @param query of ports */
const filterPorts = (_: Ctx, query: AnyQuery, { mac, kind }: ListInput): AnyQuery => {
  let ports = query as unknown as ReturnType<typeof store.query>
  if (typeof mac === 'string' && mac !== '')
    ports = ports.where('mac_address', '=', toMacKey(mac)).where('mac_address', '<>', NO_MAC)
  // The index only has the others.
  if (kind && kind !== 'network') ports = ports.where('kind', '<>', USUAL_KIND)
  return ports as unknown as AnyQuery
}

export const feature: Feature = {
  operations: implement(ports, {
    list: createList<Port>(portFacts, store.query, {
      tables: () => [],
      createRow: () => store.fromRow,
      filter: filterPorts,
      orders: ORDERS,
    }),
    device: async (ctx, { device_id, include, ...page }) => {
      await assertDeviceExists(ctx.unscoped, device_id)
      const revision = await ctx.store.revision(include ? ['ports', 'cable_ends', 'devices'] : ['ports'])
      const query = store.query(ctx).where('device_id', '=', device_id)
      let peers: Promise<Peers> | undefined
      const withPeers = async (row: { readonly id: string }): Promise<Port> => {
        peers ??= findPeers(ctx, device_id)
        return { ...store.fromRow(row), peers: [...((await peers).get(row.id) ?? [])] }
      }
      return listRows(ctx, { revision, query, page, row: include ? withPeers : store.fromRow })
    },
    create,
    get: async (ctx, { id }) => orNotFound(await store.find(ctx, id), 'port', id),
    update,
    delete: async (ctx, { id }) => remove(ctx, id),
    bulk: async (ctx, input) =>
      runBulk(ctx, input, {
        noun: 'port',
        permissions: 'ports',
        create: { schema: PortDraft, run: create },
        update: { schema: PortPatch, run: update },
        remove,
      }),
    adopt: async (ctx, { device_id }) => adopt(ctx, device_id),
  }),
  reactions: {
    'ports.wanted': async (ctx, { wanted, added }) => {
      if (wanted.length > 0) added.push(...(await addMissing(ctx, wanted)))
    },
    ...rewriteStored(store),
    'devices.deleting': async (ctx, all: readonly Device[]) =>
      removeAll(
        ctx,
        await findOfDevices(
          ctx,
          all.map(({ id }) => id),
        ),
      ),
  },
}
