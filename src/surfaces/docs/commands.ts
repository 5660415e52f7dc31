/** Writes the same call in three forms: curl, the command line, an MCP tool. */

import { toSingular } from '../../contract/command-name.ts'
import type { DocumentedOperation, OpenApi, Parameter } from '../openapi/document.ts'
import { buildExample } from '../openapi/example.ts'

export type Call = {
  readonly method: string
  readonly path: string
  readonly entry: DocumentedOperation
  readonly parameters: readonly Parameter[]
}

/** Escapes `'` inside single quotes of a shell. */
const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const formatPlaceholder = ({ name, schema }: Parameter): string => {
  const ref = schema['x-ref']
  return (ref && (name === 'id' || name.endsWith('_id')) ? `${toSingular(ref)}_id` : name).toUpperCase()
}

const buildUrl = ({ path, parameters }: Call, doc: OpenApi): string => {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name)
    return parameter ? formatPlaceholder(parameter) : name
  })
  const query = parameters
    .filter((one) => one.in === 'query' && one.required)
    .map(
      (one) => `${one.name}=${encodeURIComponent(String(buildExample(one.schema, doc.components.schemas, one.name)))}`,
    )
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`
}

const getJsonBody = ({ entry }: Call): unknown => entry.requestBody?.content['application/json']?.example

/** Writes a command that works once PLAT_URL and PLAT_TOKEN are set and the words in capitals are replaced. */
export const formatCurl = (call: Call, doc: OpenApi): string => {
  const body = getJsonBody(call)
  const flags = call.method === 'get' ? 'curl -sS' : `curl -sS -X ${call.method.toUpperCase()}`
  const lines = [
    `${flags} "$PLAT_URL${buildUrl(call, doc)}"`,
    ...(call.entry.security.length > 0 ? ['-H "Authorization: Bearer $PLAT_TOKEN"'] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoteForShell(JSON.stringify(body))}`]),
  ]
  return lines.join(' \\\n  ')
}

const buildArguments = ({ parameters, ...call }: Call): Record<string, unknown> => {
  const named = parameters
    .filter((one) => one.in === 'path' || (one.in === 'query' && one.required))
    .map((one) => [one.name, one.in === 'path' ? formatPlaceholder(one) : buildExample(one.schema, {}, one.name)])
  const body = getJsonBody({ parameters, ...call })
  return { ...Object.fromEntries(named), ...(typeof body === 'object' ? body : {}) }
}

/** Writes the tool and its arguments; undefined for an operation that models do not get. */
export const formatToolCall = (call: Call): string | undefined => {
  const { operationId, 'x-mcp-tool': tool } = call.entry
  if (tool === undefined) return undefined
  const input = buildArguments(call)
  return `${tool} ${JSON.stringify(tool === 'call_operation' ? { operation: operationId, input } : input)}`
}
