/** Describes calls to the audit trail. The audit feature stores the entries. Browser-safe. */
import type { z } from 'zod'
import { toSingular } from '../../contract/command-name.ts'
import { isRecord, toText } from '../../contract/unknown.ts'
import type { Caller } from '../caller.ts'
import { parseHttp } from '../http-route.ts'
import type { AnyOperation, AuditAction, Audited, Effect, RawRoute } from '../operation.ts'
import type { Request } from '../request.ts'
import { ForeignAddressError } from '../rights/access.ts'

/** The same, with the name of the operation or route. */
export type AuditedCall = Audited & { readonly route: string }

/** The data of a call's audit entry. */
export type AuditEvent = AuditedCall & {
  /** True if the caller has not shown valid credentials, before the call or by it. */
  readonly isGuest: boolean
  /** '' if the call concerns no single object, or the object is unknown. */
  readonly resourceId: string
  /** The id of the user, or of the API key that authenticated the call. */
  readonly userId: string
  /** The name of that user or key. */
  readonly username: string
  /** The id of the API key; '' without one. */
  readonly keyId: string
  /** The user that gives the key its rights; '' without one. */
  readonly keyOwnerId: string
  /** The username of the owner; '' without one. */
  readonly keyOwner: string
  /** The client's address; '' when unknown. */
  readonly client: string
  readonly requestId: string
  /** The OAuth client that acts for the user, by name and id; '' without one. */
  readonly oauthClient: string
  /** The MCP tool that made the call; '' without one. */
  readonly tool: string
  /** The recorded change of the call; '' if it changed no object with a history. */
  readonly changeId: string
  /** The input with its secrets, which the trail redacts. Undefined if there was none, or it was not read. */
  readonly changes: unknown
  /** The schema of `changes`: only its fields are recorded. Undefined if the route has chosen the fields itself. */
  readonly schema: z.ZodType | undefined
}

export type AuditSink<Tx> = {
  /** Records a change, in its transaction if there is one, else in a separate one. */
  readonly succeeded: (event: AuditEvent, tx?: Tx) => Promise<void>
  /** Records a call that failed or was rejected. Never rejects, so that the caller gets the original error. */
  readonly failed: (event: AuditEvent, error: unknown) => Promise<void>
}

/** Writes entries for commands on the host, in the transaction of the change. */
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
 * Returns the action and the resource of a call's audit entry; undefined for a call that is not recorded.
 * @example getAuditedCall({ name: 'devices.create', effect: 'create' }) // { action: 'create', resource: 'device', route: 'devices.create' }
 */
export const getAuditedCall = (
  called: Pick<AnyOperation, 'name' | 'effect'> | Pick<RawRoute, 'name' | 'audit'>,
): AuditedCall | undefined => {
  const known = auditedCalls.get(called)
  if (known) return known
  const audited = buildAuditedCall(called)
  if (audited) auditedCalls.set(called, audited)
  return audited
}

type Called = Parameters<typeof getAuditedCall>[0]

/** Cached per operation, because every write needs it. */
const auditedCalls = new WeakMap<Called, AuditedCall>()

const buildAuditedCall = (called: Called): AuditedCall | undefined => {
  const route = called.name
  if (!('effect' in called)) return called.audit && { ...called.audit, route }
  const action = ACTIONS[called.effect]
  return action && { action, resource: getResource(called), route }
}

const getResource = ({ name }: { readonly name: string }): string => toSingular(name.slice(0, name.indexOf('.')))

type Fields = Readonly<Record<string, unknown>>

/** The fields of an entry that describe the object, not the caller. */
export type Subject = Partial<Pick<AuditEvent, 'resourceId' | 'changes' | 'schema'>>

/**
 * Returns the object and the changes of a call. The object is the first parameter of the path. Without one it is the field named after
 * the resource (`user_id` for users). A created object is named by its own id, or else by its parent's, unless `recordsPath` says that
 * the parent is the object. The other fields of the input are the changes, except fields sent in headers, after `recordsFields`.
 * @param made the answer of a create
 */
export const buildSubject = (op: AnyOperation, input: unknown, made?: unknown): Subject => {
  if (!isRecord(input)) return {}
  const { param, fromHeaders } = getParts(op)
  const parent = toText(input[param])
  const own = isRecord(made) && !op.recordsPath ? toText(made.id) : ''
  const given = Object.entries(input).filter(
    ([field]) => !fromHeaders.has(field) && (field !== param || (own !== '' && own !== parent)),
  )
  const changes: Fields = { ...op.recordsFields, ...Object.fromEntries(given) }
  if (Object.keys(changes).length === 0) return { resourceId: own || parent }
  const recorded = op.recordsOutput ? withOutput(changes, made, op.recordsOutput) : changes
  return { resourceId: own || parent, changes: recorded, schema: op.recorded?.() ?? op.input }
}

/** Adds fields of the answer, and puts lists last, because the trail stores the beginning of a long entry. */
const withOutput = (input: Fields, made: unknown, names: readonly string[]): Fields => {
  const output = isRecord(made) ? names.map((name) => [name, made[name]] as const) : []
  const fields = Object.entries(input)
  const lists = fields.filter(([, value]) => Array.isArray(value))
  return Object.fromEntries([...fields.filter(([, value]) => !Array.isArray(value)), ...output, ...lists])
}

type Parts = { readonly param: string; readonly fromHeaders: ReadonlySet<string> }

/** Cached per operation, because every write needs it. */
const getParts = (op: AnyOperation): Parts => {
  const known = partsByOperation.get(op)
  if (known) return known
  const [param = `${getResource(op)}_id`] = parseHttp(op.http).params
  const parts = { param, fromHeaders: new Set<string>(Object.values(op.headers ?? {})) }
  partsByOperation.set(op, parts)
  return parts
}
const partsByOperation = new WeakMap<AnyOperation, Parts>()

type Calling = Pick<Request, 'caller' | 'client' | 'requestId' | 'tool'>

/** Formats an OAuth client for the trail. The client chooses its name, but not its id. */
export const formatClient = ({ name, id }: { readonly name: string; readonly id: string }): string => `${name} (${id})`

const formatOauthClient = ({ client }: Caller): string => (client ? formatClient(client) : '')

/** Returns the caller's fields of an entry. An API key is named itself, with its owner beside it. */
const getCallerFields = ({ via, userId = '', username, credentialId = '', keyName = '' }: Caller) =>
  via === 'key'
    ? { userId: credentialId, username: keyName, keyId: credentialId, keyOwnerId: userId, keyOwner: username }
    : { userId, username, keyId: '', keyOwnerId: '', keyOwner: '' }

/** Builds the audit entry of a call. */
export const buildEvent = (audited: AuditedCall, call: Calling, about: Partial<AuditEvent>): AuditEvent => {
  const { caller, client = '', requestId, tool = '' } = call
  return {
    ...audited,
    resourceId: '',
    ...getCallerFields(caller),
    client,
    requestId,
    oauthClient: formatOauthClient(caller),
    tool,
    changeId: '',
    changes: undefined,
    schema: undefined,
    ...about,
    isGuest: caller.via === 'guest' && !about.userId,
  }
}

/**
 * Returns the entry of a call that was rejected before it ran; undefined for one that is not recorded. A key that does
 * not open from its address counts as a failed sign-in, also before a read.
 */
export const buildRefusal = (
  called: AnyOperation | RawRoute,
  request: Request,
  error: unknown,
): AuditEvent | undefined => {
  if (error instanceof ForeignAddressError) {
    const { client = '', requestId } = request
    const signIn = { action: 'login', resource: 'session', route: called.name } as const
    // Its holder can repeat the call at will, as a guest can.
    return { ...buildEvent(signIn, { caller: error.caller, client, requestId }, {}), isGuest: true }
  }
  const audited = getAuditedCall(called)
  if (!audited || ('effect' in called && called.skipsAudit)) return undefined
  return buildEvent(audited, request, 'effect' in called ? buildSubject(called, request.input) : {})
}

/** Details of a call that only the handler of a raw route knows. */
export type AuditNote = Partial<
  Pick<AuditEvent, 'resource' | 'resourceId' | 'userId' | 'username' | 'oauthClient' | 'changes'>
>

/** The audit entry of a raw route's call. If the handler throws, the kernel records the error with all notes. */
export type RawAudit<Tx> = {
  readonly note: (note: AuditNote) => void
  /** Records a success without `ctx.write` with `audit`. */
  readonly succeeded: (tx?: Tx, changeId?: string) => Promise<void>
  /** Records a failure after the handler has answered. */
  readonly failed: (error: unknown) => Promise<void>
}

const NO_TRACE: RawAudit<unknown> = { note: () => {}, succeeded: async () => {}, failed: async () => {} }

export const createRawAudit = <Tx>(sink: AuditSink<Tx>, route: RawRoute, call: Calling): RawAudit<Tx> => {
  const audit = getAuditedCall(route)
  if (!audit) return NO_TRACE
  let noted: AuditNote = {}
  return {
    note: (more) => {
      noted = { ...noted, ...more }
    },
    succeeded: (tx, changeId = '') => sink.succeeded({ ...buildEvent(audit, call, noted), changeId }, tx),
    failed: (error) => sink.failed(buildEvent(audit, call, noted), error),
  }
}
