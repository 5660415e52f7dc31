/** An operation is the single definition of one action; all surfaces derive from it. Browser-safe. */

import type { z } from 'zod'
import { canPropose } from '../contract/can-propose.ts'
import { NOTE_HEADER } from '../contract/change-note.ts'
import { KEY_FIELDS, PROPOSAL_FIELDS, READ_FIELDS, WRITE_FIELDS } from '../contract/fields/history-fields.ts'
import { KEY_HEADER } from '../contract/idempotency-key.ts'
import { type Http, type Method, parseHttp, type RawHttp } from './http-route.ts'

export const AUDIT_ACTIONS = ['create', 'update', 'delete', 'login', 'logout'] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** The action and the resource that the audit trail records for a call. */
export type Audited = { readonly action: AuditAction; readonly resource: string }

export type Effect = 'read' | 'create' | 'update' | 'delete' | 'action'

/** One entry of the permission catalog: `devices:create`. */
export type Permission = `${string}:${string}`

/** `public`, any signed-in caller, one permission, or one of several, which the handler checks. */
export type Access = 'public' | 'authenticated' | Permission | { readonly anyOf: readonly Permission[] }

/**
 * Says how an operation treats a caller who has its permission in some scopes only.
 * `filter`: a read answers from the objects in these scopes, by views of the tables. `filterEach`: each resource in the answer also needs
 * its list permission. `checkPath`: a read answers as for other callers if the objects in its path are in the scopes.
 * `checkWrite`: a write is refused unless the objects that it creates, and the named objects that it changes, are in the scopes.
 * `checkItems`: the handler checks each item by `ctx.checkScope`. `custom`: the handler checks each row by `ctx.caller.scopedPermissions`.
 */
export type ScopeRule = 'filter' | 'filterEach' | 'checkPath' | 'checkWrite' | 'checkItems' | 'custom'

/** True for a write with checked objects. */
export const isCheckedWrite = (scope: ScopeRule | undefined): scope is 'checkWrite' | 'checkItems' =>
  scope === 'checkWrite' || scope === 'checkItems'

/** The session that a call needs: of any age, or with a sign-in at most 15 minutes ago. API keys and tokens have none. */
export type NeededSession = 'any' | 'fresh'

/** The `{params}` of a path. */
type PathParams<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | PathParams<Rest> : never

/** Other success statuses: with the same content as the first, or empty. */
export type OtherAnswers = Readonly<Record<number, 'same' | 'empty'>>

export type CliHints = {
  /** The words after `plat`. By default they are derived from the name: `devices.create` -> `device create`. */
  readonly command?: string
  /** Positional arguments, in order. By default they are the parameters of the path. */
  readonly args?: readonly string[]
  /** Secrets that the CLI prompts for at a terminal, so that they need not be on the command line. */
  readonly ask?: readonly string[]
  /** Values of required fields that the CLI sends when they are missing. */
  readonly preset?: Readonly<Record<string, string>>
  /** Returns the answer as a table shows it, such as with a row for each part. Other formats have the answer itself. */
  readonly shown?: (answer: unknown) => unknown
}

export type Operation<
  Name extends string = string,
  H extends Http = Http,
  In extends z.ZodObject = z.ZodObject,
  Out extends z.ZodType = z.ZodType,
> = {
  /** `devices.create`: the operationId, from which the CLI command and the MCP tool are named. */
  readonly name: Name
  readonly summary: string
  readonly description?: string
  readonly http: H
  /** Status of a success; by default 200, or 204 if `output` is void. */
  readonly status?: number
  readonly alsoAnswers?: OtherAnswers
  /** Determines the transaction, the audit entry and the MCP hints. Follows from the method, except of a POST. */
  readonly effect: Effect
  /** The handler writes in short transactions (`ctx.write`), like a job. For long work or work other than SQL. */
  readonly hasOwnTransactions?: true
  /**
   * Returns a name for the rows that a call with this input locks, or undefined. Calls of one name would wait for each
   * other's locks, so they may share a transaction. Declared as a method so that every operation is assignable to one
   * of unknown input.
   */
  serializeBy?(input: z.output<In>): string | undefined
  /**
   * Writes objects that have a history. The operation also takes `change_note` (header `X-Change-Note`) and `dry_run`, which the handler
   * does not see, and answers with `X-Change-Id`. A POST also takes `idempotency_key` (header `Idempotency-Key`), for which the kernel
   * runs it once. Unless `proposes` is false, it takes `proposal`.
   */
  readonly hasHistory?: true
  /** False for a write with `hasHistory` that no proposal takes. True for one without, with objects that a run records nevertheless. */
  readonly proposes?: boolean
  /**
   * An update of `{id}` that runs the create of its noun, if `{id}` is a ref (the id of another system) that no object has.
   */
  readonly createsByRef?: true
  /** Needs `hasHistory`: the handler sees `dry_run`, as true or false, and answers dry runs itself. */
  readonly handlesDryRun?: true
  /** The answer has a secret, which is not kept for a retry with the same idempotency key. */
  readonly answersSecret?: true
  /** Answers the change that it makes, so that each of its dry runs answers the preview. */
  readonly returnsChange?: true
  /** May take minutes, so it has no deadline. */
  readonly isLong?: true
  /** Calls `ctx.progress`. Over HTTP, a client that accepts `application/x-ndjson` gets lines of it, then the result or the error. */
  readonly reportsProgress?: true
  /** Reads objects that have a history. The operation also takes `as_of`, which the handler does not see. */
  readonly supportsAsOf?: true
  /** Changes many objects in one call. An AI client sees the changes before they are made, as with every delete. */
  readonly isBulk?: true
  /**
   * Needs `hasOwnTransactions`: calls `ctx.showChanges` before its first effect. So an AI client sees the changes first, although they
   * cannot be rolled back.
   */
  readonly showsChanges?: true
  /** Acts outside Plat's own data: it probes a network, or calls another server. */
  readonly reachesOut?: true
  /** Statuses of errors in addition to the errors of every operation. */
  readonly errors?: readonly number[]
  readonly access: Access
  /** If absent, the permission counts only if the caller has it everywhere. */
  readonly scope?: ScopeRule
  /**
   * The further resources of which the answer of a read shows objects, or derives parts. Objects that the caller may not list are as if
   * they did not exist. Needs `scope`.
   */
  readonly shows?: readonly string[]
  /** Only a user who has signed in may call it, and no API key. No surface but HTTP offers it. */
  readonly session?: NeededSession
  /** Permitted to a user who must first set up a second factor. */
  readonly beforeSetup?: true
  /** Needs access `authenticated`. Permitted to a client that acts for a user, although no scope covers it. */
  readonly skipsConsent?: true
  /** Request headers that carry a field of the input: `{ 'X-Change-Note': 'change_note' }`. */
  readonly headers?: Readonly<Record<string, keyof z.input<In> & string>>
  /** Input fields of a POST or PUT that travel in the query string: `?dry_run=true`. A body may hold them too. */
  readonly inQuery?: readonly (keyof z.input<In> & string)[]
  /** Checks or sets a password. The login limit counts it as well. */
  readonly isSensitive?: boolean
  /** Maximum size of a request body in bytes; the default is 1 MiB. */
  readonly maxBodyBytes?: number
  readonly cli?: CliHints
  /** `listed` takes a slot of the tool list, `searchable` (default) is found by search, `hidden` is not offered. */
  readonly mcp?: 'listed' | 'searchable' | 'hidden'
  readonly input: In
  readonly output: Out
  /** Returns the schema that the audit trail records, for an `input` that leaves the fields of its items open. */
  readonly recorded?: () => z.ZodType
  /** Fields of the answer that the audit trail records as well, before the lists of the input, which it may cut off. */
  readonly recordsOutput?: readonly string[]
  /** The audit entry of a call names the object of its path. The answer is another one. */
  readonly recordsPath?: true
  /** Fields of the audit entry before the fields of the input, for operations that have the same input. `recorded` has them too. */
  readonly recordsFields?: Readonly<Record<string, string>>
  /** No call has an audit entry, nor a refusal: it changes nothing that a user has made. */
  readonly skipsAudit?: true
  /** Returns the rules of such an `input` that the document adds to its body, as keywords of JSON Schema. */
  readonly bodyRules?: () => object
}

/** An operation of any type. */
export type AnyOperation = Operation
/** A feature's operations, keyed by verb: `{ list, get, create }`. */
export type OperationSet = Readonly<Record<string, AnyOperation>>

export type InputOf<O extends AnyOperation> = z.input<O['input']>
export type ParsedInputOf<O extends AnyOperation> = z.output<O['input']>
export type OutputOf<O extends AnyOperation> = z.output<O['output']>

/** A schema, or a function that creates it. */
type Made<Schema> = Schema | (() => Schema)

type Declared<Name extends string, H extends Http, In extends z.ZodObject, Out extends z.ZodType> = Omit<
  Operation<Name, H, In, Out>,
  'input' | 'output' | 'effect'
> & { readonly input: Made<In>; readonly output: Made<Out> }

/** The effect of each method but POST (RFC 9110, section 9.3). */
const EFFECTS = { GET: 'read', PUT: 'update', DELETE: 'delete' } as const

/** Declared for POST only, so that it never contradicts the method. */
type DeclaredEffect<H extends Http> = H extends `${keyof typeof EFFECTS} ${string}`
  ? { readonly effect?: never }
  : { readonly effect: Effect }

const once = <Schema extends z.ZodType>(made: Made<Schema>): (() => Schema) => {
  let schema: Schema | undefined
  return () => {
    schema ??= typeof made === 'function' ? made() : made
    return schema
  }
}

/** A path `{param}` that is not a field does not compile. A schema as a function is created on first use. */
export const operation = <
  const Name extends string,
  const H extends Http,
  In extends z.ZodObject,
  Out extends z.ZodType,
>(
  declared: Declared<Name, H, In, Out> &
    DeclaredEffect<H> &
    (PathParams<H> extends keyof z.input<In> & string
      ? unknown
      : { readonly http: 'a {param} is not a field of input' }),
): Operation<Name, H, In, Out> => {
  const { input, output, recorded, ...rest }: Declared<Name, H, In, Out> = declared
  const { hasHistory, supportsAsOf, headers = {}, inQuery = [] } = rest
  const own = once(input)
  const { method, params } = parseHttp<Method>(rest.http)
  const takesKey = method === 'POST' && hasHistory
  const isProposable = canPropose(rest)
  const added = {
    ...(takesKey && KEY_FIELDS),
    ...(hasHistory && WRITE_FIELDS),
    ...(isProposable && PROPOSAL_FIELDS),
    ...(supportsAsOf && READ_FIELDS),
  }
  const queried = [...inQuery, ...(hasHistory ? ['dry_run'] : []), ...(isProposable ? ['proposal'] : [])]
  const fromHeaders = { ...headers, ...(takesKey && { [KEY_HEADER]: 'idempotency_key' }), [NOTE_HEADER]: 'change_note' }
  // The type stays that of the handler's input. The kernel takes the added fields out.
  const inputOf = Object.keys(added).length > 0 ? once(() => own().safeExtend(added) as unknown as In) : own
  const outputOf = once(output)
  // The type of `declared` demands it for POST.
  const effect = method === 'POST' ? (declared.effect as Effect) : EFFECTS[method]
  return {
    ...rest,
    effect,
    ...(params.length > 0 && { cli: { args: params, ...rest.cli } }),
    ...(hasHistory && { headers: fromHeaders }),
    ...((hasHistory || isProposable) && { inQuery: queried }),
    ...(recorded && { recorded: once(recorded) }),
    get input() {
      return inputOf()
    },
    get output() {
      return outputOf()
    },
  }
}

/** A route with an input or output that is not JSON: sign-in with its cookie, health, metrics, documents, the MCP endpoint. */
export type RawRoute = {
  readonly name: string
  readonly summary: string
  readonly http: RawHttp
  readonly status?: number
  readonly alsoAnswers?: OtherAnswers
  /** Error statuses beyond the statuses derived from the route. With `refusal`, they have its body. */
  readonly errors?: readonly number[]
  /** Like `errors`, with the body of every other error even if there is a `refusal`. */
  readonly plainErrors?: readonly number[]
  /** Described by another document than the OpenAPI document of Plat. */
  readonly ownDocument?: true
  /** A setting disables it; it then answers 404. */
  readonly isOptional?: boolean
  readonly access: Access
  /** If absent, the permission counts only if the caller has it everywhere. */
  readonly scope?: ScopeRule
  /** See the property of an operation. */
  readonly shows?: readonly string[]
  /** Only a user who has signed in may call it, and no API key. */
  readonly session?: NeededSession
  /** Permitted to a user who must first set up a second factor. */
  readonly beforeSetup?: true
  /** Checks or sets a password. The login limit counts it as well. */
  readonly isSensitive?: boolean
  /** Reports progress while it runs, so it has no deadline. */
  readonly isLong?: boolean
  /** Reads the state that the request came to, and no later one: standbys may answer. */
  readonly readsOnce?: true
  /** Checks the health of this instance. */
  readonly isProbe?: boolean
  /** Accepts bearer tokens only; a session cookie is ignored. */
  readonly bearerOnly?: boolean
  /** Admits API keys that open one feed. The route's own way to identify callers checks which. */
  readonly admitsFeedKeys?: boolean
  /** The audit entry of a call. Without it, calls are not recorded. */
  readonly audit?: Audited
  readonly description?: string
  /** Schemas of the query string, the body and the answer, for the documentation. */
  readonly query?: z.ZodObject
  /** The request headers that the route reads, by name. */
  readonly requestHeaders?: z.ZodObject
  readonly input?: z.ZodObject
  readonly output?: z.ZodType
  /** Media type of a body other than JSON. */
  readonly consumes?: string
  /** Media types of an answer without a schema. */
  readonly produces?: string | readonly string[]
  /** A second media type of the answer, beside `output` as JSON. */
  readonly alsoProduces?: string
  /** The body of a 400 and of `errors`, if a protocol defines its own. */
  readonly refusal?: z.ZodType
}

export const rawRoute = <const R extends RawRoute>(route: R): R => route

/** @example getNoun(devices.create) // 'devices' */
export const getNoun = ({ name }: { readonly name: string }): string => name.slice(0, name.indexOf('.'))

/** Returns the permissions of which each satisfies an access; empty for `public` and `authenticated`. */
export const listPermissions = (access: Access): readonly Permission[] =>
  typeof access === 'object' ? access.anyOf : access === 'public' || access === 'authenticated' ? [] : [access]
