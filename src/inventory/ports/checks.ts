/** The rules that a port keeps with the other ports of its device. The caller has locked the device. */
import { AppError, invalidField } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { MAX_PORTS } from './api.ts'
import type { StoredPort } from './store.ts'
import * as store from './store.ts'

/** @throws AppError ALREADY_EXISTS */
export const refuseTakenName = async (ctx: Ctx, port: StoredPort): Promise<void> => {
  const holder = (await store.findByNames(ctx, [port])).get(store.buildNaturalKey(port))
  if (holder === undefined || holder.id === port.id) return
  throw new AppError('ALREADY_EXISTS', `The device has a port "${holder.name}" already`, {
    details: [{ field: 'name', message: `is the name of the port with id "${holder.id}"` }],
  })
}

/** @throws AppError VALIDATION_ERROR if a device would have too many ports */
export const refuseTooMany = async (ctx: Ctx, deviceId: string, added: number): Promise<void> => {
  if ((await store.countPorts(ctx, deviceId)) + added > MAX_PORTS)
    throw invalidField('device_id', `a device has at most ${MAX_PORTS.toLocaleString('en')} ports`)
}

/** A port is part of another port of its device, and of none of its own parts. @throws AppError VALIDATION_ERROR */
export const checkParent = async (ctx: Ctx, { id, device_id, parent_id }: StoredPort): Promise<void> => {
  for (let above = parent_id; above !== null; ) {
    if (above === id) throw invalidField('parent_id', 'must be no part of the port itself')
    const port = await store.find(ctx, above)
    // Only the first of the ports above it may be missing, because a deleted port is the parent of none.
    if (!port) throw invalidField('parent_id', `there is no port with id "${above}"`)
    if (port.device_id !== device_id) throw invalidField('parent_id', 'must be a port of the same device')
    above = port.parent_id
  }
}

/** The sides of the port that have a cable, with the kind of the port at the other end. */
const selectCabledSides = (ctx: Ctx, id: string) =>
  ctx.db
    .selectFrom('cable_ends as end')
    .innerJoin('ports as other', 'other.id', 'end.other_port_id')
    .select(['end.side', 'other.id', 'other.kind'])
    .where('end.port_id', '=', id)
    .execute()

/** Cables connect ports of one kind, and only pass-through ports at the rear. @throws AppError VALIDATION_ERROR */
export const checkCables = async (ctx: Ctx, port: StoredPort, changes: readonly string[]): Promise<void> => {
  if (!changes.includes('kind') && !changes.includes('pass_through')) return
  for (const { side, id, kind } of await selectCabledSides(ctx, port.id)) {
    if (side === 'rear' && !port.pass_through) throw invalidField('pass_through', 'its rear has a cable')
    if (id !== port.id && kind !== port.kind)
      throw invalidField('kind', `must be ${kind}, as that of the port at the other end of its cable`)
  }
}
