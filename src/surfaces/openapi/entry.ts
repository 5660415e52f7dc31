/** Projects one operation or raw route onto its entry in the OpenAPI document. */

import { z } from 'zod'
import { canPropose } from '../../contract/can-propose.ts'
import { NEVER_EMPTY } from '../../contract/coerce.ts'
import { getCommandWords, getToolName } from '../../contract/command-name.ts'
import { type Definitions, getBaseType, type Io, type JsonSchema } from '../../contract/json-schema.ts'
import { type HttpParts, parseHttp, takesQuery } from '../../kernel/http-route.ts'
import { type AnyOperation, type Effect, listPermissions, type RawRoute } from '../../kernel/operation.ts'
import { createErrorRefs, createHeaderRefs, createParameterRef, PREVIEW } from './components.ts'
import type { Content, DocumentedOperation, Parameter, Ref, Response } from './document.ts'
import { buildRequestExample } from './example.ts'

/** A raw route that accepts no session cookie declares that. */
export type DocumentedRoute = RawRoute

/** An operation, or a raw route, which has an unknown effect. */
export type Documented = DocumentedRoute &
  Partial<
    Pick<
      AnyOperation,
      | 'description'
      | 'headers'
      | 'inQuery'
      | 'reportsProgress'
      | 'bodyRules'
      | 'hasHistory'
      | 'proposes'
      | 'supportsAsOf'
      | 'createsByRef'
    >
  > & {
    readonly effect?: Effect
  }

/** Converts a schema of a contract to JSON Schema and collects its named schemas. */
export type Collector = {
  readonly toSchema: (schema: z.ZodType, io: Io) => JsonSchema
  readonly definitions: () => Definitions
}

const EMPTY = z.object({})
const mapValues = <V, W>(values: Readonly<Record<string, V>>, change: (value: V) => W): Record<string, W> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]))
const isVoid = (schema: z.ZodType | undefined): boolean => schema === undefined || schema instanceof z.ZodVoid
const getNoun = (name: string): string => name.slice(0, name.indexOf('.'))

const getSecurity = ({ access, bearerOnly, session }: Documented): DocumentedOperation['security'] => {
  if (access === 'public') return []
  if (session) return [{ session: [] }]
  return bearerOnly ? [{ bearer: [] }] : [{ bearer: [] }, { session: [] }]
}

/** An empty number or boolean of a query string is absent (`coerce`). */
const mayBeEmpty = (schema: JsonSchema): boolean => ['integer', 'number', 'boolean'].includes(getBaseType(schema) ?? '')

const BEGIN = /^\^?/

/** Returns the schema of a record with entries that are the parameters `<name>.<key>`. */
const toEntrySchema = (name: string, { properties, propertyNames, ...schema }: JsonSchema): JsonSchema => ({
  ...schema,
  propertyNames: { pattern: (propertyNames?.pattern ?? '').replace(BEGIN, `^${name}\\.`) },
  ...(properties && {
    properties: Object.fromEntries(Object.entries(properties).map(([key, inner]) => [`${name}.${key}`, inner])),
  }),
})

const isRecord = (schema: JsonSchema): boolean => getBaseType(schema) === 'object'

const buildParameter = (name: string, where: Parameter['in'], isRequired: boolean, schema: JsonSchema): Parameter => {
  const { description, ...bare } = schema
  const isEmptiable = where === 'query' && !isRequired && !NEVER_EMPTY.has(name) && mayBeEmpty(schema)
  const isEntries = where === 'query' && isRecord(schema)
  return {
    name,
    in: where,
    required: isRequired,
    ...(description && { description }),
    ...(isEmptiable && { allowEmptyValue: true }),
    ...(isEntries && { style: 'form', explode: true }),
    schema: isEntries ? toEntrySchema(name, bare) : bare,
  }
}

type Input = { readonly parameters: readonly Parameter[]; readonly body: JsonSchema | undefined }

/** Assigns each field to a part of the request; a raw route may have a query beside a body. */
const buildInput = (documented: Documented, { method, params }: HttpParts, { toSchema }: Collector): Input => {
  const { headers = {}, inQuery = [], input = EMPTY, query = EMPTY, requestHeaders = EMPTY } = documented
  const { properties = {}, required = [], additionalProperties } = toSchema(input, 'input')
  const queried = toSchema(query, 'input')
  const headerOf = new Map(Object.entries(headers).map(([header, field]) => [field, header]))
  const path = params.map((name) => buildParameter(name, 'path', true, properties[name] ?? { type: 'string' }))
  const parameters: Parameter[] = Object.entries(queried.properties ?? {}).map(([name, field]) =>
    buildParameter(name, 'query', queried.required?.includes(name) ?? false, field),
  )
  const ownHeaders = toSchema(requestHeaders, 'input').properties ?? {}
  parameters.push(...Object.entries(ownHeaders).map(([name, field]) => buildParameter(name, 'header', false, field)))
  const body: Record<string, JsonSchema> = {}
  for (const [name, field] of Object.entries(properties)) {
    if (params.includes(name)) continue
    const isRequired = required.includes(name)
    const header = headerOf.get(name)
    if (header !== undefined) parameters.push(buildParameter(header, 'header', isRequired, field))
    else if (takesQuery(method) || inQuery.includes(name))
      parameters.push(buildParameter(name, 'query', isRequired, field))
    else body[name] = field
  }
  const needed = required.filter((name) => Object.hasOwn(body, name))
  const all = [...path, ...parameters]
  if (Object.keys(body).length === 0) return { parameters: all, body: undefined }
  return {
    parameters: all,
    body: {
      type: 'object',
      properties: body,
      ...(needed.length > 0 && { required: needed }),
      ...(additionalProperties !== undefined && { additionalProperties }),
      ...documented.bodyRules?.(),
    },
  }
}

const needsMore = ({ access, session }: Documented, { method }: HttpParts): boolean =>
  listPermissions(access).length > 0 || (access !== 'public' && method !== 'GET') || session !== undefined

/** An API in the format of another one refuses missing credentials as that one does: NetBox with 403. */
const refusesGuestsAs403 = ({ refusal, errors = [] }: Documented): boolean =>
  refusal !== undefined && errors.includes(403)

/** A write can reject input that its schema permits, such as the deletion of the last role. */
const listErrorStatuses = (documented: Documented, parts: HttpParts, { parameters, body }: Input): number[] => {
  const { access, effect = 'read', errors = [], plainErrors = [], isOptional = false, isProbe = false } = documented
  return [
    ...(body || parameters.length > 0 || effect !== 'read' ? [400] : []),
    ...(access === 'public' || refusesGuestsAs403(documented) ? [] : [401]),
    ...(needsMore(documented, parts) ? [403] : []),
    ...(parts.params.length > 0 || isOptional ? [404] : []),
    // A delete that is proposed may be one operation too many.
    ...(effect === 'read' || (effect === 'delete' && !canPropose(documented)) ? [] : [409]),
    ...(hasPrecondition(effect, parts) ? [412] : []),
    ...(body || errors.includes(413) ? [408, 413] : []),
    ...(isProbe ? [] : [421]),
    429,
    431,
    500,
    503,
    ...errors,
    ...plainErrors,
  ]
}

const isCacheable = (effect: Effect | undefined, { method }: HttpParts): boolean =>
  effect === 'read' && method === 'GET'
const hasPrecondition = (effect: Effect | undefined, { method }: HttpParts): boolean =>
  (effect === 'update' || effect === 'delete') && method !== 'POST'

const listConditions = ({ effect, createsByRef }: Documented, parts: HttpParts): Ref[] => {
  if (isCacheable(effect, parts)) return [createParameterRef('IfNoneMatch')]
  if (!hasPrecondition(effect, parts)) return []
  return createsByRef
    ? [createParameterRef('IfMatch'), createParameterRef('IfNoneMatchAny')]
    : [createParameterRef('IfMatch')]
}

const buildContent = (
  { output, produces, alsoProduces, reportsProgress }: Documented,
  { toSchema }: Collector,
): Content | undefined => {
  if (produces) return Object.fromEntries([produces].flat().map((type) => [type, { schema: {} }]))
  if (!output || isVoid(output)) return undefined
  const json = { 'application/json': { schema: toSchema(output, 'output') } }
  if (reportsProgress) return { ...json, 'application/x-ndjson': { schema: {} } }
  if (alsoProduces === undefined) return json
  // YAML has the same values; everything else is text.
  const also = alsoProduces === 'application/yaml' ? json['application/json'] : { schema: { type: 'string' } }
  return { ...json, [alsoProduces]: also }
}

const buildSuccess = (
  { summary, effect, hasHistory, supportsAsOf }: Documented,
  content: Content | undefined,
): Response => {
  const isList = content?.['application/json']?.schema.type === 'array'
  const names = [
    'X-Request-Id',
    ...(content && effect ? ['ETag'] : []),
    ...(isList ? ['X-Total-Count'] : []),
    ...(hasHistory ? ['X-Change-Id'] : []),
    ...(supportsAsOf ? ['X-As-Of'] : []),
  ]
  return { description: content ? summary : 'Done', headers: createHeaderRefs(names), ...(content && { content }) }
}

/** Returns the answer of a dry run: that of the call or its preview, and in place of an empty one the preview. */
const buildDryRun = (content: Content | undefined): Response => {
  const answer = content?.['application/json']?.schema
  const schema = answer ? { anyOf: [answer, PREVIEW] } : PREVIEW
  return {
    description: 'With `dry_run`: the answer of the call, or the objects that would change',
    headers: createHeaderRefs(['X-Request-Id', 'ETag', 'X-Dry-Run']),
    content: { ...content, 'application/json': { schema } },
  }
}

/** Returns the answer of a call that is noted in a proposal. */
const buildProposed = (content: Content | undefined): Response => ({
  ...buildDryRun(content),
  description: 'With `proposal`: the answer of the call as it would be, or the objects that would change',
  headers: createHeaderRefs(['X-Request-Id', 'ETag', 'X-Proposal']),
})

/** Returns the answers of a success by status. A dry run answers 200, whatever the call itself would. */
const buildSuccesses = (documented: Documented, content: Content | undefined): Record<string, Response> => {
  const { status, effect, hasHistory, alsoAnswers = {} } = documented
  const usual = String(status ?? (content || !effect ? 200 : 204))
  const answers = {
    [usual]: buildSuccess(documented, content),
    ...mapValues(alsoAnswers, (kind) => buildSuccess(documented, kind === 'same' ? content : undefined)),
  }
  if (canPropose(documented)) Object.assign(answers, { '202': buildProposed(content) })
  if (!hasHistory) return answers
  const dry = buildDryRun(content)
  const real = answers['200']
  if (!real) return { ...answers, '200': dry }
  const headers = { ...real.headers, ...dry.headers }
  return { ...answers, '200': { ...dry, description: `${real.description}. ${dry.description}`, headers } }
}

const NOT_MODIFIED: Response = {
  description: 'Your copy is current',
  headers: createHeaderRefs(['X-Request-Id', 'ETag']),
}

/** Errors in the format of another protocol. */
const buildRefusals = ({ refusal, errors = [] }: Documented, { toSchema }: Collector): Record<string, Response> => {
  if (!refusal) return {}
  const content = { 'application/json': { schema: toSchema(refusal, 'output') } }
  const refused = { description: 'The request is rejected', headers: createHeaderRefs(['X-Request-Id']), content }
  return Object.fromEntries([400, ...errors].map((status) => [String(status), refused]))
}

export const buildEntry = (documented: Documented, collector: Collector): DocumentedOperation => {
  const { name, summary, description, http, access, effect } = documented
  const parts = parseHttp(http)
  const input = buildInput(documented, parts, collector)
  const { parameters, body } = input
  const content = buildContent(documented, collector)
  const conditions = listConditions(documented, parts)
  // A raw route reads its body itself, and never takes none for an empty object.
  const isBodyRequired = (body?.required?.length ?? 0) > 0 || parts.method === 'PUT' || effect === undefined
  return {
    operationId: name,
    summary,
    ...(description && { description }),
    tags: [getNoun(name)],
    ...(parameters.length + conditions.length > 0 && { parameters: [...parameters, ...conditions] }),
    ...(body && {
      requestBody: {
        required: isBodyRequired,
        content: {
          [documented.consumes ?? 'application/json']: {
            schema: body,
            example: buildRequestExample(body, collector.definitions()),
          },
        },
      },
    }),
    responses: {
      ...buildSuccesses(documented, content),
      ...(isCacheable(effect, parts) && { '304': NOT_MODIFIED }),
      ...createErrorRefs(listErrorStatuses(documented, parts, input)),
      ...buildRefusals(documented, collector),
    },
    security: getSecurity(documented),
    'x-permission': access,
  }
}

/** Returns the command with its positional arguments: `plat device create <name>`. */
export const formatUsage = (op: AnyOperation): string =>
  ['plat', ...getCommandWords(op), ...(op.cli?.args ?? []).map((name) => `<${name}>`)].join(' ')

/** Returns the tool that runs the operation; undefined for one that models do not get. */
export const getTool = (op: AnyOperation): string | undefined => {
  if (op.mcp === 'hidden') return undefined
  return op.mcp === 'listed' ? getToolName(op) : 'call_operation'
}
