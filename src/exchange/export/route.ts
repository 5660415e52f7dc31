/** The route that answers with the estate as a document, row by row. */
import { Scalar, stringify } from 'yaml'
import { computeEtag, matchesEtag, quoteEtag } from '../../contract/etag.ts'
import { parseRawQuery } from '../../contract/raw-query.ts'
import { INVENTORY, toTableName } from '../../inventory/resources.ts'
import { getExpiringRevision } from '../../inventory/used-addresses/expiry.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { createLongResponse } from '../../surfaces/http/answer/respond.ts'
import { ExportQuery } from '../estate/api.ts'
import { CustomExport } from './custom.ts'
import { canList, Names } from './names.ts'
import { exportRows } from './rows.ts'

type Lists = AsyncIterable<{ readonly resource: string; readonly rows: readonly object[] }>

const YAML = { lineWidth: 0, compat: 'yaml-1.1', aliasDuplicateObjects: false, blockQuote: 'literal' } as const

/** A block cannot hold a text of white space alone, so that one is quoted. */
const quoteBlank = (_: unknown, value: unknown): unknown => {
  if (typeof value !== 'string' || !value.includes('\n') || value.trim() !== '') return value
  const scalar = new Scalar(value)
  scalar.type = Scalar.QUOTE_DOUBLE
  return scalar
}

/**
 * Returns the rows as the lines of a list, indented. Only line feeds begin lines in YAML 1.2 (section 5.4): U+2028 and U+2029, at which
 * `^` matches too, are text.
 */
export const formatYamlRows = (rows: readonly object[]): string =>
  stringify(rows, quoteBlank, YAML).replace(/(?<=^|\n)(?=[^\n])/g, '  ')

/** Each list begins with its first row, so that an empty one is absent. */
async function* streamYaml(lists: Lists): AsyncGenerator<string> {
  let last = ''
  for await (const { resource, rows } of lists) {
    if (rows.length === 0) continue
    if (resource !== last) yield `${resource}:\n`
    last = resource
    yield formatYamlRows(rows)
  }
  if (last === '') yield '{}\n'
}

async function* streamJson(lists: Lists): AsyncGenerator<string> {
  let last = ''
  yield '{'
  for await (const { resource, rows } of lists) {
    if (rows.length === 0) continue
    const opening = resource === last ? ',\n' : `${last === '' ? '' : '\n],'}\n${JSON.stringify(resource)}: [\n`
    last = resource
    yield opening + rows.map((row) => JSON.stringify(row)).join(',\n')
  }
  yield last === '' ? '}\n' : '\n]\n}\n'
}

const FORMATS = {
  yaml: { write: streamYaml, type: 'application/yaml; charset=utf-8' },
  json: { write: streamJson, type: 'application/json' },
} as const

async function* encodeTexts(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const text of texts) yield encoder.encode(text)
}

export const exportHandler = async (ctx: Ctx, request: Request): Promise<Response> => {
  const { managed_by: owner, resource, format } = parseRawQuery(ExportQuery, request)
  if (resource !== undefined) ctx.require(`${resource}:list`)
  const listable = INVENTORY.filter((one) => canList(ctx, one))
  const resources = resource === undefined ? listable : [resource]
  const { write, type } = FORMATS[format]
  // Before any row. An object that is exported names others.
  const revision = await getExpiringRevision(ctx, [...listable.map(toTableName), 'pool_tags'])
  const etag = computeEtag(`${revision} ${owner} ${resources.join()} ${listable.join()} ${format}`)
  const headers = { ETag: quoteEtag(etag), 'Cache-Control': 'private, no-cache' }
  if (matchesEtag(request.headers.get('if-none-match') ?? '', etag)) return new Response(null, { status: 304, headers })
  async function* readLists(): Lists {
    const [names, custom] = [await Names.read(ctx), await CustomExport.read(ctx)]
    for (const one of resources)
      for await (const rows of exportRows(ctx, one, { names, custom, owner })) yield { resource: one, rows }
  }
  return createLongResponse(
    { source: encodeTexts(write(readLists())) },
    { headers: { ...headers, 'Content-Type': type } },
  )
}
