/** The parts common to every API document: credentials, headers, and the errors by status. */
import { ERROR_CODES, ERRORS } from '../../contract/errors.ts'
import type { JsonSchema } from '../../contract/json-schema.ts'
import type { Components, Header, Parameter, Ref, Response } from './document.ts'

const text = { type: 'string' } as const

/** The body of every error. A contract that contains errors refers to it by the id `Error`. */
export const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    code: { type: 'string', enum: ERROR_CODES },
    error: { type: 'string', description: 'The error as a sentence for people' },
    details: {
      type: 'array',
      description: 'The bad fields, every one of them; empty for an error that is not about fields',
      items: {
        type: 'object',
        properties: { field: text, message: text },
        required: ['field', 'message'],
      },
    },
  },
  required: ['code', 'error', 'details'],
  examples: [
    {
      code: 'VALIDATION_ERROR',
      error: 'name: is required',
      details: [{ field: 'name', message: 'is required' }],
    },
  ],
}

/** The preview of a dry run. The contract of the history has the id `Change`. */
export const PREVIEW: JsonSchema = { $ref: '#/components/schemas/Change' }

export const createHeaderRef = (name: string): Ref => ({ $ref: `#/components/headers/${name}` })
export const createParameterRef = (name: string): Ref => ({ $ref: `#/components/parameters/${name}` })

const headers: Readonly<Record<string, Header>> = {
  'X-Request-Id': { description: 'Names this request in logs and in the audit trail', schema: text },
  ETag: { description: 'Changes with the answer; send it back as If-None-Match or If-Match', schema: text },
  'X-Total-Count': {
    description: 'Rows there are without `limit` and `offset`',
    schema: { type: 'integer', minimum: 0 },
  },
  'X-Change-Id': { description: 'The change in the history; absent if nothing has changed', schema: text },
  'X-As-Of': {
    description: 'The moment of the answer; absent without `as_of`',
    schema: { type: 'string', format: 'date-time' },
  },
  'X-Proposal': { description: 'The number of the proposal that notes the write', schema: { type: 'integer' } },
  'X-Dry-Run': { description: '`true` if nothing was written; absent otherwise', schema: { ...text, enum: ['true'] } },
  'X-RateLimit-Limit': { description: 'Requests per window', schema: { type: 'integer' } },
  'X-RateLimit-Remaining': { description: 'Requests left in this window', schema: { type: 'integer' } },
  'X-RateLimit-Reset': { description: 'When the window ends', schema: { type: 'string', format: 'date-time' } },
  'Retry-After': { description: 'When to try again, as an HTTP date or in seconds', schema: text },
  'WWW-Authenticate': { description: 'How to authenticate (RFC 6750)', schema: text },
  Allow: { description: 'The methods that are possible here', schema: text },
}

const parameters: Readonly<Record<string, Parameter>> = {
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'An ETag of an earlier answer; 304 without a body if it is unchanged',
    schema: text,
  },
  IfNoneMatchAny: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: '`*`: 412 if the object is there, so that the call only creates',
    schema: text,
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description: 'The ETag that you read; 412 if the object has changed since',
    schema: text,
  },
}

type ErrorKind = {
  readonly status: number
  readonly name: string
  readonly description: string
  readonly headers?: readonly string[]
  /** Answered by the HTTP engine itself. */
  readonly isBare?: boolean
}

const ERROR_KINDS: readonly ErrorKind[] = [
  { status: 400, name: 'BadRequest', description: 'The request is wrong; `details` names every bad field' },
  {
    status: 401,
    name: 'Unauthorized',
    description: 'No credentials, or invalid ones',
    headers: ['WWW-Authenticate'],
  },
  { status: 403, name: 'Forbidden', description: 'The permission is missing, or the CSRF header of a browser session' },
  { status: 404, name: 'NotFound', description: 'The object does not exist' },
  { status: 408, name: 'RequestTimeout', description: 'The body comes too slowly (`INVALID_INPUT`)' },
  { status: 409, name: 'Conflict', description: 'It conflicts with the current state' },
  { status: 412, name: 'PreconditionFailed', description: 'The object has changed since it was read' },
  { status: 413, name: 'ContentTooLarge', description: 'The body is too large (`INVALID_INPUT`)' },
  { status: 421, name: 'MisdirectedRequest', description: 'The host of the request is not in `ALLOWED_HOSTS`' },
  {
    status: 429,
    name: 'TooManyRequests',
    description: 'Too many requests',
    headers: ['Retry-After', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
  },
  {
    status: 431,
    name: 'HeadersTooLarge',
    description: 'The URL and the headers take more than 16 KiB together. Without a body',
    isBare: true,
  },
  { status: 500, name: 'InternalError', description: 'A mistake of the server; its log has the request id' },
  {
    status: 502,
    name: 'BadGateway',
    description: 'The other server cannot be reached, or does not answer as it should',
  },
  {
    status: 503,
    name: 'Unavailable',
    description: 'The database or the disk cannot serve the request now; try again later',
  },
]

const listCodes = (status: number): string[] => ERROR_CODES.filter((code) => ERRORS[code].status === status)

const createErrorResponse = ({ status, description, headers: names = [], isBare = false }: ErrorKind): Response => {
  if (isBare) return { description }
  const codes = listCodes(status)
  return {
    description: codes.length > 0 ? `${description}: ${codes.map((code) => `\`${code}\``).join(', ')}` : description,
    headers: createHeaderRefs(['X-Request-Id', ...names]),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  }
}

export const createHeaderRefs = (names: readonly string[]): Record<string, Ref> =>
  Object.fromEntries(names.map((name) => [name, createHeaderRef(name)]))

/** Returns the shared error responses of some statuses, by status. */
export const createErrorRefs = (statuses: readonly number[]): Record<string, Ref> =>
  Object.fromEntries(
    ERROR_KINDS.filter(({ status }) => statuses.includes(status)).map(({ status, name }) => [
      String(status),
      { $ref: `#/components/responses/${name}` },
    ]),
  )

export const SHARED: Omit<Components, 'schemas'> = {
  responses: Object.fromEntries(ERROR_KINDS.map((kind) => [kind.name, createErrorResponse(kind)])),
  parameters,
  headers,
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer', description: 'An API key: `Authorization: Bearer plat_...`' },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: 'session',
      description:
        'The cookie of a browser session (`__Host-session` over HTTPS). Changes need `X-Requested-With: XMLHttpRequest`',
    },
  },
}

/** How to talk to this API, for people; blank lines part the paragraphs. */
export const CONVENTIONS = [
  'Send an API key as `Authorization: Bearer plat_...`. A browser session works too; its changes need the header `X-Requested-With: XMLHttpRequest`.',
  'Bodies are JSON objects with snake_case fields; unknown fields are ignored. Times are RFC 3339 in UTC. Ids are opaque text. In the place of an id, `source:id` names an object by its `refs`. Text is valid Unicode without NUL.',
  'A PUT changes the fields that it names: an absent field is unchanged, `null` clears an optional one, a list replaces the whole list. The answer of a GET may be sent back unchanged.',
  'Lists are complete unless you send `limit` and `offset`; `X-Total-Count` is the number of all rows. Lists and objects carry an `ETag` for `If-None-Match` and `If-Match`.',
  'Writes of the estate take `dry_run`, and a reason for the history in `X-Change-Note`; `X-Change-Id` names the change that they made. Reads of the estate take `as_of`. Elsewhere `as_of` and `dry_run` are refused.',
  'Every error is `{code, error, details}`, and `details` names every invalid field at once. `X-Request-Id` on every response identifies the request in logs and in the audit trail. `X-RateLimit-Limit`, `-Remaining` and `-Reset` describe your rate limit.',
].join('\n\n')
