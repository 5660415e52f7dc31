/** A write of a caller who may have its permission in some scopes only. */
import { z } from 'zod'
import type { Caller } from '../caller.ts'
import { parseHttp } from '../http-route.ts'
import { type AnyOperation, isCheckedWrite, listPermissions, type Permission } from '../operation.ts'

/** An input with the operation that it is for. */
export type ScopedInput = {
  /** The permission that decides; undefined where each item has its own. */
  readonly permission: Permission | undefined
  readonly schema: z.ZodType
  /** The fields of the objects that the write is about: an unknown one is a 404. */
  readonly params: readonly string[]
  /**
   * It makes objects with a history, which are checked when they are made. Objects of `params` are checked only where the write creates
   * them.
   */
  readonly isCreate: boolean
  /** The parsed input, without refs. */
  readonly input: unknown
  /** The input as sent: errors name its refs, and not the ids of their objects. */
  readonly given: unknown
}

export type ScopedWrite = ScopedInput & {
  readonly caller: Caller
  /** The permissions that the work has required beside its own. */
  readonly required: ReadonlySet<Permission>
}

/** The items are checked one by one. */
const NOTHING = z.object({})

/** The input of a route, which reads its body itself: its handler checks the objects that the body names. */
export const ROUTE_INPUT: ScopedInput = {
  permission: undefined,
  schema: NOTHING,
  params: [],
  isCreate: false,
  input: {},
  given: {},
}

type GuardedCall = Omit<ScopedInput, 'input' | 'given'>

const guardedCalls = new WeakMap<AnyOperation, GuardedCall>()

/** Cached per operation, because every write needs it. */
const getGuardedCall = (op: AnyOperation): GuardedCall => {
  const known = guardedCalls.get(op)
  if (known) return known
  const [permission, ...others] = listPermissions(op.access)
  const call = {
    permission: others.length === 0 ? permission : undefined,
    schema: op.scope === 'checkItems' ? NOTHING : op.input,
    params: parseHttp(op.http).params,
    isCreate: op.effect === 'create' && op.hasHistory === true,
  }
  guardedCalls.set(op, call)
  return call
}

/** Returns the checked input of an operation; undefined for a permission that only counts everywhere. */
export const getGuardedInput = (op: AnyOperation, input: unknown, given: unknown): ScopedInput | undefined =>
  isCheckedWrite(op.scope) ? { ...getGuardedCall(op), input, given } : undefined
