/**
 * What the kernel tells the audit trail of a call, and the trail that nobody keeps. How entries are stored is the audit
 * feature's. Browser-safe.
 */
import type { z } from 'zod'
import { singular } from '../cli/command-name.ts'
import type { Caller } from './caller.ts'
import {
  type AnyOperation,
  type AuditAction,
  type Audited,
  type Effect,
  httpParts,
  type RawRoute,
} from './operation.ts'
import type { Request } from './request.ts'

/** The same, with the name of the operation or route. */
export type AuditedCall = Audited & { readonly route: string }

/** One call, as far as its entry is concerned. */
export type AuditEvent = AuditedCall & {
  /** Nobody had shown valid credentials, nor does so by the call itself. */
  readonly isGuest: boolean
  /** '' where the call is not about one object, or it is not known which. */
  readonly resourceId: string
  /** The user, or the API key that was shown. */
  readonly userId: string
  /** The name of either. */
  readonly username: string
  /** The API key that was shown; '' without one. */
  readonly keyId: string
  /** The user whose rights the key has; '' without one. */
  readonly keyOwnerId: string
  /** The username of the owner; '' without one. */
  readonly keyOwner: string
  /** The address of the client; '' where nobody knows it. */
  readonly client: string
  readonly requestId: string
  /** The client that acts for the user by OAuth, by name and id; '' without one. */
  readonly oauthClient: string
  /** The MCP tool by which it was called; '' without one. */
  readonly tool: string
  /** What the caller sent, secrets and all: the trail redacts it. Undefined where nothing was sent, or nothing was read. */
  readonly changes: unknown
  /** The contract of `changes`: only its fields are recorded. Undefined where the route itself has chosen them. */
  readonly schema: z.ZodType | undefined
}

export type AuditSink<Tx> = {
  /** The change was made: in its transaction, or without one in a transaction of its own. */
  readonly succeeded: (event: AuditEvent, tx?: Tx) => Promise<void>
  /** The call failed or was turned away. Never rejects: the caller has to hear of the first error, not of a second one. */
  readonly failed: (event: AuditEvent, error: unknown) => Promise<void>
}

/** The trail as a command on the host writes to it, which no kernel runs: a change goes on record in its transaction. */
export type HostTrail<Tx> = {
  readonly record: (tx: Tx, event: Pick<AuditEvent, 'action' | 'resource' | 'resourceId' | 'changes'>) => Promise<void>
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
 * @example auditedAs({ name: 'devices.create', effect: 'create' }) // { action: 'create', resource: 'device', route: 'devices.create' }
 */
export const auditedAs = (
  called: Pick<AnyOperation, 'name' | 'effect'> | Pick<RawRoute, 'name' | 'audit'>,
): AuditedCall | undefined => {
  const route = called.name
  if (!('effect' in called)) return called.audit && { ...called.audit, route }
  const action = ACTIONS[called.effect]
  return action && { action, resource: resourceOf(called), route }
}

const resourceOf = ({ name }: { readonly name: string }): string => singular(name.slice(0, name.indexOf('.')))

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** What an entry knows of a call besides who makes it. */
export type Subject = Partial<Pick<AuditEvent, 'resourceId' | 'changes' | 'schema'>>

/**
 * What a call of an operation is about. The first parameter of the path is the object, or without one the field that is
 * named after the resource (`user_id` for users); what is made under an object has an id of its own, or else goes by that
 * object's. All else that was sent are the changes, but for what came in headers.
 * @param made the answer of a create
 */
export const subjectOf = (op: AnyOperation, input: unknown, made?: unknown): Subject => {
  if (!isFields(input)) return {}
  const { param, fromHeaders } = partsOf(op)
  const parent = textOf(input[param])
  const own = isFields(made) ? textOf(made.id) : ''
  const changes: Fields = Object.fromEntries(
    Object.entries(input).filter(
      ([field]) => !fromHeaders.has(field) && (field !== param || (own !== '' && own !== parent)),
    ),
  )
  if (Object.keys(changes).length === 0) return { resourceId: own || parent }
  return { resourceId: own || parent, changes, schema: op.recorded?.() ?? op.input }
}

type Parts = { readonly param: string; readonly fromHeaders: ReadonlySet<string> }

/** Worked out once for each operation, because every write asks. */
const partsOf = (op: AnyOperation): Parts => {
  const known = partsByOperation.get(op)
  if (known) return known
  const [param = `${resourceOf(op)}_id`] = httpParts(op.http).params
  const parts = { param, fromHeaders: new Set<string>(Object.values(op.headers ?? {})) }
  partsByOperation.set(op, parts)
  return parts
}
const partsByOperation = new WeakMap<AnyOperation, Parts>()

type Call = Omit<Request, 'input'>

/** How a client stands in the trail: its name is its own invention, its id is not. */
export const namedClient = ({ name, id }: { readonly name: string; readonly id: string }): string => `${name} (${id})`

const oauthClientOf = ({ client }: Caller): string => (client ? namedClient(client) : '')

/** Who calls, as the trail names them: an API key by itself, with its owner beside it. */
const callerFields = ({ via, userId = '', username, credentialId = '', keyName = '' }: Caller) =>
  via === 'key'
    ? { userId: credentialId, username: keyName, keyId: credentialId, keyOwnerId: userId, keyOwner: username }
    : { userId, username, keyId: '', keyOwnerId: '', keyOwner: '' }

/** The entry of a call. */
export const eventOf = (audited: AuditedCall, call: Call, about: Partial<AuditEvent>): AuditEvent => {
  const { caller, client = '', requestId, tool = '' } = call
  return {
    ...audited,
    resourceId: '',
    ...callerFields(caller),
    client,
    requestId,
    oauthClient: oauthClientOf(caller),
    tool,
    changes: undefined,
    schema: undefined,
    ...about,
    isGuest: caller.via === 'guest' && !about.userId,
  }
}

/** What only the handler of a raw route knows of its call. */
export type AuditNote = Partial<
  Pick<AuditEvent, 'resource' | 'resourceId' | 'userId' | 'username' | 'oauthClient' | 'changes'>
>

/** The audit entry of a raw route's call. What the handler throws is put on record by the kernel, with all it has noted. */
export type RawAudit<Tx> = {
  readonly note: (note: AuditNote) => void
  /** For what no transaction of the handler's says (`ctx.write` with `audit`). */
  readonly succeeded: (tx?: Tx) => Promise<void>
  /** For what fails after the handler has answered. */
  readonly failed: (error: unknown) => Promise<void>
}

const NO_TRACE: RawAudit<unknown> = { note: () => {}, succeeded: async () => {}, failed: async () => {} }

export const rawAuditOf = <Tx>(sink: AuditSink<Tx>, route: RawRoute, call: Call): RawAudit<Tx> => {
  const audit = auditedAs(route)
  if (!audit) return NO_TRACE
  let noted: AuditNote = {}
  return {
    note: (more) => {
      noted = { ...noted, ...more }
    },
    succeeded: (tx) => sink.succeeded(eventOf(audit, call, noted), tx),
    failed: (error) => sink.failed(eventOf(audit, call, noted), error),
  }
}
