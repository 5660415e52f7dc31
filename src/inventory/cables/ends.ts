/** Resolves the given ends of a cable to ports. Makes the ports that are not there. */

import { type FieldIssue, invalid, invalidField, rejectIssues } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { toNameKey } from '../../net/name-order.ts'
import type { Side } from '../ports/end.ts'
import { addMissing } from '../ports/missing.ts'
import * as ports from '../ports/store.ts'
import type { CableDraft, EndInput } from './api.ts'
import * as store from './store.ts'

type Name = 'a' | 'b'
type Given = Pick<CableDraft, Name>
const NAMES = ['a', 'b'] as const

/** An end with an existing port, or with a port that is created as `name` of the device. */
type Meant = {
  readonly device_id: string
  readonly side: Side
  readonly name: string
  readonly port: ports.StoredPort | undefined
}

export type Ends = Readonly<Record<Name, store.StoredEnd>>

/** An end has the id of its port, or the device and the name. */
const validateShape = (at: Name, { port_id, device_id, port }: EndInput): FieldIssue[] => {
  if (port_id !== undefined) return []
  const issues: FieldIssue[] = []
  if (device_id === undefined) issues.push({ field: `${at}.port_id`, message: 'is required, or device_id and port' })
  else if ((port ?? '').trim() === '') issues.push({ field: `${at}.port`, message: 'is required with device_id' })
  return issues
}

/** Finds the port of an end among the ports that were read. @throws AppError VALIDATION_ERROR */
const resolveEnd = (
  at: Name,
  { port_id, device_id = '', port = '', side }: EndInput,
  known: { readonly byId: Map<string, ports.StoredPort>; readonly devices: ReadonlyMap<string, string> },
): Omit<Meant, 'port'> & { readonly port?: ports.StoredPort } => {
  const name = port.trim()
  if (port_id === undefined) {
    if (!known.devices.has(device_id))
      throw invalidField(`${at}.device_id`, `there is no device with id "${device_id}"`)
    return { device_id, side, name }
  }
  const found = known.byId.get(port_id)
  if (!found) throw invalidField(`${at}.port_id`, `there is no port with id "${port_id}"`)
  if (device_id !== '' && device_id !== found.device_id)
    throw invalidField(`${at}.device_id`, 'is not the device of the port')
  return { device_id: found.device_id, side, name: found.name, port: found }
}

/** Locks the devices of both ends, and finds their ports. */
const readEnds = async (ctx: Ctx, given: Given): Promise<Record<Name, Meant>> => {
  const both = NAMES.map((at) => given[at])
  rejectIssues(NAMES.flatMap((at) => validateShape(at, given[at])))
  const ids = both.flatMap(({ port_id }) => port_id ?? [])
  const before = await ports.findAll(ctx, ids)
  const deviceIds = both.flatMap(({ port_id, device_id }) =>
    port_id === undefined ? (device_id ?? []) : (before.get(port_id)?.device_id ?? []),
  )
  const devices = await ports.lockDevices(ctx, deviceIds)
  const known = { devices, byId: await ports.findAll(ctx, ids) }
  const [a, b] = [resolveEnd('a', given.a, known), resolveEnd('b', given.b, known)]
  const named = await ports.findByNames(ctx, [a, b])
  const withPort = (one: typeof a): Meant => {
    const port = one.port ?? named.get(ports.buildNaturalKey(one))
    return { ...one, name: port?.name ?? one.name, port }
  }
  return { a: withPort(a), b: withPort(b) }
}

const isSame = (a: Meant, b: Meant): boolean =>
  ports.buildNaturalKey(a) === ports.buildNaturalKey(b) && a.side === b.side

/** The rules between ends and ports. @throws AppError VALIDATION_ERROR with all of them */
const checkEnds = async (ctx: Ctx, given: Given, { a, b }: Record<Name, Meant>): Promise<void> => {
  const issues: FieldIssue[] = []
  const taken = await store.findEnds(
    ctx,
    [a, b].flatMap(({ port }) => port?.id ?? []),
  )
  for (const [at, { port, side, name }] of [
    ['a', a],
    ['b', b],
  ] as const) {
    // A port that the input names by its id may be hidden.
    const called = ctx.canListAll('ports') || given[at].port_id === undefined ? name : 'the port'
    if (side === 'rear' && !port?.pass_through)
      issues.push({ field: `${at}.side`, message: `${called} is no pass-through port, and has a front alone` })
    const end = port && taken.get(store.endKey({ port_id: port.id, side }))
    const which = ctx.canListAll('cables') ? `, with the id "${end?.cable_id}"` : ''
    if (end) issues.push({ field: at, message: `${called} has a cable already${which}` })
  }
  if (isSame(a, b)) issues.push({ field: 'b', message: 'must be another end than a' })
  else if (a.port && b.port && a.port.kind !== b.port.kind)
    issues.push({ field: 'b', message: `is a ${b.port.kind} port, and a is a ${a.port.kind} port` })
  if (issues.length > 0) throw invalid(issues)
}

/** Returns the ports of both ends of a new cable. Locks their devices until commit. @throws AppError VALIDATION_ERROR */
export const prepareEnds = async (ctx: Ctx, given: Given): Promise<Ends> => {
  const meant = await readEnds(ctx, given)
  await checkEnds(ctx, given, meant)
  const { a, b } = meant
  const kind = a.port?.kind ?? b.port?.kind ?? 'network'
  const missing = [a, b].filter(({ port }) => port === undefined)
  if (missing.length > 0) ctx.require('ports:create')
  const wanted = missing.map(({ device_id, name }) => ({ device_id, ports: [{ name, kind }] }))
  const made = missing.length === 0 ? [] : await addMissing(ctx, wanted)
  const byPlace = new Map(made.map((port) => [ports.buildNaturalKey(port), port]))
  const toStoredEnd = (one: Meant): store.StoredEnd => {
    const port = one.port ?? byPlace.get(ports.buildNaturalKey(one))
    if (!port) throw new Error('a missing port was not made')
    return { port_id: port.id, side: one.side }
  }
  return { a: toStoredEnd(a), b: toStoredEnd(b) }
}

/** True if a given end is the stored one. */
export const isEnd = (
  given: EndInput,
  { port_id, side }: store.StoredEnd,
  port: store.NamedPort | undefined,
): boolean =>
  given.side === side &&
  (given.port_id === undefined || given.port_id === port_id) &&
  (given.device_id === undefined || given.device_id === port?.device_id) &&
  (given.port_id !== undefined ||
    given.port === undefined ||
    toNameKey(given.port.trim()) === toNameKey(port?.port ?? ''))
