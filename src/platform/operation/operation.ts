/**
 * An operation is the single definition of one thing the product can do. REST, OpenAPI, the CLI, the MCP tools
 * and the typed client are derived from it. Browser-safe.
 */
import type { z } from 'zod'

export const AUDIT_ACTIONS = ['create', 'update', 'delete', 'login', 'logout'] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** What stands in the trail for an operation or a route. */
export type Audited = { readonly action: AuditAction; readonly resource: string }

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
export type Http = `${Method} /${string}`
export type Effect = 'read' | 'create' | 'update' | 'delete' | 'action'

/** One entry of the permission catalogue: `devices:create`. */
export type Permission = `${string}:${string}`

/**
 * Who may call: nobody has to be signed in (`public`), any signed-in caller (`authenticated`), the holder of one
 * permission, or the holder of at least one of several (the handler then demands the exact one with `ctx.require`).
 */
export type Access = 'public' | 'authenticated' | Permission | { readonly anyOf: readonly Permission[] }

/** The `{params}` of a path. */
type PathParams<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | PathParams<Rest> : never

/** Other statuses of a success: with content as the first one, or without any. */
export type OtherAnswers = Readonly<Record<number, 'same' | 'empty'>>

export type CliHints = {
  /** The words after `plat`; without it they follow from the name: `devices.create` -> `device create`. */
  readonly command?: string
  /** Positional arguments, in order. */
  readonly args?: readonly string[]
  /** Secrets that a person at a terminal is asked for where they are not given, so that none has to stand on the command line. */
  readonly ask?: readonly string[]
  /** Values of required fields that the command line sends where they are not given. */
  readonly preset?: Readonly<Record<string, string>>
}

export type Operation<
  Name extends string = string,
  H extends Http = Http,
  In extends z.ZodObject = z.ZodObject,
  Out extends z.ZodType = z.ZodType,
> = {
  /** `devices.create`: the operationId, and through it the CLI command and the MCP tool. */
  readonly name: Name
  readonly summary: string
  readonly description?: string
  readonly http: H
  /** Status of a success; 200, or 204 where `output` is void. */
  readonly status?: number
  readonly alsoAnswers?: OtherAnswers
  /** Decides the transaction, the audit entry and the MCP hints. */
  readonly effect: Effect
  /** The handler begins without a transaction and writes in short ones (`ctx.write`), as a job does: for long work, or work that isn't SQL. */
  readonly hasOwnTransactions?: true
  /**
   * Names all that a call with this input locks for others to wait for, or nothing. Those of one name wait for each other in any
   * case: several may share a transaction. A method, so that any operation may be taken for one of unknown input.
   */
  serializeBy?(input: z.output<In>): string | undefined
  /** Changes many objects in one call: an AI client is shown what it would do before it does it, as with every delete. */
  readonly isBulk?: true
  /** Acts on more than Plat's own data: it probes a network, or calls another server. */
  readonly reachesOut?: true
  readonly access: Access
  /** With access `authenticated`: a client that acts for a user may do it as well, though no scope says so. */
  readonly needsNoConsent?: true
  /** Request headers that carry a field of the input: `{ 'Idempotency-Key': 'idempotency_key' }`. */
  readonly headers?: Readonly<Record<string, keyof z.input<In> & string>>
  /** Fields of the input that travel in the query string of a POST or PUT: `?dry_run=true`. A body may hold them too. */
  readonly inQuery?: readonly (keyof z.input<In> & string)[]
  /** Tries or sets a password: counted by the login limit as well. */
  readonly isSensitive?: boolean
  /** Most bytes of a request body, where the 1 MiB of every other operation is not enough. */
  readonly maxBodyBytes?: number
  readonly cli?: CliHints
  /** `listed` takes one of the about 20 slots of the tool list; `searchable` (the default) is found by search; `hidden` is not for models. */
  readonly mcp?: 'listed' | 'searchable' | 'hidden'
  readonly input: In
  readonly output: Out
  /** The fields that the audit trail records, where `input` leaves the fields of its items open. */
  readonly recorded?: () => z.ZodType
}

/** Any operation, where its own types don't matter. */
export type AnyOperation = Operation
/** A feature's operations, keyed by verb: `{ list, get, create }`. */
export type OperationSet = Readonly<Record<string, AnyOperation>>

export type InputOf<O extends AnyOperation> = z.input<O['input']>
export type ParsedInputOf<O extends AnyOperation> = z.output<O['input']>
export type OutputOf<O extends AnyOperation> = z.output<O['output']>

/** A schema, or how it is made. */
type Made<Schema> = Schema | (() => Schema)

type Declared<Name extends string, H extends Http, In extends z.ZodObject, Out extends z.ZodType> = Omit<
  Operation<Name, H, In, Out>,
  'input' | 'output'
> & { readonly input: Made<In>; readonly output: Made<Out> }

const once = <Schema extends z.ZodType>(made: Made<Schema>): (() => Schema) => {
  let schema: Schema | undefined
  return () => {
    schema ??= typeof made === 'function' ? made() : made
    return schema
  }
}

/**
 * Declares an operation. A `{param}` of the path that is not a field of `input` does not compile. What is made for this
 * operation alone is given as a function: it is called at the first use, because all of them take a while.
 */
export const operation = <
  const Name extends string,
  const H extends Http,
  In extends z.ZodObject,
  Out extends z.ZodType,
>(
  declared: Declared<Name, H, In, Out> &
    (PathParams<H> extends keyof z.input<In> & string
      ? unknown
      : { readonly http: 'a {param} is not a field of input' }),
): Operation<Name, H, In, Out> => {
  const { input, output, recorded, ...rest }: Declared<Name, H, In, Out> = declared
  const inputOf = once(input)
  const outputOf = once(output)
  return {
    ...rest,
    ...(recorded && { recorded: once(recorded) }),
    get input() {
      return inputOf()
    },
    get output() {
      return outputOf()
    },
  }
}

/** What is not JSON in and JSON out: sign-in with its cookie, health, metrics, documents, the MCP endpoint. */
export type RawRoute = {
  readonly name: string
  readonly summary: string
  readonly http: Http
  readonly status?: number
  readonly alsoAnswers?: OtherAnswers
  /** Statuses of errors besides those that follow from the rest of the route; with `refusal` they have its body. */
  readonly errors?: readonly number[]
  /** A setting turns it off, and then it answers 404. */
  readonly isOptional?: boolean
  readonly access: Access
  /** Tries or sets a password: counted by the login limit as well. */
  readonly isSensitive?: boolean
  /** Shows its progress as it goes on, and so has no deadline. */
  readonly isLong?: boolean
  /** Asks how this instance is. */
  readonly isProbe?: boolean
  /** Not for a browser's session: a cookie is as good as none. */
  readonly bearerOnly?: boolean
  /** How a call stands in the audit trail; without it, it leaves no trace. */
  readonly audit?: Audited
  readonly description?: string
  /** What the query string, the body and the answer hold, where they are JSON, for the documentation. */
  readonly query?: z.ZodObject
  readonly input?: z.ZodObject
  readonly output?: z.ZodType
  /** Media type of the body where it is not JSON. */
  readonly consumes?: string
  /** Media type of the answer where it is not JSON. */
  readonly produces?: string
  /** A second media type, beside `output` as JSON. */
  readonly alsoProduces?: string
  /** The body of a 400 and of `errors`, where a protocol of its own defines it. */
  readonly refusal?: z.ZodType
}

export const rawRoute = <const R extends RawRoute>(route: R): R => route

export type HttpParts = { readonly method: Method; readonly path: string; readonly params: readonly string[] }

/**
 * @example httpParts('GET /api/devices/{id}') // { method: 'GET', path: '/api/devices/{id}', params: ['id'] }
 */
export const httpParts = (http: Http): HttpParts => {
  const at = http.indexOf(' ')
  const path = http.slice(at + 1)
  // The type of `http` says that the part before the blank is a method.
  const method = http.slice(0, at) as Method
  return { method, path, params: [...path.matchAll(/\{(\w+)\}/g)].flatMap((m) => (m[1] ? [m[1]] : [])) }
}

/** Whether input that is not in the path travels in the query string, and not in a body. */
export const takesQuery = (method: Method): boolean => method === 'GET' || method === 'DELETE'

/** The permissions an access may be satisfied by; empty for `public` and `authenticated`. */
export const permissionsOf = (access: Access): readonly Permission[] =>
  typeof access === 'object' ? access.anyOf : access === 'public' || access === 'authenticated' ? [] : [access]
