/** Projects contracts and raw routes onto an OpenAPI 3.1 document. */
import { type Definitions, type DescribeCustom, type JsonSchema, toJsonSchema } from '../../contract/json-schema.ts'
import { parseHttp, type RawHttp } from '../../kernel/http-route.ts'
import type { AnyOperation, OperationSet } from '../../kernel/operation.ts'
import { CONVENTIONS, ERROR_SCHEMA, SHARED } from './components.ts'
import type { DocumentedOperation, OpenApi } from './document.ts'
import { buildEntry, type Collector, type DocumentedRoute, formatUsage, getTool } from './entry.ts'
import { buildExample } from './example.ts'

/** Collects the named schemas of every contract. */
const createCollector = (describeCustom: DescribeCustom | undefined): Collector => {
  const schemas = new Map<string, JsonSchema>([['Error', ERROR_SCHEMA]])
  return {
    definitions: () => Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
    toSchema: (zodSchema, io) => {
      const { schema, definitions } = toJsonSchema(zodSchema, io, { isExact: io === 'input', describeCustom })
      for (const [id, definition] of Object.entries(definitions)) {
        const known = schemas.get(id)
        if (!known) schemas.set(id, definition)
        // The platform itself describes this one id, in more detail than a contract needs.
        else if (id !== 'Error' && JSON.stringify(known) !== JSON.stringify(definition))
          throw new Error(`Two different schemas have the id ${id}`)
      }
      return schema
    },
  }
}

const buildOperationEntry = (op: AnyOperation, collector: Collector): DocumentedOperation => {
  const tool = getTool(op)
  return { ...buildEntry(op, collector), 'x-cli': formatUsage(op), ...(tool && { 'x-mcp-tool': tool }) }
}

const withExamples = (definitions: Definitions): Definitions =>
  Object.fromEntries(
    Object.entries(definitions).map(([id, schema]) => [
      id,
      { ...schema, examples: [buildExample(schema, definitions)] },
    ]),
  )

type DocumentOptions = {
  readonly version: string
  /** Custom fields are objects of any names, as in the contracts, if this is undefined. */
  readonly describeCustom?: DescribeCustom | undefined
}

/** @throws Error if two operations share method and path, or two schemas share an id. */
export const buildOpenapi = (
  contracts: Readonly<Record<string, OperationSet>>,
  routes: readonly DocumentedRoute[],
  { version, describeCustom }: DocumentOptions,
): OpenApi => {
  const collector = createCollector(describeCustom)
  const paths: Record<string, Record<string, DocumentedOperation>> = {}
  const add = (http: RawHttp, entry: DocumentedOperation) => {
    const { method, path } = parseHttp(http)
    const methods = paths[path] ?? {}
    const taken = methods[method.toLowerCase()]
    if (taken) throw new Error(`${entry.operationId} and ${taken.operationId} are both ${http}`)
    paths[path] = { ...methods, [method.toLowerCase()]: entry }
  }
  for (const set of Object.values(contracts))
    for (const op of Object.values(set)) add(op.http, buildOperationEntry(op, collector))
  for (const route of routes) if (!route.ownDocument) add(route.http, buildEntry(route, collector))

  const tags = new Set(Object.values(paths).flatMap((methods) => Object.values(methods).flatMap((entry) => entry.tags)))
  return {
    openapi: '3.1.0',
    info: { title: 'Plat', version, description: CONVENTIONS, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/', description: 'This server' }],
    tags: [...tags].map((name) => ({ name })),
    paths,
    components: { schemas: withExamples(collector.definitions()), ...SHARED },
  }
}
