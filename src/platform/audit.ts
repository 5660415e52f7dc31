/**
 * What the kernel tells the audit trail of a call, and the trail that nobody keeps. How entries are stored is the audit
 * feature's. Browser-safe.
 */
import { singular } from './command.ts'
import type { Caller } from './kernel.ts'
import { type AnyOperation, type Effect, httpParts, type RawRoute } from './operation.ts'

export const AUDIT_ACTIONS = ['create', 'update', 'delete', 'login', 'logout'] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** What stands in the trail for an operation or a route. */
export type Audited = { readonly action: AuditAction; readonly resource: string }

/** One call, as far as its entry is concerned. */
export type AuditEvent = Audited & {
  /** '' where the call is not about one object, or it is not known which. */
  readonly resourceId: string
  readonly userId: string
  readonly username: string
  /** The API key that was shown; '' without one. */
  readonly keyId: string
  readonly clientIp: string
  readonly requestId: string
  /** What the caller sent, secrets and all: the trail redacts it. Undefined where nothing was sent, or nothing was read. */
  readonly changes: unknown
}

export type AuditSink<Tx> = {
  /** The change was made: in its transaction, or without one in a transaction of its own. */
  readonly succeeded: (event: AuditEvent, tx?: Tx) => Promise<void>
  /** The call failed or was turned away. Never rejects: the caller has to hear of the first error, not of a second one. */
  readonly failed: (event: AuditEvent, error: unknown) => Promise<void>
}

/** The trail while auditing is off. */
export const NO_AUDIT: AuditSink<unknown> = { succeeded: async () => {}, failed: async () => {} }

const ACTIONS: Readonly<Record<Effect, AuditAction | undefined>> = {
  read: undefined,
  create: 'create',
  update: 'update',
  delete: 'delete',
  action: 'update',
}

/**
 * Under which action and resource a call is on record; undefined for what leaves no trace.
 * @example auditedAs({ name: 'devices.create', effect: 'create' }) // { action: 'create', resource: 'device' }
 */
export const auditedAs = (
  called: Pick<AnyOperation, 'name' | 'effect'> | Pick<RawRoute, 'name' | 'audit'>,
): Audited | undefined => {
  if (!('effect' in called)) return called.audit
  const action = ACTIONS[called.effect]
  return action && { action, resource: singular(called.name.slice(0, called.name.indexOf('.'))) }
}

/** Whom and what an entry is about. */
export type Subject = Pick<AuditEvent, 'resourceId' | 'changes'>

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/**
 * What a call of an operation is about. The first parameter of the path is the object; what is made under an object has
 * an id of its own, or else goes by that object's. All else that was sent are the changes, but for what came in headers.
 * @param made the answer of a create
 */
export const subjectOf = (op: AnyOperation, input: unknown, made?: unknown): Subject => {
  if (!isFields(input)) return { resourceId: '', changes: undefined }
  const [param = ''] = httpParts(op.http).params
  const parent = textOf(input[param])
  const own = isFields(made) ? textOf(made.id) : ''
  const dropped = new Set<string>(Object.values(op.headers ?? {}))
  if (own === '') dropped.add(param)
  const sent = Object.entries(input).filter(([field]) => !dropped.has(field))
  return { resourceId: own || parent, changes: sent.length > 0 ? Object.fromEntries(sent) : undefined }
}

/** The caller as an entry names it. */
export const namesOf = ({ userId, username, via, credentialId }: Caller) => ({
  userId: userId ?? '',
  username,
  keyId: via === 'key' ? (credentialId ?? '') : '',
})
